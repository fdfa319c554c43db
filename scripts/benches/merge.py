"""Adding histograms: 1,000 sources into one, dense (930 cells in memory) and sparse (bytes as they travel), against reading
memory.

The peer of `dense` is a loop that reads and adds as many bytes: the memory's bandwidth for one core.  The result of numpy's
add of the same arrays is printed, too.
"""
import subprocess
import sys

from measure import arguments, interleaved, interval, median, program, ratio, save, table, version

NUMPY = """
import sys, time
import numpy as np
cells = np.ones((int(sys.argv[1]), 932), dtype=np.uint64)
total = np.zeros(932, dtype=np.uint64)
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    for row in cells:
        total += row
    print("numpy", cells.nbytes, len(cells), time.perf_counter() - start)
"""


def main():
    options = arguments(__doc__, rounds=15, sources=1000)
    path = program(options.build, "test/bench/merge")

    def run(name):
        command = [path] if name == "heatscope" else [sys.executable, "-c", NUMPY]
        text = subprocess.run([*command, str(options.sources), "9"], check=True, capture_output=True, text=True).stdout
        rates = {}
        for line in text.splitlines():
            what, size, histograms, seconds = line.split()
            rates.setdefault(what, []).append((float(size) / float(seconds), float(histograms) / float(seconds)))
        return {what: [median([r[i] for r in rounds]) for i in (0, 1)] for what, rounds in rates.items()}

    results = interleaved(["heatscope", "numpy"], options.rounds, options.seed, run)
    rates = {what: [r[what] for r in results["heatscope"]] for what in ["memory", "dense", "sparse"]}
    rates["numpy"] = [r["numpy"] for r in results["numpy"]]
    memory = [r[0] for r in rates["memory"]]
    print("%d histograms into one, medians of %d rounds; ratio: bytes per second over reading memory" %
          (options.sources, options.rounds))
    table(["", "GB/s", "million histograms/s", "ratio"],
          [[what, "%.2f" % (median([r[0] for r in rs]) / 1e9), "%.2f" % (median([r[1] for r in rs]) / 1e6),
            interval(ratio([r[0] for r in rs], memory))] for what, rs in rates.items()])
    save(options, "merge", __doc__, results, versions={"numpy": version(sys.executable, "-c", "import numpy; print(numpy.__version__)")})


main()
