"""Queries per second of sysbench's point selects, and CPU per query, with nothing, with Heatscope and with its peers.

Method.  One load runs without end: one connection over a Unix socket, server and client on CPU 0, so work is measured and
not the wake-up of an idle CPU; everything else runs on the other CPUs.  Instruments come and go in an order that is drawn
again for each round.  A segment with an instrument is compared with the segments without any before and after it, on the
line between the two, which removes slower changes of the machine's speed.  Attaching and detaching are in no segment.

Faster changes are measured by pieces of work that the client does between its queries (counted.lua) and that no instrument
touches.  The part of a segment's difference that goes with them is subtracted; the segments show how large it is (least
squares, each instrument's about their own mean).  If an instrument slowed that work itself, for example through its caches,
this would be subtracted from its loss.  So the last column is the work's own ratio, which must be 1, and the figures without
this correction are printed, too.  "Nothing again" is a segment without an instrument: it shows the accuracy of the method.

Figures.  The figure of an instrument is the mean of the middle half of its segments' logarithms; the interval is by
bootstrap over the rounds.  The loss is 1 - QPS ratio.  Differences of CPU per query are in us.

The least.  The smallest programs that can measure a latency at a server's sockets (least.bpf.c); their cost is unavoidable.
None of them does everything that is required.
  the least                             a latency only
  the least with parts                  in all stages; looks at the bytes too, and splits the time
  the least, parts by statement         the same by a command's first bytes, and in slots
  the least, parts by digest            by each of a text's first 126 bytes, too
  the least, parts and reasons by digest   also sees where a thread leaves the CPU, and in which call

Heatscope looks at every event (--budget 0), except for the arm with its budget (--budget), which reports what it shed.

--stage query measures the cost of saying which statement was slow, and why: parts with the reasons of the time blocked, by
digest, with exemplars, against performance_schema's statement digests.  The server
is then started with --performance-schema=ON and all of it turned off: the cost of that alone is in "nothing", too.

--stage tls measures the same over TLS, where Heatscope reads command, digest and user in the server's memory.

--stage least measures the unavoidable cost: the least programs against the pair, and nothing of Heatscope's.  They come and go
at once, so segments of 0.4 s (--seconds) give more information in the same time.
"""
import collections
import contextlib
import math
import mmap
import os
import random
import shutil
import statistics
import subprocess
import time

from measure import (TOP, Heatscope, arguments, favour, folder, interval, kernel_objects, mariadb, median, middle, progress,
                     run_seconds, save, sql, stop, table, until, version)

PARTS = ["latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu"]
REASONS = ["io", "futex", "net", "sleep", "fault", "other"]
PAIR = ("uprobe:{0}:{1} {{ @s[tid] = nsecs; }} "
        "uretprobe:{0}:{1} /@s[tid]/ {{ @ = hist(nsecs - @s[tid]); delete(@s[tid]); }}")
DISPATCH = "_Z16dispatch_command19enum_server_commandP3THDPcjb"		# by name: looking it up by a pattern would take bpftrace longer
CPU = 0
BIN_S = 0.01
BIN_WORDS = 6
EVERY, BUDGET = "every", "budget"	# the collectors: without a budget, and with it
BY_STATEMENT, BY_DIGEST = ["command", "statement", "latency"], ["command", "digest", "latency"]
STATEMENTS = ("UPDATE performance_schema.setup_instruments SET ENABLED='{0}', TIMED='{0}' WHERE NAME LIKE 'statement/%'; "
              "UPDATE performance_schema.setup_consumers SET ENABLED='{0}' WHERE NAME IN ('events_statements_current', 'statements_digest')")
UNTIL_SHED_S = 2.5			# the budget is looked at every 0.9 s, from the attaching on
PARTS_ARM, LATENCY_ARM, BUDGET_ARM = "heatscope, parts", "heatscope, latency", "heatscope, parts, its budget"
REASONS_ARM, DIGEST_ARM, EXEMPLARS_ARM = "heatscope, parts and reasons", "heatscope, that by digest", "heatscope, that with exemplars"
SCHEMA_ARM, SLOW_LOG_ARM = "performance_schema", "slow log at 0"
PAIR_ARM, LEAST_ARM, LEAST_PARTS_ARM = "bpftrace pair", "the least", "the least with parts"
LEAST_STATEMENT_ARM, LEAST_DIGEST_ARM = "the least, parts by statement", "the least, parts by digest"
LEAST_REASONS_ARM = "the least, parts and reasons by digest"
CLAIM = {"parts": 0.4, "query": 0.5}	# of the pair's loss: at most
LEAST_CLAIM = {LEAST_PARTS_ARM: CLAIM["parts"], LEAST_STATEMENT_ARM: CLAIM["parts"], LEAST_DIGEST_ARM: CLAIM["query"],
               LEAST_REASONS_ARM: CLAIM["query"]}
