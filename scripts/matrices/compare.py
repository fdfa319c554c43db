"""Compares the counts of a cell with what its client sent and with the server's own counters.

Prints a line, `sent counted lost digests verdict` with tabs.  Exit status 1: something differs.

    sent      statements of the load that the client sent
    counted   events of the collector with the keys of these statements
    lost      events that no instrumentation counts, of all servers of the host: they are no difference if all of the cell's
              own are counted
    digests   keys with exactly their count, of all keys of the load
    verdict   `passed`, or the first thing that differs
"""
import argparse
import json
import re
import subprocess
import sys

DELAY_NS = 50_000_000
PIPE_MAX = 101  # commands of `pipe` that one send can answer: 100, and the ECHO of redis-cli


class Cell:
    def __init__(self, options):
        self.options = options
        with open(options.value, encoding="utf-8") as file:
            self.value = json.load(file)
        self.stats = self.value["stats"]
        hows = options.hows.split(",")
        with open(options.load, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.lines = [(how, text, self.times(int(every))) for every, how, text in rows if how in hows]
        self.differences = []

    def times(self, every):
        """How often a line of each so many rounds is sent: the connections have successive rounds."""
        o = self.options
        return sum(1 for i in range(o.rounds * o.connections) if i % every == 0)

    def expect(self, name, counted, sent):
        if counted != sent:
            self.differences.append(f"{name}: {counted} of {sent}")

    def counters(self, path):
        """name -> count of a file of lines with a tab"""
        counts = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, _, count = line.rstrip("\n").rpartition("\t")
                counts[name] = counts.get(name, 0) + int(count)
        return counts

    def digests(self, texts, *dialect):
        """The digest of each text."""
        out = subprocess.run([self.options.digests, *dialect], input="".join(text + "\n" for text in texts), capture_output=True,
                             text=True, check=True).stdout
        return [line.split("\t", 1)[1] for line in out.splitlines()]

    def buckets(self, keys):
        return [bucket for key in keys for bucket in self.value["value"].get(key, [])]

    def delayed(self, name, keys, least=DELAY_NS):
        """Every event of a statement that takes 50 ms is in a bucket that reaches to 50 ms or more."""
        buckets = self.buckets(keys)
        short = sum(count for (_, high), count in buckets if high < least)
        if short:
            total = sum(count for _, count in buckets)
            self.differences.append(f"{name}: {short} of {total} below {least / 1e6:.3g} ms")

    def shared(self, name, keys, times):
        """The commands that a send answers share its time equally.  So each that shares a delay has the delay's part,
        and together they have all delays; the many short commands of other sends are not in this sum."""
        least = DELAY_NS // PIPE_MAX
        self.delayed(name, keys, least)
        total = sum(count * high for (_, high), count in self.buckets(self.stats) if high >= least)
        if total < times * DELAY_NS:
            self.differences.append(f"{name}: {total} ns in all, {times * DELAY_NS} ns were waited")


def mysql(cell):
    """Keys are command/statement/digest/status.  Com_* count kinds of statements, also those that drivers add."""
    o = cell.options
    plain = o.mode in ("plain", "haproxy")
    keys = {}
    for key, stats in cell.stats.items():
        command, statement, rest = key.split("/", 2)
        digest, status = rest.rsplit("/", 1)
        keys[command, statement, digest, status] = (key, stats["count"])

    def ends(status, fails):
        """Hidden, the status is read in the server's memory: of MySQL an error is unknown."""
        if not plain and not fails:
            return status == "ok"
        if not plain and "MariaDB" not in o.version:
            return status == "unknown"
        return (status not in ("ok", "none", "unknown")) == fails

    def count(command, digest, fails=None):
        return sum(n for (c, _, d, s), (_, n) in keys.items() if c == command and d == digest and
                   (fails is None or ends(s, fails)))

    sent = counted = right = 0
    digests = cell.digests([text.replace("%d", "1") for _, text, _ in cell.lines])
    for (how, text, times), digest in zip(cell.lines, digests):
        command = "execute" if how == "prepared" else "query"
        have = count(command, digest, how == "fails")
        sent, counted, right = sent + times, counted + have, right + (have == times)
        cell.expect(f"{command} {digest}", have, times)
        if how == "delay":
            cell.delayed(digest, [key for (c, _, d, _), (key, _) in keys.items() if (c, d) == (command, digest)])
    with open(o.rows, encoding="utf-8") as file:
        rows = sum(stats["sum"] for key, stats in json.load(file)["stats"].items()
                   if key.split("/", 2)[2].rsplit("/", 1)[0] in digests)
    if plain != bool(rows):  # only replies that can be read show rows: so the connections are what the mode says
        cell.differences.append(f"not {o.mode}: {rows} rows")
    before, after = cell.counters(o.before), cell.counters(o.after)
    theirs = {name[4:]: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    names = {"set": "set_option", "use": "change_db", "call": "call_procedure", "start": "begin"}
    ours = {}
    for (command, statement, digest, _), (_, n) in keys.items():
        # The mysql client asks so whether $$ quotes.  MySQL's parser refuses it, and what it refuses is in no Com_*.
        refused = digest == "select $$" and "MariaDB" not in o.version
        if command in ("query", "execute") and not refused:
            ours[names.get(statement, statement)] = ours.get(names.get(statement, statement), 0) + n
    for command, name in ("prepare", "stmt_prepare"), ("execute", "stmt_execute"):
        ours[name] = sum(n for (c, _, _, _), (_, n) in keys.items() if c == command)
    for name in ["select", "insert", "update", "delete", "begin", "commit", "set_option", "stmt_prepare", "stmt_execute"]:
        cell.expect(f"Com_{name}", ours.get(name, 0), theirs.get(name, 0))
    return sent, counted, (right, len(cell.lines))


def postgresql(cell):
    """Keys are command/digest/status.  Within TLS command and status are not known, and a prepare's round is an event."""
    o = cell.options
    hidden = o.mode == "tls"
    keys = {}
    for key, stats in cell.stats.items():
        command, rest = key.split("/", 1)
        digest, status = rest.rsplit("/", 1)
        keys[command, digest, status] = (key, stats["count"])
    prepares = o.connections if o.prepares == "own" and hidden else 0

    def count(digest, fails=None):
        return sum(n for (c, d, s), (_, n) in keys.items() if c != "prepare" and d == digest and
                   (fails is None or hidden or (s not in ("ok", "unknown")) == fails))

    sent = counted = right = 0
    digests = cell.digests([text.replace("%d", "1") for _, text, _ in cell.lines], "postgresql")
    for (how, text, times), digest in zip(cell.lines, digests):
        have = count(digest, how == "fails") - (prepares if how == "prepared" else 0)
        sent, counted, right = sent + times, counted + have, right + (have == times)
        cell.expect(digest, have, times)
        if hidden:
            shown = sum(n for (_, d, s), (_, n) in keys.items() if d == digest and s != "unknown")
            cell.expect(f"{digest} not within {o.mode}", shown, 0)
        if how == "delay":
            cell.delayed(digest, [key for (_, d, _), (key, _) in keys.items() if d == digest])
    before, after = cell.counters(o.before), cell.counters(o.after)
    texts = [text for text in after if after[text] != before.get(text, 0)]
    theirs = {}
    for text, digest in zip(texts, cell.digests(texts, "postgresql")):
        theirs[digest] = theirs.get(digest, 0) + after[text] - before.get(text, 0)
    prepared = {digest for (how, _, _), digest in zip(cell.lines, digests) if how == "prepared"}
    for digest, calls in theirs.items():
        # Before version 16 of a prepared statement that cannot be planned only the first execution is counted.
        if digest in ("begin", "commit") and int(o.version.split(".")[0]) < 16:
            continue
        cell.expect(f"pg_stat_statements {digest}", count(digest, False) - (prepares if digest in prepared else 0), calls)
    return sent, counted, (right, len(cell.lines))


def hidden_turns(cell, sent, theirs):
    """Within TLS of a server whose memory is not read, turns are counted: one for each request of a connection that waits for
    each reply, and some for each handshake."""
    counted = sum(stats["count"] for key, stats in cell.stats.items() if key.startswith("encrypted/"))
    handshakes = 8 * cell.options.connections * (len(cell.lines) + 1)
    if not sent <= counted <= sent + handshakes:
        cell.differences.append(f"turns: {counted} of {sent}")
    cell.expect("the server", theirs, sent)
    return sent, counted, None


def redis(cell):
    """Keys are command/status.  INFO commandstats counts commands, also those that drivers add."""
    expected, theirs, ours = {}, {}, {}
    for how, text, times in cell.lines:
        key = text.split()[0].lower(), how
        expected[key] = expected.get(key, 0) + times
    sent = sum(expected.values())
    before, after = cell.counters(cell.options.before), cell.counters(cell.options.after)
    for name, n in after.items():
        name = name.replace("|", " ")
        if n != before.get(name.replace(" ", "|"), 0) and name != "info":
            theirs[name] = n - before.get(name.replace(" ", "|"), 0)
    if cell.options.mode == "tls":
        return hidden_turns(cell, sent, sum(theirs.get(name, 0) for name in {name for name, _ in expected}))
    counted = right = 0
    for key, stats in cell.stats.items():
        name, status = key.split("/")
        # A command that the server does not know is in none of its counters.  INFO is also the administrator's.
        if status != "ERR" and name != "info":
            ours[name] = ours.get(name, 0) + stats["count"]
    for (name, how), times in expected.items():
        have = sum(stats["count"] for key, stats in cell.stats.items() if key.split("/")[0] == name and
                   key.split("/")[1] == ("WRONGTYPE" if how == "fails" else "ok"))
        counted, right = counted + have, right + (have == times)
        cell.expect(f"{name} ({how})", have, times)
        keys = [key for key in cell.stats if key.startswith(f"{name}/")]
        if how == "delay" and cell.options.pipes == "yes":
            cell.shared(name, keys, times)
        elif how == "delay":
            cell.delayed(name, keys)
    for name in sorted(set(ours) | set(theirs)):
        cell.expect(f"commandstats {name}", ours.get(name, 0), theirs.get(name, 0))
    return sent, counted, (right, len(expected))


def http(cell):
    """Keys are method/path/status.  Lines of the access log are `port method path status`."""
    def pattern(path):
        return re.sub(r"(?<=/)\d+(?=/|$)", "?", path.split("?")[0])

    expected, theirs, ours = {}, {}, {}
    for how, text, times in cell.lines:
        key = f"GET/{pattern(text.replace('%d', '1'))}/{404 if how == 'fails' else 200}"
        expected[key] = expected.get(key, 0) + times
    sent = sum(expected.values())
    before, after = cell.counters(cell.options.before), cell.counters(cell.options.after)
    for line, n in after.items():
        _, method, path, status = line.split(" ")
        key = f"{method}/{pattern(path)}/{status}"
        theirs[key] = theirs.get(key, 0) + n - before.get(line, 0)
    if cell.options.mode == "tls":
        return hidden_turns(cell, sent, sum(theirs.values()))
    ours = {key: stats["count"] for key, stats in cell.stats.items()}
    right = sum(ours.get(key, 0) == times for key, times in expected.items())
    for key, times in expected.items():
        cell.expect(key, ours.get(key, 0), times)
    for key in sorted(set(ours) | set(theirs)):
        cell.expect(f"access log {key}", ours.get(key, 0), theirs.get(key, 0))
    cell.delayed("/slow/", [key for key in ours if key.startswith("GET//slow/")])
    return sent, sum(ours.get(key, 0) for key in expected), (right, len(expected))


FAMILIES = {"mysql": mysql, "postgresql": postgresql, "redis": redis, "http": http}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family", choices=FAMILIES)
    for name in ("load", "hows", "prepares", "pipes", "mode", "value", "rows", "before", "after", "version", "digests"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("rounds", "connections", "lost"):
        parser.add_argument(f"--{name}", type=int, required=True)
    cell = Cell(parser.parse_args())
    sent, counted, right = FAMILIES[cell.options.family](cell)
    lost = cell.options.lost
    verdict = "FAILED: " + "; ".join(cell.differences[:3]) if cell.differences else "passed"
    print(sent, counted, lost, "%d/%d" % right if right else "-", verdict, sep="\t")
    return 1 if cell.differences else 0


if __name__ == "__main__":
    sys.exit(main())
