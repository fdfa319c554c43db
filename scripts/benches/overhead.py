"""Queries per second of sysbench's point selects, and CPU per query, with nothing, with Heatscope and with its peers.

One load runs without end: one connection over a Unix socket, server and client on CPU 0, so that what is measured is work and
not waking up an idle CPU; everything else runs on the other CPUs.  Instruments come and go meanwhile, in an order drawn anew
each round.  A segment with one is compared with the segments without any right before and after it, on the line between the
two: what the machine's pace does more slowly than that falls out.  Attaching and detaching are in no segment.  "Nothing again"
is such a segment without an instrument: it says how well the method can tell.  The figure of an instrument is the mean of the middle
half of its segments' logarithms, the interval is by bootstrap over the rounds.  The loss is 1 - QPS ratio.

Heatscope looks at every event (--budget 0): with its budget of 1 % it would shed here, and cost less.
"""
import contextlib
import math
import mmap
import os
import random
import subprocess
import time

from measure import (TOP, Heatscope, arguments, drawn, favour, folder, interval, kernel_objects, mariadb, median, middle, progress,
                     run_seconds, save, sql, stop, table, until, version)

PARTS = ["latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu"]
PAIR = ("uprobe:{0}:{1} {{ @s[tid] = nsecs; }} "
        "uretprobe:{0}:{1} /@s[tid]/ {{ @ = hist(nsecs - @s[tid]); delete(@s[tid]); }}")
DISPATCH = "_Z16dispatch_command19enum_server_commandP3THDPcjb"		# by name: looking it up by a pattern would take bpftrace longer
CPU = 0
BIN_S = 0.01
SETTLED_S = 0.25			# after attaching and after detaching


def others():
    n = os.cpu_count()
    return "1-%d" % (n - 1) if n > 1 else "0"


class Load:
    """sysbench without end, and what it has done when."""

    def __init__(self, options, path, server):
        self.server, self.path = server, path
        self.command = ["taskset", "-c", str(CPU), "sysbench", "--db-driver=mysql", "--mysql-socket=" + server["MARIADB_SOCKET"],
                        "--mysql-user=root", "--mysql-db=bench", "--tables=1", "--table-size=10000", "--threads=1",
                        "--db-ps-mode=" + options.ps_mode]
        self.bins = int((options.minutes * 60 + 600) / BIN_S)

    def __enter__(self):
        sql(self.server, "CREATE DATABASE bench")
        subprocess.run([*self.command, "oltp_point_select", "prepare"], check=True, capture_output=True)
        self.from_s = int(time.monotonic())
        with open(os.path.join(self.path, "counts"), "w+b") as f:
            f.truncate(4 * self.bins)
            self.counts = memoryview(mmap.mmap(f.fileno(), 4 * self.bins)).cast("I")
        self.client = subprocess.Popen(
            [*self.command, os.path.join(TOP, "scripts", "benches", "counted.lua"), "--time=0", "--counts=" + f.name,
             "--from=%d" % self.from_s, "--bins=%d" % self.bins, "run"], stdout=subprocess.DEVNULL, start_new_session=True)
        self.pids = [int(self.server["MARIADB_PID"]), self.client.pid]
        for pid in self.pids:
            favour(pid)
        until(lambda: any(self.counts[:300]), what="the load's start")
        return self

    def __exit__(self, *_):
        stop(self.client)

    def second(self, first, last):
        """The first whole second of wall time among the bins, and its queries; of clocks that agree to a bin."""
        wall = time.time() - time.monotonic() + self.from_s
        second = math.ceil(wall + first * BIN_S)
        at = round((second - wall) / BIN_S)
        return second, sum(self.counts[at:at + 100]) if at + 100 <= last else 0

    def segment(self, seconds):
        """Of whole bins only."""
        first = int((time.monotonic() - self.from_s) / BIN_S) + 1
        last = first + round(seconds / BIN_S)
        time.sleep(max(0, self.from_s + first * BIN_S - time.monotonic()))
        cpu = [run_seconds(pid) for pid in self.pids]
        time.sleep(max(0, self.from_s + last * BIN_S - time.monotonic()))
        cpu = [run_seconds(pid) - before for pid, before in zip(self.pids, cpu)]
        if self.client.poll() is not None:
            raise SystemExit("bench: the load ended")
        queries = sum(self.counts[first:last])
        if not queries:
            return None
        second, second_queries = self.second(first, last)
        return {"at_s": (first + last) / 2 * BIN_S, "second": second, "second_queries": second_queries, "queries": queries,
                "qps": queries / (last - first) / BIN_S, "server_us": cpu[0] / queries * 1e6, "client_us": cpu[1] / queries * 1e6}