STAGES = [*CLAIM, "least", "tls"]
TLS_ARM = "heatscope, parts by digest and user"
SLOW_LOG_OFF = "SET GLOBAL slow_query_log=0"
SETTLED_S = 0.25			# after attaching and after detaching
SHARE_LEAST = 0.8			# of CPU 0, the load's; where others took more, the segment says nothing


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
        if options.stage == "tls":		# sysbench looks for these files in its folder
            self.command.append("--mysql-ssl=on")
            for file, made in (("client-key.pem", "key.pem"), ("client-cert.pem", "cert.pem"), ("cacert.pem", "cert.pem")):
                shutil.copy(os.path.join(path, "db", made), os.path.join(path, file))
        self.bins = int((options.minutes * 60 + 600) / BIN_S)

    def __enter__(self):
        sql(self.server, "CREATE DATABASE bench")
        subprocess.run([*self.command, "oltp_point_select", "prepare"], check=True, capture_output=True, cwd=self.path)
        self.from_s = int(time.monotonic())
        with open(os.path.join(self.path, "counts"), "w+b") as f:
            f.truncate(BIN_WORDS * 8 * self.bins)
            self.words = memoryview(mmap.mmap(f.fileno(), BIN_WORDS * 8 * self.bins)).cast("Q")
        self.client = subprocess.Popen(
            [*self.command, os.path.join(TOP, "scripts", "benches", "counted.lua"), "--time=0", "--counts=" + f.name,
             "--from=%d" % self.from_s, "--bins=%d" % self.bins, "run"], stdout=subprocess.DEVNULL, start_new_session=True, cwd=self.path)
        self.pids = [int(self.server["MARIADB_PID"]), self.client.pid]
        for pid in self.pids:
            favour(pid)
        until(lambda: self.total(0, 0, 300), what="the load's start")
        sql(self.server, SLOW_LOG_OFF)		# the connection keeps what it began with, and would log
        return self

    def __exit__(self, *_):
        stop(self.client)

    def total(self, word, first, last):
        """Of that word of bins first .. last - 1: queries, either work's pieces; their ns."""
        return sum(self.words[first * BIN_WORDS + word:last * BIN_WORDS:BIN_WORDS])

    def second(self, first, last):
        """The first whole second of wall time among the bins, and its queries; of clocks that agree to a bin."""
        wall = time.time() - time.monotonic() + self.from_s
        second = math.ceil(wall + first * BIN_S)
        at = round((second - wall) / BIN_S)
        return second, self.total(0, at, at + 100) if at + 100 <= last else 0

    def segment(self, seconds):
        """Of whole bins only; None: nothing went on."""
        first = int((time.monotonic() - self.from_s) / BIN_S) + 1
        last = first + round(seconds / BIN_S)
        time.sleep(max(0, self.from_s + first * BIN_S - time.monotonic()))
        cpu = [run_seconds(pid) for pid in self.pids]
        time.sleep(max(0, self.from_s + last * BIN_S - time.monotonic()))
        cpu = [run_seconds(pid) - before for pid, before in zip(self.pids, cpu)]
        if self.client.poll() is not None:
            raise SystemExit("bench: the load ended")
        queries, touches, reads, *ns = [self.total(word, first, last) for word in range(BIN_WORDS)]
        if not (queries and touches and reads):
            return None
        second, second_queries = self.second(first, last)
        return {"at_s": (first + last) / 2 * BIN_S, "second": second, "second_queries": second_queries, "queries": queries,
                "share": sum(cpu) / ((last - first) * BIN_S),
                "query_us": ns[0] / queries / 1e3, "touch_us": ns[1] / touches / 1e3, "read_us": ns[2] / reads / 1e3,
                "server_us": cpu[0] / queries * 1e6, "cpu_us": (sum(cpu) - (ns[1] + ns[2]) / 1e9) / queries * 1e6}


