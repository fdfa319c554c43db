"""Shared by all comparisons: interleaved rounds, ratios with an interval, the machine, and the programs under test."""
import argparse
import contextlib
import datetime
import functools
import json
import os
import platform
import random
import re
import shlex
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments(description, **defaults):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    defaults = {"out": "bench-out", "build": os.path.join(TOP, "build"), "seed": 1, **defaults}
    for name, value in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.build, "heatscoped")):
        subprocess.run([os.path.join(TOP, "scripts", "build"), options.build], check=True, stdout=sys.stderr)
    options.build = os.path.abspath(options.build)
    os.environ["PATH"] = options.build + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin"
    return options


@functools.cache
def program(build, name):
    """The path of a program of the tests, which is built at the first call: program(options.build, "test/bench/event")."""
    subprocess.run(["make", "-s", "-C", build, name], check=True, stdout=sys.stderr)
    return os.path.join(build, name)


# --- numbers

def median(values):
    return statistics.median(values) if values else float("nan")


def ratio(a, b, n=2000, seed=1):
    """The median of a over that of b, and its 95 % interval by bootstrap over the rounds."""
    chance = random.Random(seed)
    draws = sorted(median(chance.choices(a, k=len(a))) / median(chance.choices(b, k=len(b))) for _ in range(n))
    return median(a) / median(b), draws[int(n * 0.025)], draws[int(n * 0.975)]


def middle(values):
    """The mean of the middle half: less moved by a segment in which the machine stood still than a mean, less noisy than a median."""
    values = sorted(values)
    cut = len(values) // 4
    return statistics.fmean(values[cut:len(values) - cut]) if values else float("nan")


def quantile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, max(0, int(-(-p * len(values) // 1)) - 1))]


def interleaved(variants, rounds, seed, run):
    """run(name) for every variant in every round, in an order that is drawn again for each round; {name: [result]}."""
    results = {name: [] for name in variants}
    chance = random.Random(seed)
    for i in range(rounds):
        order = list(variants)
        chance.shuffle(order)
        for name in order:
            results[name].append(run(name))
        progress("round %d of %d" % (i + 1, rounds))
    progress("")
    return results


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K" + text)
        sys.stderr.flush()


# --- machine and report

def machine():
    with open("/proc/cpuinfo") as f:
        model = re.search(r"model name\s*: (.*)", f.read())
    with open("/proc/meminfo") as f:
        memory = int(re.search(r"MemTotal:\s*(\d+)", f.read()).group(1))
    return {"cpu": model.group(1) if model else platform.machine(), "cpus": os.cpu_count(),
            "memory_gib": round(memory / 2**20, 1), "kernel": platform.release(),
            "load": os.getloadavg()[0], "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds")}


def version(*command):
    try:
        text = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        return text.splitlines()[0] if text else "?"
    except FileNotFoundError:
        return None


def save(options, name, method, results, **more):
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, name + ".json")
    with open(path, "w") as f:
        json.dump({"bench": name, "machine": machine(), "method": method, "results": results, **more}, f, indent=1)
    print("raw numbers: " + path)


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))))


def interval(r, digits=3):
    return "%.*f [%.*f %.*f]" % (digits, r[0], digits, r[1], digits, r[2])


# --- programs under test

@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="heatscope-bench.")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def mariadb(path, *options, cpu=None):
    script = os.path.join(TOP, "scripts", "mariadb")
    text = subprocess.run([script, "start", path, *options], check=True, capture_output=True, text=True).stdout
    server = dict(word.split("=", 1) for word in shlex.split(text))
    if cpu is not None:
        subprocess.run(["taskset", "-a", "-c", "-p", str(cpu), server["MARIADB_PID"]], check=True, capture_output=True)
    try:
        yield server
    finally:
        subprocess.run([script, "stop", path], capture_output=True)


def sql(server, statement):
    return subprocess.run(["mariadb", "--no-defaults", "--socket=" + server["MARIADB_SOCKET"], "--user=root", "-N", "-B",
                           "-e", statement], check=True, capture_output=True, text=True).stdout


def until(condition, seconds=20, what="it"):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("bench: %s did not happen within %g s" % (what, seconds))
        time.sleep(0.02)


