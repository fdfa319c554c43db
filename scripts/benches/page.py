"""The cost of the live page in the browser: a worksheet of 12 panels over an hour in slots of 1 s, of a recording that is played.

No database runs.  The recorded demo is repeated without a gap: an hour of it exists when the page is opened, and the rest
comes as it would, a second each second, to two instrumentations of six measures each.

Frame       the page's main thread from one picture on the screen to the next, all its tasks, for seconds of which Chromium
            wrote a trace (20 s in every minute); `wall` includes the time that other work of the machine took, `cpu` does not
Heap        memory that JavaScript keeps after a collection, including machine code, which grows as long as code runs for
            the first time: warm is the heap after some minutes
heatscoped  its time on CPUs, in CPUs
"""
import json
import os
import socket
import subprocess
import sys
import time

from measure import TOP, Heatscope, arguments, folder, memory_bytes, program, quantile, run_seconds, save, stop, table, until

MEASURES = ["latency", "cputime", "offcpu", "runqwait", "blocked", "unsplit"]
HISTORY_S = 3600
WARM_MINUTES = 5
BROWSER = os.path.join(TOP, "test", "browser")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def recording(path, name, first, seconds):
    file = os.path.join(path, name)
    subprocess.run(["make_day", os.path.join(TOP, "scripts", "demo.hsr"), file, str(first), str(seconds)], check=True)
    return file


def play(heatscope, file, *options):
    """A collector that hands a recording over."""
    return subprocess.Popen(["heatscope-collector", "--socket", os.path.join(heatscope.path, "ingest"), "--spool", "", "--source", "db1",
                             "--replay", file, *options], stderr=heatscope.log)


def prepare(heatscope, path, seconds):
    """Two instrumentations, an hour of them, and what goes on; their ids and the collector of that."""
    now = int(time.time())
    live = recording(path, "live.hsr", now, seconds)
    offering = play(heatscope, live, "--follow-clock")
    until(lambda: heatscope.http.get("/ca")["metrics"], what="the collector's hello")
    ids = [heatscope.create("mysql", "queries", fields, MEASURES, granularity=1).rsplit("/", 1)[1]
           for fields in (["command", "statement"], ["statement"])]
    stop(offering)
    now = int(time.time())
    play(heatscope, recording(path, "hour.hsr", now - HISTORY_S, HISTORY_S), "--once").wait(300)
    return ids, play(heatscope, live, "--follow-clock")


def watch(url, ids, minutes, pid):
    """Runs the browser; gives what it measured, and heatscoped's time and memory between its first and last word."""
    panels = ["map=%s:%s" % (i, measure) for i in ids for measure in MEASURES]
    browser = subprocess.Popen(["node", os.path.join(BROWSER, "frames.js"), "%s/#duration=3600&%s" % (url, "&".join(panels)),
                                str(minutes), str(len(panels))], stdout=subprocess.PIPE, text=True)
    marks = []
    for line in browser.stdout:
        said = json.loads(line)
        marks.append({"at": time.monotonic(), "cpu": run_seconds(pid), "bytes": memory_bytes(pid)})
        print("minute %2d: %s" % (said["minute"], ", ".join("%s %s" % (k, v) for k, v in said.items() if k not in ("minute", "frames"))),
              file=sys.stderr)
        yield said, marks
    if browser.wait():
        raise SystemExit("bench: the browser failed")


def main():
    options = arguments(__doc__, minutes=5)
    os.environ["PATH"] = os.path.dirname(program(options.build, "test/tools/make_day")) + ":" + os.environ["PATH"]
    subprocess.run([os.path.join(BROWSER, "install")], check=True)
    port = free_port()
    minutes, marks = [], []
    with folder() as path, Heatscope(path, collector=False, port=port, page=os.path.join(options.build, "ui/web/dist")) as heatscope:
        ids, heatscope.collector = prepare(heatscope, path, 60 * (options.minutes + 3))
        for said, marks in watch("http://127.0.0.1:%d" % port, ids, options.minutes, heatscope.daemon.pid):
            minutes.append(said)
    frames = [frame for minute in minutes for frame in minute["frames"]]
    elapsed = marks[-1]["at"] - marks[0]["at"]
    table(["main thread, ms per frame", "p50", "p95", "p99", "max"],
          [[kind] + ["%.1f" % quantile([f[kind] for f in frames], p) for p in (0.5, 0.95, 0.99, 1)] for kind in ("wall", "cpu")])
    print("%d frames, %.2f per second that was traced" % (len(frames), len(frames) / sum(m["traced_s"] for m in minutes)))
    heaps = [m["heap_mb"] for m in minutes]
    warm = heaps[min(WARM_MINUTES, len(heaps)) - 1]
    print("heap after the first minute %.2f MB, warm %.2f, at the end %.2f (%+.1f %%, of the warm one %+.1f %%)" % (
        heaps[0], warm, heaps[-1], *((heaps[-1] / before - 1) * 100 for before in (heaps[0], warm))))
    cpu = (marks[-1]["cpu"] - marks[0]["cpu"]) / elapsed * 100
    print("heatscoped: %.1f %% of one CPU; resident %.1f MB, at the end %.1f" % (cpu, marks[0]["bytes"] / 1e6, marks[-1]["bytes"] / 1e6))
    save(options, "page", __doc__, {"minutes": minutes, "heatscoped": marks})


main()
