"""One program of the check: runs it in a process group of its own, ends it and all its descendants, reads its TAP."""
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

MARK = "HEATSCOPE_CHECK_JOB"  # in the environment of a job and of every process that it starts
FINDING = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:")
SIGNALLED = re.compile(r"ended by signal|Segmentation fault|core dumped")


RUNNING = {}  # mark: the process of every job that runs
STOPPED = threading.Event()  # no job begins any more


class Job:
    """A program, its limit in seconds, and what came out.  `form` says how its result is read:

    tap     it prints TAP: a plan, and "ok" or "not ok" lines; exit status 77 skips all of it
    status  its exit status is the result of one test; 77 skips
    step    the same, for what prepares tests: its log is shown when it fails
    """

    def __init__(self, name, command, *, kind, limit, log, form="tap", cwd=None, env=None, nice=0):
        self.given = {"kind": kind, "limit": limit, "log": log, "form": form, "cwd": cwd, "env": env, "nice": nice}
        self.name, self.command, self.kind, self.limit, self.form = name, command, kind, limit, form
        self.log, self.cwd, self.env, self.nice = Path(log), cwd, env or {}, nice
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0
        self.names = []  # of its tests, as TAP has them
        self.skips = []  # the lines that say what was skipped, and why
        self.problem = ""  # why it failed, beyond its own "not ok" lines
        self.crashed = False  # a signal or a finding of a sanitizer: never run again

    def again(self):
        """The same job, not run."""
        return Job(self.name, self.command, **self.given)

    def run(self):
        if STOPPED.is_set():
            raise SystemExit(1)
        mark = f"{os.getpid()}.{id(self)}.{time.monotonic_ns()}"
        began = time.monotonic()
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                self.command, cwd=self.cwd, env={**os.environ, **self.env, MARK: mark}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, preexec_fn=lambda: be_nice(self.nice))
            RUNNING[mark] = process
            ended = end_within(process, self.limit)
        self.seconds = time.monotonic() - began
        left = end_descendants(mark)
        del RUNNING[mark]
        self.read(process.returncode)
        if not ended:
            self.fail(f"did not end within {self.limit} s and was killed")
        elif left:
            self.fail("left running: " + ", ".join(left))
        return self

    def read(self, status):
        text = self.log.read_text(errors="replace")
        self.crashed = status < 0 or bool(FINDING.search(text) or SIGNALLED.search(text))
        if status == 77:
            self.skipped = 1
            self.skips = [line for line in text.splitlines() if "skip" in line.lower()][:1]
        elif self.form == "tap":
            self.read_tap(text, status)
        elif status == 0:
            self.passed = 1
            self.names = [self.name] if self.form == "status" else []
        else:
            self.fail(f"ended with status {status}")
        if self.form != "step" and status == 0 and FINDING.search(text):
            self.fail("a sanitizer found something")

    def read_tap(self, text, status):
        plan = None
        for line in text.splitlines():
            found = re.match(r"(ok|not ok)\b[ \d]*(?:- )?(.*)", line)
            if found:
                self.count(found[1], found[2])
            elif re.match(r"1\.\.\d+", line):
                plan = int(re.match(r"1\.\.(\d+)", line)[1])
                if plan == 0:
                    self.skipped += 1
                    self.skips.append(line)
        n = len(self.names)
        if status != 0 and self.failed == 0:
            self.fail(f"ended with status {status}")
        elif plan is None and self.failed == 0:
            self.fail("printed no plan (1..N)")
        elif plan is not None and plan != n and self.failed == 0:
            self.fail(f"planned {plan} tests and ran {n}")

    def count(self, result, name):
        self.names.append(name)
        if re.search(r"# *skip", name, re.I):
            self.skipped += 1
            self.skips.append(name)
        elif result == "ok":
            self.passed += 1
        else:
            self.failed += 1

    def fail(self, problem):
        self.failed += 1
        self.problem += f"not ok - {self.name}: {problem}\n"

    def report(self):
        """The part of the log that shows a failure, and why it failed; "" without a failure."""
        if self.failed == 0:
            return ""
        lines = self.log.read_text(errors="replace").splitlines()
        if self.form == "tap":
            shown = around(lines, r"not ok", 5, 12)
        else:
            shown = around(lines, r".*(error|\*\*\*|not ok|FAIL)", 0, 2)
        text = "\n".join(shown[-60:] or lines[-20:])
        return f"{text}\n{self.problem}    whole log: {self.log}\n"


def be_nice(nice):
    """Lowers the priority of a process that is about to become a job.  Linux first shares the CPUs between sessions, by
    the nice value of each session's group, where it makes such groups."""
    os.nice(nice)
    try:
        Path("/proc/self/autogroup").write_text(str(nice))
    except OSError:
        pass


def renice_all(nice):
    """Gives every job that runs another priority.  A higher one needs root; without it they keep theirs."""
    for process in list(RUNNING.values()):
        try:
            os.setpriority(os.PRIO_PGRP, process.pid, nice)
            Path(f"/proc/{process.pid}/autogroup").write_text(str(nice))
        except OSError:
            pass


def end_all():
    """Ends every job that runs; no other begins."""
    STOPPED.set()
    for mark, process in list(RUNNING.items()):
        end_within(process, 0)
        end_descendants(mark)


def around(lines, pattern, before, after):
    """The lines that match, with those before and after each."""
    wanted = set()
    for i, line in enumerate(lines):
        if re.match(pattern, line):
            wanted.update(range(max(0, i - before), min(len(lines), i + after + 1)))
    return [lines[i] for i in sorted(wanted)]


def end_within(process, seconds):
    """Waits for a process; after `seconds` ends its group: politely, so that its traps stop its servers, then not.
    True: it ended by itself."""
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        pass
    for sent, wait in ((signal.SIGTERM, 15), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, sent)
            process.wait(wait)
            break
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    process.wait()
    return False


def marked(mark):
    """The processes whose environment has the mark, by their id: descendants, also those in a session of their own."""
    wanted = f"{MARK}={mark}".encode()
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if wanted in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = Path(entry.path, "comm").read_text().strip()
            except OSError:
                continue
    return found


def end_descendants(mark):
    """Ends what a job left; gives the names of what did not end by itself within two seconds."""
    for _ in range(40):
        left = marked(mark)
        if not left:
            time.sleep(0.01)  # a process that begins another program has no environment for a moment
            left = marked(mark)
        if not left:
            return []
        time.sleep(0.05)
    for sent in (signal.SIGTERM, signal.SIGKILL):
        for pid in marked(mark):
            try:
                os.kill(pid, sent)
            except ProcessLookupError:
                pass
        time.sleep(1)
    return sorted(left.values())
