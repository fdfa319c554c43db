"""Bytes per slot and key of a day of 1 s slots, and how long that day takes to be read into 1,200 columns; against Prometheus.

The day is made by test/make_year through the store that heatscoped uses.  Reading is HTTP value/grid of a running heatscoped, warm,
of ranges and zooms drawn at random.  Prometheus (Debian's package, unpacked into a folder, not installed) gets an hour of the same
kind of histograms as classic ones, with `le` at the bucket edges that are used, by promtool; its bytes are those of its blocks, its
query is `sum by (le) (increase(...))` over that hour.  A day of it would be hundreds of millions of samples.
"""
import glob
import json
import math
import os
import random
import subprocess
import sys
import time
import urllib.request

from measure import Unix, arguments, folder, median, progress, quantile, save, stop, table, until, version

KEYS = 10
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
            json.load(opener.open(query, timeout=120))
            times.append((time.perf_counter() - begin) * 1e3)
        result["query_ms"] = median(times[1:])
    finally:
        stop(server)
    return result


def measure_heatscope(options, path):
    database = os.path.join(path, "day.db")
    made = subprocess.run([os.path.join(options.build, "test", "make_year"), database, "1", str(KEYS), "1", "100"], check=True,
                          capture_output=True, text=True).stdout.split()
    made = dict(zip(made[1::2], map(int, made[2::2])))
    http = Unix(os.path.join(path, "http"))
    daemon = subprocess.Popen(["heatscoped", "--listen", "unix:" + http.path, "--socket", os.path.join(path, "ingest"), "--database", database,
                               "--keep"], stderr=open(os.path.join(path, "log"), "w"))
    try:
        until(lambda: os.path.exists(http.path), what="the start of heatscoped")
        uri = http.get("/ca/instrumentations")[0]["uri"]
        end = int(time.time()) // 60 * 60
        whole = dict(start_time=end - 86400, end_time=end, ncols=1200)
        times = []
        for i in range(options.reads):
            progress("read %d of %d" % (i + 1, options.reads))
            begin = time.perf_counter()
            grid = http.get(uri + "/value/grid", **whole)
            times.append((time.perf_counter() - begin) * 1e3)
        progress("")
        return {"bytes": os.path.getsize(database), "slices": made["slices"], "columns": len(grid["columns"]), "events": grid["summary"]["count"],
                "reads_ms": times[1:]}
    finally:
        stop(daemon)


def main():
    options = arguments(__doc__, reads=51, keys=2)
    subprocess.run(["make", "-s", "-C", options.build, "test/make_year"], check=True, stdout=sys.stderr)
    with folder() as path:
        ours = measure_heatscope(options, path)
        theirs = measure_prometheus(path, options.keys)
    rows = [["heatscope, a day", "%.0f" % (ours["bytes"] / ours["slices"]), "%.1f" % median(ours["reads_ms"]),
             "%.1f" % quantile(ours["reads_ms"], 0.99)]]
    if theirs:
        rows.append(["prometheus, an hour", "%.0f" % theirs["bytes_per_slot_and_key"], "%.1f" % theirs["query_ms"], ""])
    table(["", "bytes per slot and key", "read, ms", "p99"], rows)
    if theirs:
        print("heatscope over prometheus: %.2f of the bytes" % (ours["bytes"] / ours["slices"] / theirs["bytes_per_slot_and_key"]))
    save(options, "store", __doc__, {"heatscope": ours, "prometheus": theirs}, versions={"prometheus": version("apt-cache", "policy", "prometheus")})


main()
