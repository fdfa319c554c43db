"""The cost of a storm of system calls while syscall.syscalls is kept within its budget, and the accuracy of its counts.

Cost: a thread on each CPU calls getppid() as fast as it can and reports the time of its calls.  In turns, the
instrumentation exists or not.  The additional time of the calls is the cost of the programs (including the kernel's way
into them, which the kernel's own count of their time leaves out); the collector's own CPU time is added.  The result is
in per cent of the machine's CPUs, with a 95 % interval by bootstrap over the turns.  It is compared with:
  turns             the turns without the instrumentation before and after, over the whole turn
  near              the tenths of a second before and after those in which programs were attached; changes in the
                    machine's speed cancel better there
  near, after 5 s   the same without the begin of a turn, in which everything is looked at, as in a new storm

Counts: the calls of the storm in each second, against the column of that second; and the estimate of all calls of a
paced storm, which is sampled but not detached.

Kinds: statements of each kind of kinds.py, whose client knows how many it has sent.  First without a budget: each
statement must be counted under its digest or be reported as lost; otherwise the exit status is 1.  Then within the
budget: an estimate.  --rounds 0 measures the kinds alone; a short run adds --kind-seconds 5.
"""
import collections
import concurrent.futures
import random
import subprocess
import time

from kinds import KINDS, kinds
from measure import Heatscope, arguments, folder, median, os, program, progress, run_seconds, save, stop, table

BEGIN_S = 5
TENTHS = 10


class Storm:
    """A thread on each CPU, and what they say that they did."""

    def __init__(self, options, seconds, rate=0):
        os.makedirs(options.out, exist_ok=True)
        self.path = os.path.join(options.out, "storm.txt")
        with open(self.path, "w") as out:
            self.process = subprocess.Popen([program(options.build, "test/bench/storm"), str(seconds),
                                             *([str(rate)] if rate else [])], stdout=out)
        self.sums = collections.defaultdict(lambda: [0, 0])

    def end(self):
        stop(self.process)
        with open(self.path) as f:
            for line in f:
                tenth, _, calls, cpu_ns = (int(word) for word in line.split())
                self.sums[tenth][0] += calls
                self.sums[tenth][1] += cpu_ns

    def calls(self, second):
        return sum(self.sums[TENTHS * second + i][0] for i in range(TENTHS))

    def between(self, begin, end):
        """Calls, ns on the CPU, and wall seconds, of whole tenths."""
        bins = [self.sums[i] for i in range(int(begin * TENTHS) + 1, int(end * TENTHS))]
        return sum(n for n, _ in bins), sum(ns for _, ns in bins), len(bins) / TENTHS


def create(heatscope, storm):
    return heatscope.create("syscall", "syscalls", ["syscall"], ["latency"],
                            predicate={"and": [{"eq": ["syscall", "getppid"]}, {"eq": ["pid", str(storm.process.pid)]}]})


def seconds_seen(heatscope, uri, begin):
    """{second: (count, one in so many)} of the seconds since then that were observed."""
    grid = heatscope.http.get(uri + "/value/grid", duration=int(time.time() - begin))
    return {round(grid["from"] + c["slot"] * grid["column"]): (c["count"], c.get("sampled", 1))
            for c in grid["columns"] if c["state"] == "ok"}


def attached(turn):
    """Tenths in which programs may have been attached: around the seconds that were observed, and at the begin."""
    tenths = set(range(int(turn["from"] * TENTHS) - 3, int((turn["from"] + BEGIN_S) * TENTHS)))
    for second in turn["seen"]:
        tenths.update(range(int(second) * TENTHS - 2, int(second) * TENTHS + 14))
    return tenths


def excess(storm, tenths, bare):
    """Seconds of CPU that the calls of these tenths took beyond those of the others within 4 s."""
    more = 0
    for tenth in tenths:
        calls, cpu_ns = storm.sums.get(tenth, (0, 0))
        beside = [storm.sums[t] for t in range(tenth - 40, tenth + 41) if t in bare]
        if calls and beside:
            more += cpu_ns - calls * sum(ns for _, ns in beside) / sum(n for n, _ in beside)
    return more / 1e9


