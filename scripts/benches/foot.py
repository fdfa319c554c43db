"""Memory and CPU of collector and aggregator, idle and under sysbench's point selects; attaching and detaching.

The collector runs mysql.queries by command and statement with its parts.  CPU is that of the two programs; `overhead`
measures the cost of events in the kernel.  Attaching is the time from the request to the state `active`; the first slot
begins at the next whole second.

Memory is resident memory:
  rings   maps that the collector shares with the programs in the kernel, which count in them; they exist once, however many
          processes have mapped them
  own     everything else, including program and libraries: the most of one look per second
  peak    the kernel's figure since the start, for both together: loading programs needs memory for a moment
"""
import os
import subprocess
import time

from measure import Heatscope, arguments, folder, mariadb, median, memory_bytes, progress, run_seconds, save, sql, table, until

PARTS = ["latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu"]


def rings_bytes(pid):
    """Resident in mappings of BPF maps."""
    total, ring = 0, False
    with open("/proc/%d/smaps" % pid) as f:
        for line in f:
            name, _, rest = line.partition(" ")
            if not name.endswith(":"):
                ring = "anon_inode:bpf-map" in rest
            elif name == "Rss:" and ring:
                total += int(rest.split()[0]) * 1024
    return total


def memory(pid):
    rings = rings_bytes(pid)
    return {"own_mb": (memory_bytes(pid) - rings) / 1e6, "rings_mb": rings / 1e6}


def usage(pids, seconds):
    before = {name: run_seconds(pid) for name, pid in pids.items()}
    seen = {name: [] for name in pids}
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        time.sleep(min(1, seconds))
        for name, pid in pids.items():
            seen[name].append(memory(pid))
    elapsed = time.monotonic() - start
    return {name: {"cpu_percent": (run_seconds(pid) - before[name]) / elapsed * 100,
                   **{part: max(m[part] for m in seen[name]) for part in ("own_mb", "rings_mb")},
                   "peak_mb": memory_bytes(pid, "VmHWM") / 1e6, "open_files": len(os.listdir("/proc/%d/fd" % pid))}
            for name, pid in pids.items()}


def attaching(heatscope, rounds):
    attach, detach = [], []
    for _ in range(rounds):
        start = time.monotonic()
        uri = heatscope.create("mysql", "queries", ["statement", "latency"], ["latency"])
        attach.append(time.monotonic() - start)
        time.sleep(0.3)
        start = time.monotonic()
        heatscope.http.request("DELETE", uri)
        until(lambda: not loaded(heatscope.collector.pid), what="detaching")
        detach.append(time.monotonic() - start)
    return {"attach_s": attach, "detach_s": detach}


def loaded(pid):
    """Does the process hold BPF programs?"""
    for fd in os.listdir("/proc/%d/fdinfo" % pid):
        try:
            with open("/proc/%d/fdinfo/%s" % (pid, fd)) as f:
                if "prog_type" in f.read():
                    return True
        except OSError:
            pass
    return False


def main():
    options = arguments(__doc__, seconds=30.0, rounds=9)
    results = {}
    with folder() as path, mariadb(os.path.join(path, "db")) as server, Heatscope(path) as heatscope:
        pids = {"collector": heatscope.collector.pid, "aggregator": heatscope.daemon.pid}
        results["attaching"] = attaching(heatscope, options.rounds)
        results["nothing enabled"] = usage(pids, options.seconds)
        heatscope.create("mysql", "queries", ["command", "statement", "latency"], PARTS)
        progress("idle")
        results["enabled, idle"] = usage(pids, options.seconds)
        sql(server, "CREATE DATABASE bench")
        load = ["sysbench", "oltp_point_select", "--db-driver=mysql", "--mysql-socket=" + server["MARIADB_SOCKET"],
                "--mysql-user=root", "--mysql-db=bench", "--tables=1", "--table-size=10000", "--threads=2", "--rate=10000"]
        subprocess.run([*load, "prepare"], check=True, capture_output=True)
        progress("under load")
        running = subprocess.Popen([*load, "--time=%g" % (options.seconds + 4), "run"], stdout=subprocess.PIPE, text=True)
        time.sleep(2)
        results["10,000 queries/s"] = usage(pids, options.seconds)
        running.communicate()
        progress("")
    table(["", "", "CPU %", "own MB", "rings MB", "peak MB", "open files"],
          [[state, name, "%.2f" % u["cpu_percent"], "%.1f" % u["own_mb"], "%.1f" % u["rings_mb"], "%.1f" % u["peak_mb"], u["open_files"]]
           for state, programs in results.items() if state != "attaching" for name, u in programs.items()])
    print("attaching %.0f ms, detaching %.0f ms (medians of %d)" % (median(results["attaching"]["attach_s"]) * 1e3,
          median(results["attaching"]["detach_s"]) * 1e3, options.rounds))
    save(options, "foot", __doc__, results)


main()
