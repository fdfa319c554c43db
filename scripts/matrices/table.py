"""Prints the document of a file of results: a table per server, and below it each cell that did not pass.
scripts/matrix --table calls it; the file has a line per cell: server, its version, client, its version, mode, sent,
counted, lost, digests, verdict."""
import sys

FIELDS = ("server", "server_version", "client", "client_version", "mode", "sent", "counted", "lost", "digests", "verdict")
MODES = ("plain", "tls", "zlib", "zstd", "gzip", "haproxy", "pgbouncer")
HEAD = """# Servers and clients

`scripts/matrix --table` writes this page from the results of `scripts/matrix`. In each cell a program or
driver that is not ours sends a known load. The number is the count of its statements, commands or requests; each was
counted once, under its digest (and the user who logged in), command or path, and the server's own counters agree: `Com_*`, pg_stat_statements, INFO
commandstats, the access log. A statement that takes 50 ms is in a bucket of 50 ms or more. `pipe` sends 100 commands
at a time, which share the time of their replies; their sum has the 50 ms. Beyond 1023 changes of the command, or 48
different commands, without a reply, a command is counted as `unknown` (redis.commands in heatscope-collector(8)).

| mode | meaning |
|---|---|
| plain | TCP on 127.0.0.1 |
| tls | TLS, which the server demands; of Redis, Valkey, nginx and Apache the number of turns is compared |
| zlib, zstd, gzip | the protocol's compression |
| haproxy, pgbouncer | through this program |
"""

TAIL = """
## Not run

| server or client | why |
|---|---|
| memtier_benchmark, ProxySQL | Debian 12, 13 and sid have no package |
| zstd with MariaDB | the protocol of 10.11 and 11.8 has zlib only |
| compression with PostgreSQL, Redis and Valkey | their protocols have none |
| sysbench and pgbench with failing statements | they end at an error |
| redis-benchmark with failing commands | it ends at an error |
| commands and requests within TLS of Redis, Valkey, nginx, Apache | Heatscope counts turns and does not read them |
| HTTP/2 | Heatscope counts turns |
| other processors, kernels before 6.18 | this machine has one kernel |
"""


def number(text):
    return f"{int(text):,}" if text.isdigit() else text


def result(cell):
    if cell["verdict"] == "passed":
        return number(cell["sent"])
    return "**failed**" if cell["verdict"].startswith("FAILED") else "skipped"


def row(words):
    return "| " + " | ".join(words) + " |"


def version(text):
    """Of a package or server: without epoch, Debian's revision and note."""
    return text.split(":", 1)[-1].split("-")[0].split(" (")[0] if text[:1].isdigit() else text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = [dict(zip(FIELDS, line.rstrip("\n").split("\t"))) for line in file]
    verdicts = [cell["verdict"].split(":")[0] for cell in cells]
    print(HEAD)
    total = sum(int(cell["sent"]) for cell in cells if cell["sent"].isdigit())
    print(f"{verdicts.count('passed')} cells passed, {verdicts.count('FAILED')} failed, {verdicts.count('skipped')} were "
          f"skipped; {total:,} requests were sent.")
    for server in dict.fromkeys(cell["server"] for cell in cells):
        own = [cell for cell in cells if cell["server"] == server]
        modes = [mode for mode in MODES if any(cell["mode"] == mode for cell in own)]
        versions = {cell["server_version"] for cell in own} - {"-"}
        print(f"\n## {server}\n\nVersion {version(', '.join(sorted(versions)))}.\n" if versions else f"\n## {server}\n")
        print(row(["client", "version", *modes]))
        print("|---|---|" + "--:|" * len(modes))
        for client in dict.fromkeys(cell["client"] for cell in own):
            by_mode = {cell["mode"]: cell for cell in own if cell["client"] == client}
            known = [cell["client_version"] for cell in by_mode.values() if cell["client_version"] != "-"] or ["-"]
            print(row([client, version(known[0]), *(result(by_mode[mode]) if mode in by_mode else "" for mode in modes)]))
        others = [cell for cell in own if cell["verdict"] != "passed"]
        if others:
            print()
        for cell in others:
            print(f"- {cell['client']}, {cell['mode']}: {cell['verdict'].replace('|', '/')}")
    print(TAIL, end="")


if __name__ == "__main__":
    main()