class Instruments:
    """Each is a context: inside it is attached, outside nothing of it is left in the kernel."""

    def __init__(self, options, path, server):
        self.path, self.server = path, server
        self.heatscope = Heatscope(path, cpu=others(), options=["--budget", "%g" % options.budget])
        self.binary = os.readlink("/proc/%s/exe" % server["MARIADB_PID"])
        self.uris, self.chance, self.told = {}, random.Random(options.seed), []
        # How many segments a round has: most of what the claim hangs on.
        self.arms = {
            "nothing again": (1, self.none),
            "heatscope, parts": (2, lambda: self.enabled("heatscope, parts")),
            "bpftrace pair": (1, self.pair),
            "heatscope, latency": (0.5, lambda: self.enabled("heatscope, latency")),
            "slow log at 0": (0.25, lambda: self.globals("SET GLOBAL slow_query_log=1, GLOBAL long_query_time=0",
                                                         "SET GLOBAL slow_query_log=0, GLOBAL long_query_time=10")),
        }
        if sql(server, "SHOW VARIABLES LIKE 'query_response_time_stats'"):
            self.arms["query_response_time"] = (0.25, lambda: self.globals("SET GLOBAL query_response_time_stats=1",
                                                                           "SET GLOBAL query_response_time_stats=0"))
        for name, measures in ("heatscope, parts", PARTS), ("heatscope, latency", ["latency"]):
            self.uris[name] = self.heatscope.create("mysql", "queries", ["command", "statement", "latency"], measures)
            self.heatscope.enable(self.uris[name], False)

    def round(self, i):
        names = [name for name, (weight, _) in self.arms.items() for _ in range(int((i + 1) * weight) - int(i * weight))]
        self.chance.shuffle(names)
        return names

    @contextlib.contextmanager
    def none(self):
        time.sleep(self.chance.uniform(0.3, 1.5))		# as long as the others take to attach
        yield

    @contextlib.contextmanager
    def enabled(self, name):
        self.heatscope.enable(self.uris[name], True)
        try:
            yield
            self.told += [s["reason"] for s in self.heatscope.http.get(self.uris[name])["sources"] if s["reason"]]
        finally:
            self.heatscope.enable(self.uris[name], False)

    @contextlib.contextmanager
    def pair(self):
        with open(os.path.join(self.path, "bpftrace"), "w+") as out:
            trace = subprocess.Popen(["taskset", "-c", others(), "bpftrace", "-e", PAIR.format(self.binary, DISPATCH)], stdout=out,
                                     stderr=subprocess.STDOUT)
            try:
                until(lambda: kernel_objects(trace.pid, "perf_event") >= os.cpu_count() + 2, what="bpftrace's attaching")
                yield
            finally:
                stop(trace)
            out.seek(0)
            if "@:" not in out.read():
                raise SystemExit("bench: bpftrace saw nothing: " + open(out.name).read())

    @contextlib.contextmanager
    def globals(self, on, off):
        sql(self.server, on)
        try:
            yield
        finally:
            sql(self.server, off)


def measured(load, instruments, options):
    """[{"name", "round", "on": segment, "before", "after": the neighbours without}], in their order."""
    blocks, end, i = [], time.monotonic() + options.minutes * 60, 0
    before = load.segment(options.seconds)
    while time.monotonic() < end:
        for name in instruments.round(i):
            progress("round %d, %.0f s left: %s" % (i + 1, max(0, end - time.monotonic()), name))
            with instruments.arms[name][1]():
                time.sleep(SETTLED_S)
                on = load.segment(options.seconds)
            time.sleep(SETTLED_S)
            after = load.segment(options.seconds)
            if before and on and after:		# else the machine stood still for a whole segment
                blocks.append({"name": name, "round": i, "before": before, "on": on, "after": after})
            before = after
        i += 1
    progress("")
    return blocks


def over_line(block, value):
    """Of the segment, over the line between its neighbours, which have no instrument."""
    before, on, after = (block[k] for k in ("before", "on", "after"))
    part = (on["at_s"] - before["at_s"]) / (after["at_s"] - before["at_s"])
    return value(on) - (1 - part) * value(before) - part * value(after)


