"""Does `explain` find a planted cause, and is it silent without one?

Clients of several users send statements of several shapes on several tables; a few statements are slow for no reason.  In
each trial either nothing is planted, or some statements of one digest, one user or one table are slow, or statements of all
of them spend their time on the CPU, or asleep, now and then.  Then the slow statements are explained against the rest of
these seconds.

found   the cause is the first of the significant values (for a part of the time: of the measures)
alarm   a significant value although nothing was planted.  (There is always a measure: a slow statement is slow in some part
        of its time.)
"""
import fcntl
import os
import random
import subprocess
import threading
import time

from measure import Heatscope, arguments, favour, folder, mariadb, progress, save, sql, stop, table

USERS = ["ann", "bob", "cid", "dee", "eve", "fay"]
TABLES = ["orders", "items", "carts", "pages", "rates", "notes"]
WORK = "sleep({s:.4f}) + benchmark({n}, md5(7))"
SHAPES = ["select a from {t} where a = {a} and " + WORK, "select a, " + WORK + " from {t} where a = {a}",
          "update {t} set b = " + WORK + " where a = {a}", "delete from {t} where a = {a} and " + WORK]
CAUSES = ["digest", "user", "table", "part"]
PLANTED_PARTS = {"cputime": 0.01, "futex": 0.1}	# SLEEP() waits in a futex; more on the CPU would be waiting for one
TAIL, TAIL_OF_PART = 0.01, 0.001	# slow by nature: a part that is not most of what is slow is no cause of it
PARTS = ["cputime", "runqwait", "io", "futex", "net", "sleep", "fault", "other"]
SLOW_NS = 20000000
PIPE = 4096				# what is sent ahead of a change of cause
BURST_S = 0.5				# a part is planted in every other one


def digest_of(shape, name):
    """As the collector shows it."""
    words = shape.replace("{t}", name)
    for literal in "{a}", "{s:.4f}", "{n}", "7":
        words = words.replace(literal, "?")
    return " ".join(words.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split())


class Client(threading.Thread):
    """One user's connection; `plan` says what is planted now."""

    def __init__(self, server, user, plan, seed):
        super().__init__(daemon=True)
        self.user, self.plan, self.chance = user, plan, random.Random(seed)
        self.process = subprocess.Popen(["mariadb", "--no-defaults", "--socket=" + server["MARIADB_SOCKET"], "--user=" + user, "-N", "-B",
                                         "--unbuffered", "bench"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, bufsize=1)
        fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, PIPE)

    def statement(self):
        chance, (cause, what) = self.chance, self.plan["cause"]
        name, shape = chance.choice(TABLES), chance.choice(SHAPES)
        hit = {"digest": digest_of(shape, name), "user": self.user, "table": name}.get(cause, "") == what
        burst = cause == "part" and int(time.time() / BURST_S) % 2
        slow = chance.random() < (0.4 if hit else TAIL_OF_PART if cause == "part" else TAIL)
        seconds, loops = chance.uniform(0.025, 0.06) if slow else chance.uniform(0.001, 0.004), 1
        if burst and chance.random() < PLANTED_PARTS[what]:
            seconds, loops = (0.001, self.plan["loops"]) if what == "cputime" else (0.04, 1)
        return shape.format(s=seconds, n=loops, t=name, a=chance.randrange(2, 20))

    def run(self):
        try:
            while not self.plan["over"]:
                self.process.stdin.write(self.statement() + ";\n")
        except BrokenPipeError:
            pass


def planted(cause, chance):
    if cause == "digest":
        return digest_of(chance.choice(SHAPES), chance.choice(TABLES))
    return {"user": chance.choice(USERS), "table": chance.choice(TABLES), "part": chance.choice(list(PLANTED_PARTS))}.get(cause)


def trial(http, uri, plan, cause, chance, seconds):
    """Plants a cause and returns it with the answer of explain."""
    plan["cause"] = cause, planted(cause, chance)
    time.sleep(1)			# what was sent before
    begin = time.time()
    time.sleep(seconds)
    end = time.time()
    time.sleep(0.5)			# until it is reported
    reply = http.get(uri + "/value/explain", start_time="%.1f" % begin, end_time="%.1f" % end, ymin=SLOW_NS, top=5)
    values = [v for v in reply["values"] if v["significant"]]
    measures = [m for m in reply["measures"] if m["significant"]]
    first = {"field": values[0]["field"], "value": values[0]["value"]} if values else None
    if cause == "part":
        found = bool(measures) and measures[0]["measure"] == plan["cause"][1]
    else:
        found = first == {"field": cause, "value": plan["cause"][1]}
    return {"cause": cause, "what": plan["cause"][1], "found": found, "alarm": bool(values), "inside": reply["inside"]["count"],
            "outside": reply["outside"]["count"], "tests": reply["tests"], "values": reply["values"], "measures": reply["measures"], "sentence": reply["sentence"]}


def trials(options, server, http, uri):
    chance = random.Random(options.seed)
    favour(int(server["MARIADB_PID"]))	# other work on the machine is another cause
    plan = {"cause": (None, None), "over": False, "loops": options.loops}
    clients = [Client(server, user, plan, chance.random()) for user in USERS]
    for client in clients:
        client.start()
    time.sleep(2)
    causes = (CAUSES * options.planted)[:options.planted] + [None] * options.nothing
    chance.shuffle(causes)
    results = []
    for i, cause in enumerate(causes):
        progress("trial %d of %d" % (i + 1, len(causes)))
        results.append(trial(http, uri, plan, cause, chance, options.seconds))
    progress("")
    plan["over"] = True
    for client in clients:
        stop(client.process)
    return results


def main():
    options = arguments(__doc__, planted=40, nothing=40, seconds=6.0, loops=120000)
    with folder() as path, mariadb(os.path.join(path, "db")) as server, Heatscope(path, options=["--budget", "0"]) as heatscope:
        sql(server, "create database bench; use bench;" + "".join(
            "create table %s (a int primary key, b int); insert into %s select seq, 0 from seq_1_to_20;" % (t, t) for t in TABLES))
        uri = heatscope.create("mysql", "queries", ["digest", "user", "table"], ["latency"] + PARTS, granularity=0.1, keys=200,
                               predicate={"eq": ["pid", server["MARIADB_PID"]]}, **{"ruler-bits": 3})
        results = trials(options, server, heatscope.http, uri)
    rows = []
    for cause in CAUSES + [None]:
        of = [r for r in results if r["cause"] == cause]
        rows.append([cause or "nothing", len(of), sum(r["found"] for r in of) if cause else "", sum(r["alarm"] for r in of)])
    table(["planted", "trials", "found first", "any value"], rows)
    for r in results:
        if r["alarm"] and not r["found"] or r["cause"] and not r["found"]:
            print("not so: %s %s, %d inside: %s" % (r["cause"], r["what"], r["inside"], r["sentence"]))
    save(options, "explain", __doc__, results, settings=vars(options))


main()
