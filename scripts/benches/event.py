"""ns per event of system calls, context switches, disk requests and calls of a program's function: with nothing, with
Heatscope (for functions, with a D script of heatscope-dtrace), and with a bpftrace script that makes the same histogram.

loop      the loop's time per event, less the time with nothing: the cost of an event for its process, the programs
          and the kernel's way into them
programs  the time of the programs alone (the kernel's own count, kernel.bpf_stats_enabled, in rounds of their own).  For
          disk requests, which take far longer than any program, only this is measured.

Loop and programs share one CPU, in an order that is drawn again for each round.
"""
import json
import os
import subprocess
import time

from measure import Heatscope, arguments, folder, interleaved, interval, median, program, ratio, save, stop, table, tracefs, until, version

CPU = 0
KINDS = {
    "syscall": {
        "n": "300000", "metric": ("syscall", "syscalls", ["syscall", "latency"], ["latency"]),
        "script": "tracepoint:raw_syscalls:sys_enter { @s[tid] = nsecs; } "
                  "tracepoint:raw_syscalls:sys_exit /@s[tid]/ { @[args->id] = hist(nsecs - @s[tid]); delete(@s[tid]); }"},
    "switch": {
        "n": "50000", "metric": ("cpu", "offcpu", ["offcpu"], ["offcpu"]),
        "script": "tracepoint:sched:sched_switch { @s[args->prev_pid] = nsecs; if (@s[args->next_pid]) { "
                  "@ = hist(nsecs - @s[args->next_pid]); delete(@s[args->next_pid]); } }"},
    "disk": {
        "n": "2000", "metric": ("disk", "physio_ops", ["optype", "latency"], ["latency"]),
        "script": "tracepoint:block:block_rq_issue { @s[args->dev, args->sector] = nsecs; } "
                  "tracepoint:block:block_rq_complete /@s[args->dev, args->sector]/ { @ = hist(nsecs - @s[args->dev, args->sector]); "
                  "delete(@s[args->dev, args->sector]); }"},
    "function": {
        "n": "300000",
        "d": "BEGIN { printf(\"Attaching\"); } pid$target:a.out:called:entry { self->s = timestamp; } "
             "pid$target:a.out:called:return /self->s/ { @ = quantize(timestamp - self->s); self->s = 0; }",
        "script": "uprobe:%s:called { @s[tid] = nsecs; } uretprobe:%s:called /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }"},
}


def programs():
    """{id: (runs, ns)} of all programs in the kernel."""
    text = subprocess.run(["bpftool", "-j", "prog", "show"], check=True, capture_output=True, text=True).stdout
    return {p["id"]: (p.get("run_cnt", 0), p.get("run_time_ns", 0)) for p in json.loads(text)}


class Bench:
    def __init__(self, options, path, heatscope):
        self.options, self.path, self.heatscope = options, path, heatscope
        self.file = os.path.join(options.out, "event.data")
        os.makedirs(options.out, exist_ok=True)
        with open(self.file, "wb") as f:
            f.write(os.urandom(1 << 22))
            os.fsync(f.fileno())

    def begin(self, kind):
        """The loop's process.  Kind `function` waits until its standard input is closed."""
        words = [kind, self.file, KINDS[kind]["n"]] if kind == "disk" else [kind, KINDS[kind]["n"]]
        return subprocess.Popen(["taskset", "-c", str(CPU), program(self.options.build, "test/bench/event"), *words],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def loop(self, kind, process=None):
        process = process or self.begin(kind)
        text = process.communicate("")[0]
        if process.returncode:
            raise SystemExit("bench: the loop failed")
        return float(text)

    def counted(self, kind, process):
        """The loop's ns per event, and what the programs that are loaded now took per event of it."""
        before = programs()
        with open("/proc/sys/kernel/bpf_stats_enabled", "w") as f:
            f.write("1")
        self.loop(kind, process)
        with open("/proc/sys/kernel/bpf_stats_enabled", "w") as f:
            f.write("0")
        after = programs()
        runs = [(after[i][0] - before.get(i, (0, 0))[0], after[i][1] - before.get(i, (0, 0))[1]) for i in after]
        return sum(ns for n, ns in runs if n) / (int(KINDS[kind]["n"]) * (2 if kind == "switch" else 1))

    def traced(self, kind, tracer, count):
        """Returns what `count` gives of a loop whose events this tracer looks at."""
        process = self.begin(kind) if kind == "function" else None
        out = open(os.path.join(self.path, "tracer"), "w+")
        trace = subprocess.Popen(["taskset", "-c", "1", *tracer, *(["-p", str(process.pid)] if process else [])],
                                 stdout=out, stderr=subprocess.STDOUT)
        try:
            until(lambda: "Attaching" in open(out.name).read(), what="the start of " + tracer[0])
            time.sleep(0.5)
            return count(kind, process)
        finally:
            stop(trace)

    def arm(self, kind, who):
        if who == "nothing":
            return {"loop_ns": self.loop(kind), "program_ns": 0}
        if who == "heatscope" and "metric" in KINDS[kind]:
            uri = self.heatscope.create(*KINDS[kind]["metric"])
            try:
                time.sleep(0.3)
                return {"program_ns": self.counted(kind, None), "loop_ns": self.loop(kind)}
            finally:
                self.heatscope.delete(uri)
                time.sleep(0.2)
        path = program(self.options.build, "test/bench/event")
        tracer = ["heatscope-dtrace", "-q", "-n", KINDS[kind]["d"]] if who == "heatscope" else \
            ["bpftrace", "-e", KINDS[kind]["script"].replace("%s", path)]
        return {"program_ns": self.traced(kind, tracer, self.counted), "loop_ns": self.traced(kind, tracer, self.loop)}


def main():
    options = arguments(__doc__, rounds=9, kinds="syscall,switch,disk,function")
    program(options.build, "test/bench/event")  # before anything is measured
    whos = ["nothing", "heatscope", "bpftrace"]
    rows, results = [], {}
    with tracefs(), folder() as path, Heatscope(path, cpu=1, options=["--budget", "0"]) as heatscope:
        bench = Bench(options, path, heatscope)
        for kind in options.kinds.split(","):
            results[kind] = interleaved(whos, options.rounds, options.seed, lambda who: bench.arm(kind, who))
        os.unlink(bench.file)
    for kind, arms in results.items():
        loops = {who: [r["loop_ns"] for r in arms[who]] for who in whos}
        base = median(loops["nothing"])
        for who in whos:
            rows.append([kind, who, "%.0f" % median(loops[who]), "%+.0f" % (median(loops[who]) - base),
                         "%.0f" % median([r["program_ns"] for r in arms[who]])])
    print("ns per event, medians of %d rounds" % options.rounds)
    table(["", "", "loop", "more", "programs"], rows)
    for kind, arms in results.items():
        programs_ns = {who: [r["program_ns"] for r in arms[who]] for who in whos}
        base = median([r["loop_ns"] for r in arms["nothing"]])
        more = {who: [r["loop_ns"] - base for r in arms[who]] for who in whos}
        print("%s: heatscope over bpftrace: programs %s%s" % (kind, interval(ratio(programs_ns["heatscope"], programs_ns["bpftrace"]), 2),
              "" if kind == "disk" else ", loop %s" % interval(ratio(more["heatscope"], more["bpftrace"]), 2)))
    save(options, "event", __doc__, results, versions={"bpftrace": version("bpftrace", "--version")})


main()
