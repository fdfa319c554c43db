"""The same matrix (an hour of 1 s slots x 200 rows) in the same pixels, as a PNG: Heatscope, matplotlib's imshow and
gnuplot's image.

Warm: in process, matplotlib with its own PNG writer and its fastest one; gnuplot draws pictures in one process, less the time
of a process that draws none.  All three draw cells alone; the time of Heatscope's figure with axes, legend and footer is
printed, too.
"""
import array
import os
import random
import subprocess
import sys
import time

from measure import arguments, folder, interleaved, interval, median, program, ratio, save, table, version

COLS, ROWS, WIDTH, HEIGHT = 3600, 200, 1200, 400

MATPLOTLIB = """
import io, sys, time
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
cells = np.fromfile(sys.argv[1], dtype=np.uint64)
cols, rows = int(cells[0]), int(cells[1])
cells = cells[2 + rows + 1:].reshape(rows, cols).astype(float)
width, height, n = map(int, sys.argv[2:5])
for i in range(n + 1):
    start = time.perf_counter()
    figure = plt.figure(figsize=(width / 100, height / 100), dpi=100)
    axes = figure.add_axes([0, 0, 1, 1])
    axes.axis("off")
    axes.imshow(np.ma.masked_equal(cells, 0), origin="lower", aspect="auto", interpolation="nearest", norm=LogNorm())
    out = io.BytesIO()
    figure.savefig(out, format="png", pil_kwargs={"compress_level": 1})
    plt.close(figure)
    if i:
        print((time.perf_counter() - start) * 1e3)
open(sys.argv[5], "wb").write(out.getvalue())
"""

GNUPLOT = """
set terminal png size %d,%d
unset border; unset tics; unset key; unset colorbox
set margins 0,0,0,0
set logscale cb
plot '%s' binary array=(%d,%d) format='%%float' with image
"""


def matrix(path):
    """Two modes that wander, and a tail: some 60 of the rows are used in a column, as with a database."""
    chance = random.Random(7)
    edges = array.array("Q", [int(1000 * 2 ** (i / 8)) for i in range(ROWS + 1)])
    cells = array.array("Q", bytes(8 * COLS * ROWS))
    for col in range(COLS):
        middle = 40 + 8 * chance.random()
        for _ in range(400):
            row = int(chance.gauss(middle, 6) if chance.random() < 0.9 else chance.gauss(120, 15))
            if 0 <= row < ROWS:
                cells[row * COLS + col] += 1 + int(chance.expovariate(0.2))
    with open(path, "wb") as f:
        array.array("Q", [COLS, ROWS]).tofile(f)
        edges.tofile(f)
        cells.tofile(f)
    with open(path + ".float", "wb") as f:
        array.array("f", [c or float("nan") for c in cells]).tofile(f)


def gnuplot(path, n, out):
    script = "".join("set output '%s'\n" % out + GNUPLOT % (WIDTH, HEIGHT, path + ".float", COLS, ROWS) for _ in range(n))
    start = time.perf_counter()
    subprocess.run(["gnuplot"], input=script, text=True, check=True, capture_output=True)
    return (time.perf_counter() - start) * 1e3


def main():
    options = arguments(__doc__, rounds=9, pictures=10)
    program(options.build, "test/bench/render")  # before anything is measured
    with folder() as path:
        data = os.path.join(path, "matrix")
        matrix(data)

        def run(name):
            if name == "heatscope":
                text = subprocess.run([program(options.build, "test/bench/render"), data, str(WIDTH), str(HEIGHT),
                                       str(options.pictures), os.path.join(path, "heatscope")], check=True,
                                      capture_output=True, text=True).stdout
                lines = [line.split() for line in text.splitlines()]
                return {kind: median([float(ms) for k, ms in lines if k == kind]) for kind in ["bare", "figure"]}
            if name == "matplotlib":
                text = subprocess.run([sys.executable, "-c", MATPLOTLIB, data, str(WIDTH), str(HEIGHT), "4",
                                       os.path.join(path, "matplotlib.png")], check=True, capture_output=True, text=True).stdout
                return median([float(line) for line in text.split()])
            idle = gnuplot(data, 0, "/dev/null")
            return (gnuplot(data, 3, os.path.join(path, "gnuplot.png")) - idle) / 3

        results = interleaved(["heatscope", "matplotlib", "gnuplot"], options.rounds, options.seed, run)
        sizes = {name: os.path.getsize(os.path.join(path, name + ".png"))
                 for name in ["heatscope-bare", "heatscope-figure", "matplotlib", "gnuplot"]}
        os.makedirs(options.out, exist_ok=True)
        for name in sizes:
            os.replace(os.path.join(path, name + ".png"), os.path.join(options.out, "render-%s.png" % name))
    bare = [r["bare"] for r in results["heatscope"]]
    figure = [r["figure"] for r in results["heatscope"]]
    peers = {"matplotlib": results["matplotlib"], "gnuplot": results["gnuplot"]}
    print("%d x %d cells on %d x %d pixels, ms per picture (median of %d rounds); ratio: peer over bare" %
          (COLS, ROWS, WIDTH, HEIGHT, options.rounds))
    rows = [["heatscope, bare", "%.2f" % median(bare), "1", sizes["heatscope-bare"]],
            ["heatscope, figure", "%.2f" % median(figure), interval(ratio(figure, bare), 2), sizes["heatscope-figure"]]]
    rows += [[name, "%.2f" % median(ms), interval(ratio(ms, bare), 1), sizes[name]] for name, ms in peers.items()]
    table(["", "ms", "ratio", "bytes"], rows)
    save(options, "render", __doc__, results, sizes=sizes, versions={
         "matplotlib": version(sys.executable, "-c", "import matplotlib; print(matplotlib.__version__)"),
         "gnuplot": version("gnuplot", "--version")})


main()