def least(path):
    """The program, made in path."""
    source, made = os.path.join(TOP, "scripts", "benches"), os.path.join(path, "least")
    machine = subprocess.run(["cc", "-print-multiarch"], check=True, capture_output=True, text=True).stdout.strip()
    arch = {"x86_64": "x86", "aarch64": "arm64"}[machine.split("-")[0]]
    subprocess.run(["clang", "-g", "-O2", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_" + arch, "-I/usr/include/" + machine, "-I", TOP, "-c",
                    os.path.join(source, "least.bpf.c"), "-o", made + ".bpf.o"], check=True)
    with open(made + ".skel.h", "w") as skeleton:
        subprocess.run(["bpftool", "gen", "skeleton", made + ".bpf.o", "name", "least_bpf"], check=True, stdout=skeleton)
    subprocess.run(["cc", "-O2", "-I", path, os.path.join(source, "least.c"), "-lbpf", "-o", made], check=True)
    return made


class Instruments:
    """Each is a context: inside it is attached, outside nothing of it is left in the kernel."""

    def __init__(self, options, path, server):
        self.path, self.server = path, server
        self.heatscopes = {}
        self.least_path = least(path)
        self.binary = os.readlink("/proc/%s/exe" % server["MARIADB_PID"])
        self.uris, self.chance, self.reasons = {}, random.Random(options.seed), {}
        # How many segments a round has: most of what the claim hangs on.
        self.arms = {"nothing again": (1, self.none), PAIR_ARM: (1, self.pair)}
        self.arms[LEAST_PARTS_ARM] = (1, lambda: self.least("parts"))
        {"parts": self.stage_parts, "query": self.stage_query, "least": self.stage_least, "tls": self.stage_tls}[options.stage](options)

    def collector(self, name, *words):
        os.mkdir(os.path.join(self.path, name))
        self.heatscopes[name] = Heatscope(os.path.join(self.path, name), cpu=others(), options=list(words))

    def slow_log(self):
        self.arms[SLOW_LOG_ARM] = (0.25, lambda: self.globals("SET GLOBAL slow_query_log=1", SLOW_LOG_OFF))

    def stage_least(self, _):
        self.arms[LEAST_ARM] = (0.5, self.least)
        self.arms[LEAST_STATEMENT_ARM] = (1, lambda: self.least("parts", "statement"))
        self.arms[LEAST_DIGEST_ARM] = (1, lambda: self.least("parts", "digest"))
        self.arms[LEAST_REASONS_ARM] = (1, lambda: self.least("parts", "digest", "reasons"))

    def stage_parts(self, options):
        self.collector(EVERY, "--budget", "0")
        self.collector(BUDGET, "--budget", "%g" % options.budget)
        self.heatscope(PARTS_ARM, 2, BY_STATEMENT, PARTS)
        self.heatscope(LATENCY_ARM, 0.5, BY_STATEMENT, ["latency"])
        self.heatscope(BUDGET_ARM, 0.5, BY_STATEMENT, PARTS, which=BUDGET, wait_s=UNTIL_SHED_S)
        self.arms[LEAST_ARM] = (0.5, self.least)
        self.slow_log()
        if sql(self.server, "SHOW VARIABLES LIKE 'query_response_time_stats'"):
            self.arms["query_response_time"] = (0.25, lambda: self.globals("SET GLOBAL query_response_time_stats=1",
                                                                           "SET GLOBAL query_response_time_stats=0"))

    def stage_query(self, _):
        self.collector(EVERY, "--budget", "0")
        self.heatscope(REASONS_ARM, 1, BY_STATEMENT, PARTS + REASONS)
        self.heatscope(DIGEST_ARM, 2, BY_DIGEST, PARTS + REASONS)
        self.heatscope(EXEMPLARS_ARM, 1, BY_DIGEST, PARTS + REASONS, exemplars=5)
        self.arms[LEAST_REASONS_ARM] = (1, lambda: self.least("parts", "digest", "reasons"))
        self.slow_log()
        self.arms[SCHEMA_ARM] = (1, lambda: self.globals(STATEMENTS.format("YES"), STATEMENTS.format("NO")))

    def stage_tls(self, _):
        self.collector(EVERY, "--budget", "0")
        self.heatscope(TLS_ARM, 2, ["command", "digest", "user", "latency"], PARTS)
        self.heatscope(LATENCY_ARM, 1, BY_STATEMENT, ["latency"])

    def heatscope(self, name, weight, fields, measures, which=EVERY, wait_s=0, **more):
        heatscope = self.heatscopes[which]
        uri = heatscope.create("mysql", "queries", fields, measures, **more)
        heatscope.enable(uri, False)
        self.uris[name] = heatscope, uri
        self.arms[name] = weight, lambda: self.enabled(name, wait_s)

    def close(self):
        for heatscope in self.heatscopes.values():
            heatscope.close()

    def round(self, i):
        names = [name for name, (weight, _) in self.arms.items() for _ in range(int((i + 1) * weight) - int(i * weight))]
        self.chance.shuffle(names)
        return names

    @contextlib.contextmanager
    def none(self):
        time.sleep(self.chance.uniform(0.3, 1.5))		# as long as the others take to attach
        yield

    @contextlib.contextmanager
    def enabled(self, name, wait_s=0):
        heatscope, uri = self.uris[name]
        heatscope.enable(uri, True)
        try:
            time.sleep(wait_s)
            yield
            for source in heatscope.http.get(uri)["sources"]:
                self.reasons.setdefault(name, []).append(source["reason"] or "every event was looked at")
        finally:
            heatscope.enable(uri, False)

    @contextlib.contextmanager
    def least(self, *words):
        program = subprocess.Popen(["taskset", "-c", others(), self.least_path, *words], stdout=subprocess.PIPE, text=True)
        try:
            if program.stdout.readline() != "attached\n":
                raise SystemExit("bench: the least was not attached")
            yield
        finally:
            stop(program)

    @contextlib.contextmanager
    def pair(self):
        with open(os.path.join(self.path, "bpftrace"), "w+") as out:
            trace = subprocess.Popen(["taskset", "-c", others(), "bpftrace", "-e", PAIR.format(self.binary, DISPATCH)], stdout=out,
                                     stderr=subprocess.STDOUT)
            try:
                until(lambda: kernel_objects(trace.pid, "perf_event") >= os.cpu_count() + 2, what="bpftrace's attaching")
                yield
            finally:
                ended = stop(trace)	# one in some dozen does not react, and has to be killed
            out.seek(0)
            if ended and "@:" not in out.read():
                raise SystemExit("bench: bpftrace saw nothing: " + open(out.name).read())

    @contextlib.contextmanager
    def globals(self, on, off):
        sql(self.server, on)
        try:
            yield
        finally:
            sql(self.server, off)


