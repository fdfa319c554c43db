"""Bytes per slot and key of a day of 1 s slots, and the time to read that day into 1,200 columns; against Prometheus.

test/tools/make_year makes the day through the store that heatscoped uses; --days 365 --measures 2 --rate 25 is a year in three
tiers.

Reading is HTTP from a running heatscoped whose file is in the page cache, with a new connection each, from the request to
the reply's last byte (without the client's own work), together with heatscoped's CPU time: the whole day again and again, and
ranges and zooms drawn at random (anywhere in it, their lengths even in the logarithm from a minute on), each requested twice.

Prometheus (Debian's package, unpacked into a folder, not installed) gets by promtool an hour of the same kind of histograms as
classic ones, with `le` at the bucket edges that are used.  Its bytes are those of its blocks, and its query is
`sum by (le) (increase(...))` over that hour.  A day of it would be hundreds of millions of samples.
"""
import glob
import math
import os
import random
import subprocess
import time
import urllib.parse
import urllib.request

from measure import (Unix, arguments, folder, median, memory_bytes, program, progress, quantile, run_seconds, save, stop, table, until,
                     version)

BUCKETS = [int(1000 * 2 ** (i / 8)) for i in range(200)]


def prometheus(path):
    """The package's programs; None where the archive cannot be reached."""
    if subprocess.run(["apt-get", "download", "prometheus"], cwd=path, capture_output=True).returncode:
        return None
    package = glob.glob(os.path.join(path, "prometheus_*.deb"))[0]
    subprocess.run(["dpkg-deb", "-x", package, os.path.join(path, "prometheus")], check=True)
    return os.path.join(path, "prometheus", "usr", "bin")


def openmetrics(path, seconds, keys, start):
    """An hour of histograms: two modes that wander."""
    chance, n_used = random.Random(7), set()
    counts = {key: [0] * len(BUCKETS) for key in range(keys)}
    series = {key: [] for key in range(keys)}
    for second in range(seconds):
        for key in range(keys):
            middle = 40 + 8 * math.sin(second / 300 + key)
            for _ in range(100):
                row = int(chance.gauss(middle, 6) if chance.random() < 0.9 else chance.gauss(120, 15))
                if 0 <= row < len(BUCKETS):
                    counts[key][row] += 1
                    n_used.add(row)
            series[key].append(list(counts[key]))
    used = sorted(n_used)
    with open(path, "w") as f:
        f.write("# TYPE latency histogram\n")
        for key in range(keys):
            for row in used:
                for second in range(seconds):
                    f.write('latency_bucket{key="%d",le="%d"} %d %d\n' % (key, BUCKETS[row], sum(series[key][second][:row + 1]), start + second))
            for second in range(seconds):
                f.write('latency_bucket{key="%d",le="+Inf"} %d %d\n' % (key, sum(series[key][second]), start + second))
        f.write("# EOF\n")
    return len(used)


def size_of(path):
    return sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(path) for name in names)


