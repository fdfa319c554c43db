"""Queries per second of sysbench's point selects, and the server's CPU per query, with nothing, with Heatscope and with its peers.

One connection over a Unix socket; server and client share CPU 0, so that what is measured is work and not waking up an idle
CPU; everything else runs on the other CPUs.  Every arm in every round, in an order drawn anew.  The loss is 1 - QPS ratio.
"""
import os
import re
import subprocess
import time

from measure import (Heatscope, arguments, folder, interleaved, interval, mariadb, median, progress, ratio, run_seconds, save, sql,
                     stop, table, until, version)

PARTS = ["latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu"]
PAIR = ("uprobe:{0}:*dispatch_command* {{ @s[tid] = nsecs; }} "
        "uretprobe:{0}:*dispatch_command* /@s[tid]/ {{ @ = hist(nsecs - @s[tid]); delete(@s[tid]); }}")
CPU = 0


def others():
    n = os.cpu_count()
    return "1-%d" % (n - 1) if n > 1 else "0"


class Bench:
    def __init__(self, options, path, server):
        self.options, self.server = options, server
        self.heatscope = Heatscope(path, cpu=others())
        self.binary = os.readlink("/proc/%s/exe" % server["MARIADB_PID"])
        self.load = ["taskset", "-c", str(CPU), "sysbench", "oltp_point_select", "--db-driver=mysql",
                     "--mysql-socket=" + server["MARIADB_SOCKET"], "--mysql-user=root", "--mysql-db=bench", "--tables=1",
                     "--table-size=10000", "--threads=1", "--db-ps-mode=" + options.ps_mode]

    def prepare(self):
        sql(self.server, "CREATE DATABASE bench")
        subprocess.run([*self.load, "prepare"], check=True, capture_output=True)

    def qps(self):
        before = run_seconds(self.server["MARIADB_PID"])
        text = subprocess.run([*self.load, "--time=%g" % self.options.seconds, "run"], check=True, capture_output=True,
                              text=True).stdout
        cpu = run_seconds(self.server["MARIADB_PID"]) - before
        queries = int(re.search(r"total:\s+(\d+)", text).group(1))
        return {"qps": queries / float(re.search(r"total time:\s+([\d.]+)s", text).group(1)), "cpu_us": cpu / queries * 1e6}

    def with_instrumentation(self, measures):
        uri = self.heatscope.create("mysql", "queries", ["command", "statement", "latency"], measures)
        try:
            return self.qps()
        finally:
            self.heatscope.delete(uri)
            time.sleep(0.2)			# the collector detaches

    def with_pair(self):
        out = open(os.path.join(self.heatscope.path, "bpftrace"), "w+")
        trace = subprocess.Popen(["taskset", "-c", others(), "bpftrace", "-e", PAIR.format(self.binary)], stdout=out,
                                 stderr=subprocess.STDOUT)
        try:
            until(lambda: "Attaching" in open(out.name).read(), what="bpftrace's start")
            time.sleep(0.5)
            return self.qps()
        finally:
            stop(trace)
            out.seek(0)
            if "@:" not in out.read():
                raise SystemExit("bench: bpftrace saw nothing: " + open(out.name).read())

    def with_global(self, on, off):
        sql(self.server, on)
        try:
            return self.qps()
        finally:
            sql(self.server, off)

    def arm(self, name):
        return {
            "nothing": self.qps,
            "nothing again": self.qps,
            "heatscope, latency": lambda: self.with_instrumentation(["latency"]),
            "heatscope, parts": lambda: self.with_instrumentation(PARTS),
            "bpftrace pair": self.with_pair,
            "slow log at 0": lambda: self.with_global("SET GLOBAL slow_query_log=1, GLOBAL long_query_time=0",
                                                      "SET GLOBAL slow_query_log=0, GLOBAL long_query_time=10"),
            "query_response_time": lambda: self.with_global("SET GLOBAL query_response_time_stats=1",
                                                            "SET GLOBAL query_response_time_stats=0"),
        }[name]()


def arms(server):
    names = ["nothing", "nothing again", "heatscope, latency", "heatscope, parts", "bpftrace pair", "slow log at 0"]
    if sql(server, "SHOW VARIABLES LIKE 'query_response_time_stats'"):
        names.append("query_response_time")
    return names


def main():
    options = arguments(__doc__, rounds=15, seconds=2.0, ps_mode="disable")
    with folder() as path, mariadb(os.path.join(path, "db"), "--extra", "--slow-query-log-file=" + os.path.join(path, "slow"),
                                   cpu=CPU) as server:
        bench = Bench(options, path, server)
        try:
            bench.prepare()
            progress("warming up")
            bench.qps()
            results = interleaved(arms(server), options.rounds, options.seed, bench.arm)
        finally:
            bench.heatscope.close()
    qps = {name: [r["qps"] for r in rounds] for name, rounds in results.items()}
    cpu = {name: [r["cpu_us"] for r in rounds] for name, rounds in results.items()}
    base = qps["nothing"] + qps["nothing again"]
    base_cpu = median(cpu["nothing"] + cpu["nothing again"])
    print("QPS over that with nothing (median, 95 %% interval), %d rounds of %g s, %.0f QPS, %.1f us of CPU per query" %
          (options.rounds, options.seconds, median(base), base_cpu))
    table(["", "QPS ratio", "server CPU us per query"],
          [[name, interval(ratio(qps[name], base)), "%+.2f" % (median(cpu[name]) - base_cpu)] for name in qps])
    # Paired within the rounds: what both arms of a round share falls out.
    lost = {name: [1 - q / median([a, b]) for q, a, b in zip(qps[name], qps["nothing"], qps["nothing again"])] for name in qps}
    for name in ["heatscope, latency", "heatscope, parts"]:
        r = ratio(lost[name], lost["bpftrace pair"])
        c = (median(cpu[name]) - base_cpu) / (median(cpu["bpftrace pair"]) - base_cpu)
        print("%s: QPS loss over that of the bpftrace pair %s; of CPU per query %.2f" % (name, interval(r, 2), c))
    save(options, "overhead", __doc__, results, versions={"mariadb": version("mariadbd", "--version"), "bpftrace":
         version("bpftrace", "--version"), "sysbench": version("sysbench", "--version")})


main()