def measured(load, instruments, options):
    """[{"name", "round", "on": segment, "before", "after": the neighbours without}], in their order, and how many others took."""
    blocks, n_taken, end, i = [], 0, time.monotonic() + options.minutes * 60, 0
    before = load.segment(options.seconds)
    while time.monotonic() < end:
        for name in instruments.round(i):
            progress("round %d, %.0f s left: %s" % (i + 1, max(0, end - time.monotonic()), name))
            with instruments.arms[name][1]():
                time.sleep(SETTLED_S)
                on = load.segment(options.seconds)
            time.sleep(SETTLED_S)
            after = load.segment(options.seconds)
            if all(s and s["share"] >= SHARE_LEAST for s in (before, on, after)):
                blocks.append({"name": name, "round": i, "before": before, "on": on, "after": after})
            else:
                n_taken += 1
            before = after
        i += 1
    progress("")
    return blocks, n_taken


def over_line(block, value):
    """Of the segment, over the line between its neighbours, which have no instrument."""
    before, on, after = (block[k] for k in ("before", "on", "after"))
    part = (on["at_s"] - before["at_s"]) / (after["at_s"] - before["at_s"])
    return value(on) - (1 - part) * value(before) - part * value(after)


def slopes(y, x):
    """Of y by the two columns of x, least squares without a constant."""
    aa, ab, bb = (sum(r[i] * r[j] for r in x) for i, j in ((0, 0), (0, 1), (1, 1)))
    ay, by = (sum(r[i] * v for r, v in zip(x, y)) for i in (0, 1))
    det = aa * bb - ab * ab
    return ((ay * bb - by * ab) / det, (by * aa - ay * ab) / det) if det else (0.0, 0.0)