def shares(storm, turn, base_ns, n_cpus):
    """Per cent of the machine, in the three ways."""
    first, last = int(turn["from"] * TENTHS) - 3, int(turn["to"] * TENTHS)
    on = {t for t in attached(turn) if t <= last}
    bare = {t for t in storm.sums if first - 60 <= t <= last + 60 and t not in on and storm.sums[t][0]}
    seconds = turn["to"] - turn["from"]
    early = {t for t in on if t < (turn["from"] + BEGIN_S) * TENTHS}
    calls, cpu_ns, wall = storm.between(turn["from"], turn["to"])
    percent = 100 / n_cpus
    turn["own"] = percent * turn["own_s"] / seconds
    turn["turns"] = percent * (cpu_ns - calls * base_ns) / 1e9 / wall + turn["own"]
    turn["near"] = percent * excess(storm, on, bare) / seconds + turn["own"]
    turn["near, after 5 s"] = percent * excess(storm, on - early, bare) / (seconds - BEGIN_S) + turn["own"]


def cost(options, heatscope, n_cpus):
    storm = Storm(options, options.rounds * (options.seconds + options.without + 5) + options.without + 5)
    turns, nones = [], []

    def without():
        begin = time.time() + 1
        time.sleep(options.without)
        nones.append((begin, time.time()))

    without()
    for i in range(options.rounds):
        uri, begin, own_s = create(heatscope, storm), time.time(), run_seconds(heatscope.collector.pid)
        time.sleep(options.seconds)
        turns.append({"from": begin, "to": time.time(), "own_s": run_seconds(heatscope.collector.pid) - own_s})
        time.sleep(2)
        turns[-1]["seen"] = seconds_seen(heatscope, uri, begin)
        heatscope.delete(uri)
        without()
        progress("turn %d of %d" % (i + 1, options.rounds))
    progress("")
    storm.end()
    for turn, before, after in zip(turns, nones, nones[1:]):
        bases = [storm.between(*none)[1] / storm.between(*none)[0] for none in (before, after)]
        turn["base_ns"] = bases
        shares(storm, turn, sum(bases) / 2, n_cpus)
        turn["seen"] = {second: (count, every, storm.calls(second)) for second, (count, every) in turn["seen"].items()
                        if turn["from"] + 2 < second < turn["to"] - 2}
    return turns


def paced(options, heatscope):
    """Returns the number of its calls while all was sampled, and the estimate of the columns."""
    storm = Storm(options, options.paced + 25, options.rate)
    uri, begin = create(heatscope, storm), time.time()
    time.sleep(options.paced + 12)
    seen = seconds_seen(heatscope, uri, begin)
    heatscope.delete(uri)
    storm.end()
    seconds = [second for second in seen if second > begin + 8]
    return {"seconds": len(seconds), "called": sum(storm.calls(s) for s in seconds), "seen": sum(seen[s][0] for s in seconds),
            "every": [seen[s][1] for s in seconds]}


# --- kinds of sends

def load(kind, seconds, size):
    """All clients send as fast as they are answered; returns the number of statements."""
    def client(_):
        one, end, sent = kind.open(), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            one.send([kind.nothing] * size)
            sent += size
        one.close()
        return sent

    with concurrent.futures.ThreadPoolExecutor(kind.n_clients) as clients:
        return sum(clients.map(client, range(kind.n_clients)))	# raises what a client raised


def counted(heatscope, kind, options):
    """One load.  shed: counted without their digest, which the collector left out to keep its budget; missing: statements
    in no number; other: {digest: count} of its others."""
    uri = heatscope.create(kind.module, "queries", ["instance", "digest"], ["latency"])
    time.sleep(1.5)
    begin = int(time.time())
    sent = load(kind, options.kind_seconds, 1 if kind.batch == 1 else options.batch)
    time.sleep(8)			# an answer that is not seen to be complete is recorded 5 s later
    when = {"start_time": begin - 1, "duration": int(time.time()) - begin + 1}
    stats = heatscope.http.get(uri + "/value/raw", stats="true", **when)["stats"]
    mine = kind.instance + "/"
    other = {key[len(mine):]: s["count"] for key, s in stats.items() if key.startswith(mine)}
    n, shed = other.pop(kind.digest, 0), other.pop("shed", 0)
    grid = heatscope.http.get(uri + "/value/grid", **when)
    heatscope.delete(uri)
    lost = grid["summary"]["lost"]
    return {"sent": sent, "counted": n, "shed": shed, "lost": lost, "missing": sent - n - shed - lost, "other": other,
            "every": max((c.get("sampled", 1) for c in grid["columns"]), default=1)}


