"""The cost of redis.commands and http.requests: throughput of a server that is saturated, and CPU at 10,000 requests a second.

saturated   redis-benchmark with 50 connections, without pipelining and in pipelines of 16; wrk with 20 connections for a
            small file.  The server has CPU 0 for itself; client and Heatscope share the other CPUs.
paced       a client of our own sends 10,000 requests a second over 10 connections.  CPU is that of server, collector and
            heatscoped together; 1 point is 1 % of one CPU.

The arms come in an order that is drawn again for each round; figures are medians, intervals by bootstrap over the rounds.
"Nothing again" is a second arm without an instrument: it shows the accuracy of the method.  Heatscope looks at every event
(--budget 0).
"""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import time

from measure import Heatscope, arguments, folder, interleaved, interval, median, ratio, run_seconds, save, stop, table, until, version

CPU = "0"
PARTS = ["latency", "cputime", "runqwait", "blocked", "unsplit"]
RATE, CONNECTIONS = 10000, 10
NOTHING = ["nothing", "nothing again"]
NGINX = """daemon off; master_process off; pid {0}/nginx.pid; error_log {0}/nginx.log;
events {{ worker_connections 256; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {0}/t1; proxy_temp_path {0}/t2; fastcgi_temp_path {0}/t3;
uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5;
server {{ listen 127.0.0.1:{1}; root {0}; }} }}
"""


def others():
    n = os.cpu_count()
    return "1-%d" % (n - 1) if n > 1 else "0"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


class Server:
    """One that listens on loopback, pinned to CPU 0."""

    def __init__(self, path, port, command, loads, request, ends, arms, metric):
        self.port, self.loads, self.request, self.ends, self.arms, self.metric = port, loads, request, ends, arms, metric
        self.process = subprocess.Popen(["taskset", "-c", CPU, *command], stdout=open(os.path.join(path, "server.log"), "w"),
                                        stderr=subprocess.STDOUT)
        until(self.answers, what="the server's start")

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def saturated(self, load, seconds):
        """Requests per second."""
        text = subprocess.run(["taskset", "-c", others(), *self.loads[load](seconds)], check=True, capture_output=True, text=True).stdout
        found = re.search(r"([\d.]+) requests per second|Requests/sec:\s*([\d.]+)", text)
        return float(found.group(1) or found.group(2))

    def paced(self, seconds, pids):
        """CPU points of these processes, while it answers RATE requests a second."""
        conns = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(CONNECTIONS)]
        for s in conns:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        before, begin, tick = sum(map(run_seconds, pids)), time.monotonic(), CONNECTIONS / RATE
        for i in range(int(seconds / tick)):
            for s in conns:
                s.sendall(self.request)
            for s in conns:
                got = b""
                while self.ends not in got:
                    got += s.recv(4096)
            time.sleep(max(0, begin + (i + 1) * tick - time.monotonic()))
        took = time.monotonic() - begin
        used = sum(map(run_seconds, pids)) - before
        for s in conns:
            s.close()
        return {"points": 100 * used / took, "rate": int(seconds / tick) * CONNECTIONS / took}


def redis(path):
    port = free_port()
    benchmark = ["redis-benchmark", "-p", str(port), "-c", "50", "-t", "get", "-q"]
    loads = {"pipeline 1": lambda s: [*benchmark, "-n", str(int(70000 * s))],
             "pipeline 16": lambda s: [*benchmark, "-P", "16", "-n", str(int(700000 * s))]}
    return Server(path, port, ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", path], loads,
                  b"*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n", b"\r\n",
                  {"latency": (["command", "latency"], ["latency"]), "parts": (["command", "latency"], PARTS)}, ("redis", "commands"))


def nginx(path):
    port = free_port()
    with open(os.path.join(path, "nginx.conf"), "w") as f:
        f.write(NGINX.format(path, port))
    with open(os.path.join(path, "small.txt"), "w") as f:
        f.write("x" * 100 + "end")
    os.chmod(path, 0o755)
    loads = {"small file": lambda s: ["wrk", "-t1", "-c20", "-d%ds" % max(1, round(s)), "http://127.0.0.1:%d/small.txt" % port]}
    return Server(path, port, [shutil.which("nginx"), "-c", os.path.join(path, "nginx.conf"), "-p", path], loads,
                  b"GET /small.txt HTTP/1.1\r\nHost: a\r\n\r\n", b"xend",
                  {"latency": (["method", "class", "latency"], ["latency"]), "parts by path": (["path", "class", "latency"], PARTS)},
                  ("http", "requests"))


@contextlib.contextmanager
def enabled(heatscope, server, name):
    if name in NOTHING:
        time.sleep(0.5)
        yield
        return
    uri = heatscope.create(*server.metric, *server.arms[name])
    try:
        time.sleep(0.3)
        yield
    finally:
        heatscope.delete(uri)
        time.sleep(0.3)


def compared(options, heatscope, server):
    arms, pids = [*NOTHING, *server.arms], [server.process.pid, heatscope.collector.pid, heatscope.daemon.pid]

    def run(name):
        with enabled(heatscope, server, name):
            figures = {load: server.saturated(load, options.seconds) for load in server.loads}
            return {**figures, **server.paced(options.seconds, pids)}

    run(NOTHING[0])			# warm
    results = interleaved(arms, options.rounds, options.seed, run)
    base = results[NOTHING[0]]
    rows = []
    for name in arms:
        own = results[name]
        rows.append([name, *(interval(ratio([r[load] for r in own], [r[load] for r in base])) for load in server.loads),
                     "%.1f" % median([r["points"] for r in own]),
                     "%+.1f" % (median([r["points"] for r in own]) - median([r["points"] for r in base])), "%.0f" % median([r["rate"] for r in own])])
    print("%s.%s: with nothing %s requests a second" % (
        *server.metric, ", ".join("%s %.0f" % (load, median([r[load] for r in base])) for load in server.loads)))
    table(["", *("ratio, " + load for load in server.loads), "CPU points, paced", "more", "requests/s"], rows)
    return results


def main():
    options = arguments(__doc__, rounds=15, seconds=1.0, servers="redis,nginx")
    made, results = {"redis": redis, "nginx": nginx}, {}
    for name in options.servers.split(","):
        with folder() as path:
            for part in "server", "heatscope":
                os.mkdir(os.path.join(path, part))
            server = made[name](os.path.join(path, "server"))
            try:
                with Heatscope(os.path.join(path, "heatscope"), cpu=others(), options=["--budget", "0"]) as heatscope:
                    results[name] = compared(options, heatscope, server)
            finally:
                stop(server.process)
    save(options, "servers", __doc__, results, versions={"redis": version("redis-server", "--version"), "nginx": version("nginx", "-V"),
                                                         "wrk": version("wrk", "-v")})


main()