class Figures:
    """What the blocks say; every draw of the rounds has figures of all arms."""

    def __init__(self, blocks):
        self.names = list(dict.fromkeys(b["name"] for b in blocks))
        rounds = {}
        for b in blocks:
            rounds.setdefault(b["round"], []).append({
                "name": b["name"], "qps": over_line(b, lambda s: math.log(s["qps"])), "server": over_line(b, lambda s: s["server_us"]),
                "cpu": over_line(b, lambda s: s["server_us"] + s["client_us"])})
        self.rounds = list(rounds.values())
        self.n = {name: sum(b["name"] == name for b in blocks) for name in self.names}

    def interval(self, figure):
        """figure(middle of an arm and a kind) of what was measured, and its 95 % interval."""
        def of(rounds):
            return figure(lambda name, kind: middle([s[kind] for r in rounds for s in r if s["name"] == name]))
        return drawn(self.rounds, of)

    def qps(self, name):
        return self.interval(lambda mid: math.exp(mid(name, "qps")))

    def us(self, name, kind):
        return self.interval(lambda mid: mid(name, kind))

    def loss_over(self, name, peer):
        return self.interval(lambda mid: (1 - math.exp(mid(name, "qps"))) / (1 - math.exp(mid(peer, "qps"))))

    def cpu_over(self, name, peer):
        return self.interval(lambda mid: mid(name, "cpu") / mid(peer, "cpu"))


def counted(instruments, blocks, name):
    """What Heatscope counted of the queries of whole seconds in its segments."""
    queries = seen = 0
    for b in blocks:
        if b["name"] == name and b["on"]["second_queries"]:
            reply = instruments.heatscope.http.get(instruments.uris[name] + "/value/raw", start_time=b["on"]["second"], duration=1)
            queries += b["on"]["second_queries"]
            seen += sum(n for cells in reply["value"].values() for _, n in cells)
    return seen / queries if queries else float("nan")


def report(options, blocks, instruments):
    figures = Figures(blocks)
    off = [b["before"] for b in blocks]
    print("QPS over that with nothing (mean of the middle half, 95 %% interval): %d rounds, segments of %g s, %.0f QPS; of CPU per query "
          "%.1f us the server's and %.1f the client's" % (len(figures.rounds), options.seconds, median([s["qps"] for s in off]),
                                                          median([s["server_us"] for s in off]), median([s["client_us"] for s in off])))
    table(["", "segments", "QPS ratio", "server's CPU us per query", "with the client's"],
          [[name, figures.n[name], interval(figures.qps(name)), interval(figures.us(name, "server"), 2),
            interval(figures.us(name, "cpu"), 2)] for name in instruments.arms if name in figures.names])
    for name in "heatscope, latency", "heatscope, parts":
        if name in figures.names and "bpftrace pair" in figures.names:
            loss = figures.loss_over(name, "bpftrace pair")
            print("%s: QPS loss over that of the bpftrace pair %s%s; CPU per query over its %s; it counted %.4f of the queries" % (
                name, interval(loss, 2), " (at most 0.4: shown)" if loss[2] <= 0.4 else "",
                interval(figures.cpu_over(name, "bpftrace pair"), 2), counted(instruments, blocks, name)))
    for reason in dict.fromkeys(instruments.told):
        print("heatscope, in %d segments: %s" % (instruments.told.count(reason), reason))


def main():
    options = arguments(__doc__, minutes=11.0, seconds=1.5, ps_mode="disable", budget=0.0)
    with folder() as path, mariadb(os.path.join(path, "db"), "--extra", "--slow-query-log-file=" + os.path.join(path, "slow"),
                                   cpu=CPU) as server:
        instruments = Instruments(options, path, server)
        try:
            with Load(options, path, server) as load:
                progress("warming up")
                load.segment(5)
                blocks = measured(load, instruments, options)
            report(options, blocks, instruments)
        finally:
            instruments.heatscope.close()
    save(options, "overhead", __doc__, blocks, settings=vars(options), heatscope=instruments.told,
         versions={"mariadb": version("mariadbd", "--version"), "bpftrace": version("bpftrace", "--version"),
                   "sysbench": version("sysbench", "--version")})


if __name__ == "__main__":
    main()