def by_kind(options, path, all_kinds):
    results = {}
    for budget in sorted({0, options.budget}):
        own = os.path.join(path, "budget-%g" % budget)
        os.mkdir(own)
        with Heatscope(own, options=["--budget", str(budget)]) as heatscope:
            for kind in all_kinds.values():
                name = "%s, budget %s" % (kind.name, "%g %%" % budget if budget else "none")
                progress(name)
                results[name] = {"budget": budget, **counted(heatscope, kind, options)}
    progress("")
    return results


def find_kinds(options):
    with folder() as path, kinds(path, options.kinds.split(",")) as all_kinds:
        results = by_kind(options, path, all_kinds)
    table(["", "sent", "counted", "shed", "lost", "missing", "%", "one in"], [
        [name, r["sent"], r["counted"], r["shed"], r["lost"], r["missing"], "%+.2f" % (100 * r["missing"] / r["sent"]), r["every"]]
        for name, r in results.items()])
    for name, r in results.items():
        if r["other"]:
            print("%s: other statements: %s" % (name, r["other"]))
    return results


def judge(results):
    exact = {name: r for name, r in results.items() if not r["budget"]}
    for wrong, names in (("neither counted nor lost", [name for name, r in exact.items() if r["missing"] > 0]),
                         ("counted more often than sent", [name for name, r in exact.items() if r["missing"] < 0])):
        if names:
            raise SystemExit("bench: statements are %s: %s" % (wrong, ", ".join(names)))


def kinds_alone(options):
    results = find_kinds(options)
    save(options, "budget-kinds", __doc__, results, budget=options.budget)
    judge(results)


def mean(values, n=4000, seed=1):
    """And its 95 % interval."""
    chance = random.Random(seed)
    draws = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(n))
    return "%.2f [%.2f %.2f]" % (sum(values) / len(values), draws[int(n * 0.025)], draws[int(n * 0.975)])


def main():
    options = arguments(__doc__, rounds=6, seconds=90, without=15, budget=1.0, rate=80000, paced=60,
                        kinds=",".join(KINDS), kind_seconds=20, batch=50)
    if not options.rounds:
        kinds_alone(options)
        return
    program(options.build, "test/bench/storm")  # before anything is measured
    n_cpus = os.cpu_count()
    with folder() as path, Heatscope(path, options=["--budget", str(options.budget)]) as heatscope:
        turns = cost(options, heatscope, n_cpus)
        estimate = paced(options, heatscope)
    seconds = [one for turn in turns for one in turn["seen"].values()]
    print("cost in %% of the machine, budget %g %%, %d turns of %d s, load average %.1f" % (options.budget, options.rounds, options.seconds,
                                                                                       os.getloadavg()[0]))
    table(["", "mean [95 %]"], [[name, mean([turn[name] for turn in turns])] for name in ("turns", "near", "near, after 5 s", "own")])
    print("a call: %.0f ns without; %d seconds observed, %.2f %% of the calls in them counted" % (
        median([ns for turn in turns for ns in turn["base_ns"]]), len(seconds),
        100 * sum(count for count, _, _ in seconds) / (sum(calls for _, _, calls in seconds) or 1)))
    print("paced: %(called)d calls in %(seconds)d s, %(seen)d estimated" % estimate, "(%+.2f %%), one in %d to %d looked at" % (
        100 * (estimate["seen"] / estimate["called"] - 1), min(estimate["every"]), max(estimate["every"])))
    results = find_kinds(options)
    save(options, "budget", __doc__, {"turns": turns, "paced": estimate, "kinds": results}, budget=options.budget)
    judge(results)


main()