def measure_prometheus(path, keys):
    programs = prometheus(path)
    if not programs:
        return None
    seconds, start = 3600, int(time.time()) // 7200 * 7200 - 14400
    used = openmetrics(os.path.join(path, "hour.txt"), seconds, keys, start)
    data = os.path.join(path, "prometheus-data")
    subprocess.run([os.path.join(programs, "promtool"), "tsdb", "create-blocks-from", "openmetrics", os.path.join(path, "hour.txt"), data],
                   check=True, capture_output=True)
    result = {"bytes_per_slot_and_key": size_of(data) / seconds / keys, "buckets_used": used, "seconds": seconds}
    config = os.path.join(path, "prometheus.yml")
    with open(config, "w") as f:
        f.write("global: {}\n")
    server = subprocess.Popen([os.path.join(programs, "prometheus"), "--config.file=" + config, "--storage.tsdb.path=" + data,
                               "--storage.tsdb.retention.time=100y", "--web.listen-address=127.0.0.1:29090", "--log.level=error"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    query = ("http://127.0.0.1:29090/api/v1/query_range?query=sum%%20by%%20(le)%%20(increase(latency_bucket%%5B3s%%5D))&start=%d&end=%d&step=3s"
             % (start, start + seconds))
    try:
        def ready():
            try:
                return opener.open("http://127.0.0.1:29090/-/ready", timeout=1).status == 200
            except OSError:
                return False
        until(ready, what="Prometheus' start")
        times = []
        for _ in range(7):
            begin = time.perf_counter()
            opener.open(query, timeout=120).read()
            times.append((time.perf_counter() - begin) * 1e3)
        result["query_ms"] = median(times[1:])
    finally:
        stop(server)
    return result


VALUES = {"grid": ("/value/grid", {"ncols": 1200}), "image": ("/value/heatmap/image", {"width": 1200, "height": 400}),
          "raw": ("/value/raw", {})}


def timed(daemon, http, target, start, end, parameters):
    """(ms, ms of heatscoped's CPU) of a request; it is done with it a moment after its last byte."""
    target += "?" + urllib.parse.urlencode(dict(parameters, start_time=start, end_time=end))
    used, begin = run_seconds(daemon.pid), time.perf_counter()
    http.request("GET", target)
    ms = (time.perf_counter() - begin) * 1e3
    time.sleep(0.003)
    return ms, (run_seconds(daemon.pid) - used) * 1e3


def intervals(options, end):
    """The whole, so many times; then some at random, each twice."""
    chance, total = random.Random(options.seed), options.days * 86400
    for _ in range(options.reads + 1):
        yield "whole", end - total, end
    for _ in range(options.ranges):
        span = int(60 * (total / 60) ** chance.random())
        start = end - total + chance.randrange(total - span + 1)
        yield "random", start, start + span
        yield "again", start, start + span


def read_all(options, daemon, http):
    uri, end = http.get("/ca/instrumentations")[0]["uri"], int(time.time()) // 60 * 60 + 60
    until(lambda: time.time() > end + 2, 70, "the end of this minute")
    grid = http.get(uri + "/value/grid", start_time=end - options.days * 86400, end_time=end, ncols=1200)
    reads = []
    for what, (path, parameters) in VALUES.items():
        progress("reading: " + what)
        for i, (how, start, stop_at) in enumerate(intervals(options, end)):
            ms, cpu_ms = timed(daemon, http, uri + path, start, stop_at, parameters)
            reads.append({"what": what, "how": how if i else "first", "seconds": stop_at - start, "ms": ms, "cpu_ms": cpu_ms})
    progress("")
    return {"columns": len(grid["columns"]), "events": grid["summary"]["count"], "reads": reads, "memory_mb": memory_bytes(daemon.pid) / 1e6,
            "peak_mb": memory_bytes(daemon.pid, "VmHWM") / 1e6}


def measure_heatscope(options, path):
    database = os.path.join(path, "made.db")
    command = [program(options.build, "test/tools/make_year"), database, *map(str, (options.days, options.keys, options.measures, options.rate))]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    made = dict(zip(made[1::2], map(int, made[2::2])))
    http = Unix(os.path.join(path, "http"))
    daemon = subprocess.Popen(["heatscoped", "--no-config", "--listen", "unix:" + http.path, "--socket", os.path.join(path, "ingest"), "--database", database,
                               "--keep"], stderr=open(os.path.join(path, "log"), "w"))
    try:
        until(lambda: os.path.exists(http.path), what="the start of heatscoped")
        return {"bytes": os.path.getsize(database), "slices": made["slices"], "made_events": made["events"], **read_all(options, daemon, http)}
    finally:
        stop(daemon)


def rows_of(ours):
    for what in VALUES:
        for how in ("whole", "random", "again"):
            reads = [r for r in ours["reads"] if (r["what"], r["how"]) == (what, how)]
            ms, cpu = [r["ms"] for r in reads], [r["cpu_ms"] for r in reads]
            if reads:
                yield [what + ", " + how] + ["%.1f" % x for x in (median(ms), quantile(ms, 0.99), median(cpu), quantile(cpu, 0.99))]


def main():
    options = arguments(__doc__, reads=50, ranges=100, days=1, keys=10, measures=1, rate=100, prometheus_keys=2)
    with folder() as path:
        ours = measure_heatscope(options, path)
        theirs = measure_prometheus(path, options.prometheus_keys) if options.days == 1 and options.prometheus_keys else None
    print("%d days: %.1f MB, %.0f bytes per slice added; %d columns, %s; %.0f MB resident (%.0f at most)" % (
        options.days, ours["bytes"] / 1e6, ours["bytes"] / ours["slices"], ours["columns"],
        "all events" if ours["events"] == ours["made_events"] else "%d of %d events" % (ours["events"], ours["made_events"]),
        ours["memory_mb"], ours["peak_mb"]))
    table(["", "ms", "p99", "CPU ms", "p99"], list(rows_of(ours)))
    if theirs:
        print("prometheus, an hour: %.0f bytes per slot and key, %.1f ms; heatscope over prometheus: %.2f of the bytes" % (
            theirs["bytes_per_slot_and_key"], theirs["query_ms"], ours["bytes"] / ours["slices"] / theirs["bytes_per_slot_and_key"]))
    save(options, "store", __doc__, {"heatscope": ours, "prometheus": theirs}, versions={"prometheus": version("apt-cache", "policy", "prometheus")})


main()