def centred(rows, names):
    """Each minus the mean of its arm's."""
    means = {name: [statistics.fmean(c) for c in zip(*(r for r, n in zip(rows, names) if n == name))] for name in set(names)}
    return [[v - m for v, m in zip(row, means[name])] for row, name in zip(rows, names)]


class Figures:
    """The figures of each arm, {(arm, kind): middle}, from the blocks and from draws of the rounds."""
    KINDS = {"query": lambda s: math.log(s["query_us"]), "server": lambda s: s["server_us"], "cpu": lambda s: s["cpu_us"]}
    WORK = [lambda s: math.log(s["touch_us"]), lambda s: math.log(s["read_us"])]

    def __init__(self, blocks, n=2000):
        self.n = collections.Counter(b["name"] for b in blocks)
        rounds = {}
        for b in blocks:
            rounds.setdefault(b["round"], []).append((b["name"], [over_line(b, work) for work in self.WORK],
                                                      [over_line(b, value) for value in self.KINDS.values()]))
        self.rounds, chance = list(rounds.values()), random.Random(1)
        self.whole = self.middles(self.rounds)
        self.draws = [self.middles(chance.choices(self.rounds, k=len(self.rounds))) for _ in range(n)]

    def middles(self, rounds):
        """With what the pace explains taken away; how much that is, the segments say themselves, each arm about its own mean."""
        blocks = [b for r in rounds for b in r]
        names, work = [b[0] for b in blocks], centred([b[1] for b in blocks], [b[0] for b in blocks])
        result = {}
        for i, kind in enumerate(self.KINDS):
            slope = slopes([y for y, in centred([[b[2][i]] for b in blocks], names)], work)
            for name in set(names):
                own = [b for b in blocks if b[0] == name]
                result[name, kind] = middle([b[2][i] - slope[0] * b[1][0] - slope[1] * b[1][1] for b in own])
                result[name, "plain " + kind] = middle([b[2][i] for b in own])
                result[name, "work"] = middle([sum(b[1]) / 2 for b in own])
        return result

    def interval(self, figure):
        """figure(middles), and its 95 % interval; a draw of rounds without the arm has none."""
        draws = []
        for middles in self.draws:
            with contextlib.suppress(KeyError, ZeroDivisionError):
                draws.append(figure(middles))
        draws.sort()
        return figure(self.whole), draws[int(len(draws) * 0.025)], draws[int(len(draws) * 0.975)]

    def qps(self, name, kind="query"):
        return self.interval(lambda mid: math.exp(-mid[name, kind]))

    def us(self, name, kind):
        return self.interval(lambda mid: mid[name, kind])

    def loss_over(self, name, peer, kind="query"):
        return self.interval(lambda mid: (1 - math.exp(-mid[name, kind])) / (1 - math.exp(-mid[peer, kind])))

    def excess(self, name, peer, share, kind="query"):
        """Of the loss over that share of the peer's.  A difference: it needs no quotient of what may be 0."""
        return self.interval(lambda mid: 1 - math.exp(-mid[name, kind]) - share * (1 - math.exp(-mid[peer, kind])))

    def shown(self, name, peer, share, kind="query"):
        """Is the loss at most that share of the peer's, with the whole interval?"""
        return "at most %g: %s" % (share, "shown" if self.excess(name, peer, share, kind)[2] <= 0 else "not shown")

    def shown_above(self, name, peer, share):
        """Is it above, with the whole interval?"""
        return "above %g: %s" % (share, "shown" if self.excess(name, peer, share)[1] > 0 else "not shown")

    def cpu_over(self, name, peer):
        return self.interval(lambda mid: mid[name, "cpu"] / mid[peer, "cpu"])


def counted(instruments, blocks, name):
    """Says how many of the queries of whole seconds in its segments Heatscope counted; a short segment may have none."""
    heatscope, uri = instruments.uris[name]
    queries = seen = 0
    for b in blocks:
        if b["name"] == name and b["on"]["second_queries"]:
            reply = heatscope.http.get(uri + "/value/raw", start_time=b["on"]["second"], duration=1)
            queries += b["on"]["second_queries"]
            seen += sum(n for cells in reply["value"].values() for _, n in cells)
    return "it counted %.4f of the queries" % (seen / queries) if queries else "no segment held a whole second to count"


