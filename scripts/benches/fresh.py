"""Event to pixel: the time from the end of a statement until its cell is in the stream that the page draws.

A client sends, at a random time, a statement that sleeps for an unusual time, in each of the kinds of kinds.py: one by
one, several in a send, through a proxy or a pooler.  The clock stops when a `grid` or `column` event of value/stream
has a count in a row of that length.  A slot can only be reported when it is over, so the time after the end of its slot is
printed, too.

A statement that is not reported within some seconds is one of three: its column is marked as sampled (the collector was
over its budget and looked at one event in some); its column says that events are lost; or the statement is missing.  If
any is missing, the exit status is 1.  The raw numbers have the columns around it, the collector's state, and the stored
values.  A short run: --trials 5.
"""
import contextlib
import json
import random
import socket
import threading
import time
import urllib.parse

from kinds import KINDS, kinds
from measure import Heatscope, arguments, folder, progress, quantile, save, table

SECONDS_MAX = 10.0
KEPT_COLUMNS = 400


class Watch(threading.Thread):
    """Reads the stream; seen() returns when, and by which event, the stream first
    had a cell of a statement in the column of its end.
    Of the statement it is known when it was sent, how long it sleeps, and when its client had the result: its end and its
    length in the kernel lie between, however late the client was."""

    def __init__(self, http, target):
        super().__init__(daemon=True)
        self.stream = http.open("GET", target)
        self.edges, self.cells, self.changed = [], [], threading.Condition()
        self.columns = {}			# of the last seconds: start in s -> [when it was sent, by which event, the column]
        self.column_s = 0.0

    def run(self):
        with self.stream.makefile("rb") as lines:
            event = data = ""
            for line in lines:
                line = line.decode().rstrip("\r\n")
                if line.startswith("event:"):
                    event = line[6:].strip()
                elif line.startswith("data:"):
                    data = line[5:].strip()
                elif not line and data:
                    self.take(event, json.loads(data), time.time())
                    event = data = ""

    def take(self, event, value, now):
        with self.changed:
            if event == "grid":
                self.edges, self.column_s = value["edge"], value["column"]
                for column in value["columns"]:
                    self.keep(event, value["from"] + column["slot"] * self.column_s, column, now)
            elif event == "column":
                self.keep(event, value["from"], value["column"], now)
            self.changed.notify_all()

    def keep(self, event, start_s, column, now):
        self.columns.setdefault(round(start_s, 3), []).append([now, event, column])
        while len(self.columns) > KEPT_COLUMNS:
            del self.columns[min(self.columns)]
        for row, _ in column["cells"]:
            last = self.edges[row + 1] if row + 1 < len(self.edges) else None
            self.cells.append((start_s, self.edges[row] if row < len(self.edges) else 0, last or 1 << 63, now, event))

    def seen(self, sent_s, slept_s, end_s, shares):
        """shares: the number of statements that share the time of the send."""
        return min(((now, event) for start, first, last, now, event in self.cells
                    if start <= end_s and start + self.column_s > sent_s + slept_s and
                    first <= (end_s - sent_s) * 1e9 / shares and last >= slept_s * 1e9 / shares), default=None)

    def around(self, sent_s, slept_s, end_s, shares):
        """Returns the stream's data of the columns in which it can have ended, and of their neighbours."""
        with self.changed:
            return {start: events for start, events in self.columns.items()
                    if start > sent_s + slept_s - 2 * self.column_s and start < end_s + self.column_s}

    def wait(self, statement, seconds):
        end = time.monotonic() + seconds
        with self.changed:
            while self.seen(*statement) is None:
                if not self.changed.wait(end - time.monotonic()):
                    return None
            seen = self.seen(*statement)
            self.cells = []
            return seen

    def stop(self):
        with contextlib.suppress(OSError):
            self.stream.shutdown(socket.SHUT_RDWR)


def sleep(kind, client, seconds):
    """The last statement of a send sleeps.  Returns in s when it was sent, how long it sleeps, and when its result was
    here; and how many statements share that time."""
    start = time.time()
    client.send([kind.nothing] * (kind.batch - 1) + [kind.sleeps % seconds])
    return start, seconds, time.time(), kind.shares


def unseen(http, uri, watch, statement):
    """Describes a statement that was not reported."""
    columns = watch.around(*statement)
    start = int(statement[0])
    of_all = [column for events in columns.values() for _, _, column in events]
    marks = [mark for mark in ("sampled", "lost") if any(column.get(mark) for column in of_all)]
    why = marks[0] if marks else "missing"
    return {why: statement,
            "columns": columns, "edges": watch.edges, "instrumentation": http.get(uri),
            "raw": http.get(uri + "/value/raw", start_time=start, duration=int(statement[2]) + 1 - start)}


def trials(http, kind, uri, slot_s, options):
    selected = urllib.parse.quote(kind.instance, "")
    watch = Watch(http, "%s/value/stream?ncols=60&row_bits=5&selected=%s" % (uri, selected))
    watch.start()
    time.sleep(1)
    chance, results, client = random.Random(options.seed), [], kind.open()
    for i in range(options.trials):
        progress("%s, slots of %g s: trial %d of %d" % (kind.name, slot_s, i + 1, options.trials))
        time.sleep(chance.uniform(0, 2 * slot_s))
        statement = sleep(kind, client, round(chance.uniform(0.02, 0.3), 4))
        seen = watch.wait(statement, SECONDS_MAX)
        end = statement[2]
        slot_end = (end // slot_s + 1) * slot_s
        results.append({"fresh_s": seen[0] - end, "after_slot_s": seen[0] - slot_end, "event": seen[1]} if seen else
                       unseen(http, uri, watch, statement))
    watch.stop()
    client.close()
    progress("")
    return results


def main():
    options = arguments(__doc__, trials=200, slots="0.1,1", kinds=",".join(KINDS))
    results = {}
    with folder() as path, kinds(path, options.kinds.split(",")) as all_kinds, Heatscope(path) as heatscope:
        for kind in all_kinds.values():
            for slot_s in map(float, options.slots.split(",")):
                uri = heatscope.create(kind.module, "queries", ["instance", "latency"], ["latency"], granularity=slot_s)
                results["%s, slots of %g s" % (kind.name, slot_s)] = trials(heatscope.http, kind, uri, slot_s, options)
                heatscope.delete(uri)
    rows = []
    for name, rounds in results.items():
        seen = [r for r in rounds if "fresh_s" in r]
        rows.append([name, "%d of %d" % (len(seen), len(rounds))] +
                    [sum(what in r for r in rounds) for what in ("sampled", "lost", "missing")] +
                    ["%.0f" % (quantile([r[what] for r in seen], p) * 1e3) if seen else "-"
                     for what in ("fresh_s", "after_slot_s") for p in (0.5, 0.99)])
    print("ms from a statement's end to its cell in the stream")
    table(["", "seen", "sampled", "lost", "missing", "p50", "p99", "after slot p50", "p99"], rows)
    save(options, "fresh", __doc__, results)
    if any("missing" in r for rounds in results.values() for r in rounds):
        raise SystemExit("bench: a statement is missing without a mark")


main()