class Unix:
    """Just enough HTTP over the daemon's Unix socket."""

    def __init__(self, path):
        self.path = path

    def open(self, method, target, body=None):
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.path)
        data = json.dumps(body).encode() if body is not None else b""
        s.sendall(("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                   "Content-Length: %d\r\n\r\n" % (method, target, len(data))).encode() + data)
        return s

    def request(self, method, target, body=None):
        import http.client
        with self.open(method, target, body) as s:
            reply = http.client.HTTPResponse(s, method=method)
            reply.begin()
            data = reply.read()
        if reply.status >= 300:
            raise SystemExit("bench: %s %s: %d %s" % (method, target, reply.status, data.decode(errors="replace").strip()))
        return data

    def get(self, target, **parameters):
        if parameters:
            target += "?" + urllib.parse.urlencode(parameters)
        return json.loads(self.request("GET", target))


def stop(process):
    """True: it ended when it was asked to."""
    if process and process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False
    return True


class Heatscope:
    """A heatscoped and a collector of our own."""

    def __init__(self, path, collector=True, cpu=None, log=None, options=(), port=None, page=None):
        self.path, self.log = path, open(log or os.path.join(path, "heatscope.log"), "a")
        self.http = Unix(os.path.join(path, "http"))
        pin = ["taskset", "-c", str(cpu)] if cpu is not None else []
        # A browser needs a port; we have the socket either way.
        served = ["--listen", "127.0.0.1:%d" % port, "--api-socket", self.http.path, "--page", page] if port else [
            "--listen", "unix:" + self.http.path]
        self.daemon = subprocess.Popen([*pin, "heatscoped", "--no-config", *served, "--socket", os.path.join(path, "ingest"),
                                        "--database", os.path.join(path, "heatscope.db")], stderr=self.log)
        until(lambda: os.path.exists(self.http.path), what="the start of heatscoped")
        self.pin, self.collector, self.options = pin, None, list(options)
        if collector:
            self.start_collector()

    def start_collector(self):
        self.collector = subprocess.Popen([*self.pin, "heatscope-collector", "--socket", os.path.join(self.path, "ingest"),
                                           "--spool", os.path.join(self.path, "spool"), *self.options], stderr=self.log)
        until(lambda: self.http.get("/ca")["metrics"], what="the collector's hello")

    def create(self, module, stat, fields, measures, **more):
        made = json.loads(self.http.request("POST", "/ca/instrumentations", {
            "module": module, "stat": stat, "decomposition": fields, "measures": measures, **more}))
        sources = []

        def is_active():
            sources[:] = self.http.get(made["uri"])["sources"]
            if any(s["state"] == "failed" for s in sources):
                raise SystemExit("bench: %s.%s: %s" % (module, stat, sources))
            return any(s["state"] == "active" for s in sources)

        until(is_active, what="the enabling of %s.%s" % (module, stat))
        return made["uri"]

    def enable(self, uri, on):
        """Returns when it counts; or when nothing of it is left in the kernel, where there is no other."""
        self.http.request("PUT", uri, {"enabled": on})
        if on:
            until(lambda: any(s["state"] in ("active", "partial") for s in self.http.get(uri)["sources"]), what="the enabling")
        else:
            until(lambda: not kernel_objects(self.collector.pid, "bpf_link"), what="the detaching")

    def delete(self, uri):
        self.http.request("DELETE", uri)
        until(lambda: True)

    def close(self):
        stop(self.collector)
        stop(self.daemon)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run_seconds(pid):
    """On the CPU, of all threads, in seconds: the scheduler's own figure, finer than clock ticks."""
    total = 0
    for task in os.listdir("/proc/%d/task" % int(pid)):
        with contextlib.suppress(OSError), open("/proc/%d/task/%s/schedstat" % (int(pid), task)) as f:
            total += int(f.read().split()[0])
    return total / 1e9


def favour(pid):
    """Before others who want its CPU: in its session's group, and that in front of the other sessions' groups."""
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/%d/task" % pid):
            os.setpriority(os.PRIO_PROCESS, int(task), -19)
        with open("/proc/%d/autogroup" % pid, "w") as f:
            f.write("-19")


def kernel_objects(pid, kind):
    """How many descriptors of that kind it has."""
    n = 0
    for fd in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(OSError):
            n += kind in os.readlink("/proc/%d/fd/%s" % (pid, fd))
    return n


def memory_bytes(pid, field="VmRSS"):
    with open("/proc/%d/status" % int(pid)) as f:
        return int(re.search(field + r":\s*(\d+) kB", f.read()).group(1)) * 1024


@contextlib.contextmanager
def tracefs():
    """bpftrace's own tracepoints need it."""
    path = "/sys/kernel/tracing"
    mounted = bool(os.listdir(path))
    if not mounted:
        subprocess.run(["mount", "-t", "tracefs", "nodev", path], check=True)
    try:
        yield
    finally:
        if not mounted:
            subprocess.run(["umount", path], capture_output=True)