def report(options, blocks, instruments):
    if not blocks:
        raise SystemExit("bench: other processes took a fifth of CPU %d and more all the time" % CPU)
    figures = Figures(blocks)
    off = [b["before"] for b in blocks]
    print("Against the neighbours with nothing (mean of the middle half, 95 %% interval): %d rounds, segments of %g s; with nothing %.0f QPS, "
          "%.1f us of the server's CPU per query and %.1f with the client's" % (
              len(figures.rounds), options.seconds, *(median([f(s) for s in off]) for f in (
                  lambda s: 1e6 / s["query_us"], lambda s: s["server_us"], lambda s: s["cpu_us"]))))
    names = [name for name in instruments.arms if name in figures.n]
    table(["", "segments", "QPS ratio", "the pace not regarded", "server's CPU us per query", "with the client's", "pace's work"],
          [[name, figures.n[name], interval(figures.qps(name)), interval(figures.qps(name, "plain query")),
            interval(figures.us(name, "server"), 2), interval(figures.us(name, "cpu"), 2), interval(figures.qps(name, "work"))]
           for name in names])
    for name in LEAST_ARM, *LEAST_CLAIM:
        if name in names and PAIR_ARM in names:
            claim = " (%s)" % figures.shown_above(name, PAIR_ARM, LEAST_CLAIM[name]) if name in LEAST_CLAIM else ""
            print("%s: QPS loss over that of the bpftrace pair %s%s; CPU per query over its %s" % (
                name, interval(figures.loss_over(name, PAIR_ARM), 2), claim, interval(figures.cpu_over(name, PAIR_ARM), 2)))
            if SCHEMA_ARM in names:
                print("    QPS loss over that of performance_schema %s" % interval(figures.loss_over(name, SCHEMA_ARM), 2))
    for name in instruments.uris:
        if name not in names or PAIR_ARM not in names:
            continue
        losses = [interval(figures.loss_over(name, PAIR_ARM, kind), 2) + (
            " (%s)" % figures.shown(name, PAIR_ARM, CLAIM[options.stage], kind) if options.stage in CLAIM else "")
            for kind in ("query", "plain query")]
        print("%s: QPS loss over that of the bpftrace pair %s, the pace not regarded %s; CPU per query over its %s; %s" % (
            name, *losses, interval(figures.cpu_over(name, PAIR_ARM), 2), counted(instruments, blocks, name)))
        if SCHEMA_ARM in names:
            print("    QPS loss over that of performance_schema %s" % interval(figures.loss_over(name, SCHEMA_ARM), 2))
        for reason, n in collections.Counter(instruments.reasons[name]).items():
            print("    in %d of %d segments: %s" % (n, figures.n[name], reason))


def served(options, path, extra):
    """A MariaDB, with a certificate that it also trusts for clients where the stage is tls."""
    db = os.path.join(path, "db")
    if options.stage == "tls":
        extra = [*extra, "--ssl-ca=" + os.path.join(db, "cert.pem")]
    words = [word for option in extra for word in ("--extra", option)]
    return mariadb(db, *(["--tls"] if options.stage == "tls" else []), *words, cpu=CPU)


def main():
    options = arguments(__doc__, minutes=11.0, seconds=1.5, ps_mode="disable", budget=1.0, stage="parts")
    if options.stage not in STAGES:
        raise SystemExit("bench: no such stage: %s (%s)" % (options.stage, ", ".join(STAGES)))
    extra = ["--slow-query-log-file=slow", "--long-query-time=0", "--slow-query-log=1"]
    if options.stage == "query":
        extra.append("--performance-schema=ON")
    with folder() as path, served(options, path, extra) as server:
        if options.stage == "query":
            sql(server, STATEMENTS.format("NO"))
        instruments = Instruments(options, path, server)
        try:
            with Load(options, path, server) as load:
                progress("warming up")
                load.segment(5)
                blocks, n_taken = measured(load, instruments, options)
            report(options, blocks, instruments)
            if n_taken:
                print("%d segments were left out: other processes took a fifth of CPU %d and more" % (n_taken, CPU))
        finally:
            instruments.close()
    save(options, "overhead" if options.stage == "parts" else "overhead_" + options.stage, __doc__, blocks, settings=vars(options), heatscope=instruments.reasons,
         versions={"mariadb": version("mariadbd", "--version"), "bpftrace": version("bpftrace", "--version"),
                   "sysbench": version("sysbench", "--version")})


if __name__ == "__main__":
    main()
