"""The check: builds, then runs the tests of the stages in lanes at the same time.  scripts/check says how it is called.

    serial   tests that load programs into the kernel or start database servers: first, three at a time, those that look
             only at what they start themselves, then the others, one after the other
    page     the page in a browser, which takes longest of all, and at the same time end-to-end tests on recordings
    build    the build with sanitizers and its unit tests, from the files that a tarball has; distcheck

The serial lane has the highest priority: its tests wait for servers and slots most of the time, and the other lanes use
that time.  Once the other lanes have ended, the build lane has the highest priority too: it would come last of all that
a busy machine does.
"""
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import plan
from job import Job, end_all, renice_all

TOP = Path(__file__).resolve().parents[2]
OUT = TOP / "build/check"
LOG = OUT / "log"
PLAIN, SANITIZE = OUT / "plain", OUT / "sanitize"
TARBALL = OUT / "tarball"  # the files that a tarball has
SANITIZED = ["--enable-sanitizers", "--disable-ui", "CFLAGS=-g1 -O1"]
UNOPTIMIZED = ["CFLAGS=-g1 -O0"]  # test programs: compiling them takes longer than running them
TEMPLATES = OUT / "templates"  # new data directories of servers, which tests copy
N_CPUS = len(os.sched_getaffinity(0))
NICE = {"serial": 0, "page": 5, "build": 10}
WIDTH = {"serial": 1, "page": 2, "build": 1}  # how many steps of a lane run at the same time

STAGES = ["unit", "sanitizers", "kernel", "e2e", "browser", "dist", "kernel-sanitizers", "deb", "containers", "matrix", "soak"]
TIERS = {
    "quick": ["unit"],
    "standard": ["sanitizers", "kernel", "e2e", "browser", "dist"],
    "nightly": STAGES,
}


class Check:
    """The steps of each lane, and the results so far.  Lanes are threads: they share the results under `lock`."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lanes = {lane: [] for lane in NICE}
        self.paired = []  # end-to-end tests that end the serial lane, some at a time
        self.kernel = []  # tests of `make check` that need the kernel, run with those; plan.LONGEST is the first
        self.last = []  # after the lanes, one after the other
        self.jobs, self.repeated = [], []
        self.passed = self.failed = self.skipped = 0
        self.nightly = False
        self.n_lanes = 0  # that have not ended

    # --- one job ---------------------------------------------------------------------------------------

    def run(self, name, command, lane, kind, build=PLAIN, form="tap", quiet=False, source=TOP):
        """Runs a program and adds it to the sum; `quiet`: prints it only if it fails.  True: it passed."""
        env = {"HEATSCOPE_BUILD": str(build), "HEATSCOPE_TEMPLATES": str(TEMPLATES)}
        env.update({"srcdir": str(source), "builddir": "."})
        log = LOG / (name.replace(", ", ".").translate(str.maketrans(" /", "__")) + ".log")
        job = Job(name, command, kind=kind, form=form, limit=plan.LIMITS[kind], log=log, nice=NICE[lane],
                  cwd=build if build.is_dir() else source, env=env).run()
        test = name.split(", ")[0]
        if job.failed and not job.crashed and kind != "unit" and test in plan.WALL_TIME:
            with self.lock:
                self.repeated.append(test)
            job.log.replace(job.log.with_suffix(".first.log"))
            job = job.again().run()
        self.finish(job, quiet)
        return job.failed == 0

    def finish(self, job, quiet):
        with self.lock:
            self.jobs.append(job)
            self.passed += job.passed
            self.failed += job.failed
            self.skipped += job.skipped
            if not quiet or job.failed or job.skipped:
                self.line(job.name, job.seconds, job)
            if job.failed:
                print(job.report(), end="")
            for reason in job.skips:
                print(f"    {reason}")
            self.mend_null(job.name)
            sys.stdout.flush()

    @staticmethod
    def line(name, seconds, sums):
        print(f"{name:<44} {seconds:6.1f} s {sums.passed:5d} passed, {sums.failed} failed, {sums.skipped} skipped")

    def mend_null(self, name):
        """A plain file in the place of /dev/null grows, is read as input, and fails tests that have nothing to do with
        it.  Programs that replace what they write to leave one when they run as root."""
        if stat.S_ISCHR(os.stat("/dev/null").st_mode):
            return
        made = "mknod -m 666 /dev/null.made c 1 3 && mv -f /dev/null.made /dev/null"
        if subprocess.run(["sh", "-c", made], stdin=subprocess.PIPE, check=False).returncode != 0:
            sys.exit("check: /dev/null is not the device; as root: rm -f /dev/null; mknod -m 666 /dev/null c 1 3")
        print(f"not ok - /dev/null was not the device after {name}: made again")
        self.failed += 1

    # --- builds ----------------------------------------------------------------------------------------

    def build(self, folder, what, lane, programs, options=(), variables=(), source=TOP):
        """Configures and builds a folder; then the test programs that `programs` gives for it, with these variables."""
        command = [str(source / "scripts/build"), str(folder), *options]
        if not self.run(f"build {what}", command, lane, "build", source, "step"):
            return False
        command = ["make", "-s", f"-j{N_CPUS}", "-C", str(folder), *variables, *programs(folder)]
        return self.run(f"test programs {what}", command, lane, "build", folder, "step")

    def build_sanitized(self, lane, programs):
        """Builds with sanitizers from the files that a tarball has: a test fails whose source or data it lacks."""
        make = f"make -s distdir distdir=tarball && rm -rf {TARBALL} && mv tarball {TARBALL}"
        return (self.run("the tarball's files", ["sh", "-c", make], lane, "build", PLAIN, "step") and
                self.build(SANITIZE, "with sanitizers", lane, programs, SANITIZED, UNOPTIMIZED, TARBALL))

    # --- stages ----------------------------------------------------------------------------------------

    def unit_tests(self, build, what, source=TOP):
        """Runs the tests of `make check` that do not need the kernel."""
        tests = [test for test in plan.make_check_tests(build) if not plan.is_kernel(test)]
        began = time.monotonic()
        steps = [lambda test=test: self.test(build, what, test, "build", "unit", quiet=True, source=source) for test in tests]
        at_a_time(steps, N_CPUS)
        with self.lock:
            self.line(f"unit tests, {what}", time.monotonic() - began,
                      Sum(job for job in self.jobs if job.kind == "unit" and job.name.endswith(f", {what}")))
            sys.stdout.flush()

    def kernel_tests(self, build, what):
        """Returns a step per test of `make check` that needs the kernel; plan.LONGEST is the first."""
        tests = [test for test in plan.make_check_tests(build) if plan.is_kernel(test)]
        tests.sort(key=lambda test: plan.name_of(test) != plan.LONGEST)
        return [lambda test=test: self.test(build, what, test, "serial", "kernel", quiet=False) for test in tests]

    def test(self, build, what, test, lane, kind, quiet, source=TOP):
        program = build / test if (build / test).exists() else source / test
        form = "status" if program.suffix == ".sh" else "tap"
        self.run(f"{plan.name_of(test)}, {what}", [str(program)], lane, kind, build, form, quiet, source)

    def stage_unit(self):
        self.lanes["build"].append(lambda: self.unit_tests(PLAIN, "plain"))

    def stage_sanitizers(self):
        def run():
            if self.build_sanitized("build", plan.unit_programs):
                self.unit_tests(SANITIZE, "sanitizers", TARBALL)

        self.lanes["build"].append(run)
        self.lanes["page"].append(lambda: self.test(PLAIN, "plain", plan.PAGE, "page", "unit", quiet=False))

    def stage_kernel(self):
        self.kernel = self.kernel_tests(PLAIN, "plain")

    def stage_kernel_sanitizers(self):
        def run():
            if self.build_sanitized("serial", plan.kernel_programs):
                at_a_time(self.kernel_tests(SANITIZE, "sanitizers"), plan.AT_A_TIME)

        self.last.append(run)

    def stage_e2e(self):
        found = plan.end_to_end(TOP, PLAIN)
        for name in plan.OWN + sorted(found.keys() - set(plan.OWN) - plan.APART):
            self.add_end_to_end(name, found[name])

    def add_end_to_end(self, name, path):
        lane = "page" if name in plan.ALONGSIDE else "serial"
        steps = self.paired if name in plan.OWN else self.lanes[lane]
        longer = plan.LONGER.get(name, []) if self.nightly else []
        steps.append(lambda: self.run(name, [str(path), *longer], lane, "e2e"))

    def stage_browser(self):
        self.lanes["page"].insert(0, lambda: self.run("browser", [str(TOP / "test/browser/run")], "page", "browser"))

    def stage_dist(self):
        """distcheck builds the programs from a tarball, installs and uninstalls them.  The build with sanitizers has the
        unit tests of the same files, so it builds only those of the kernel here, and runs none; nightly all."""

        def run():
            some = ["TESTS=", "check_PROGRAMS=" + " ".join(plan.kernel_programs(PLAIN))]
            self.run("distcheck", ["make", "-C", str(PLAIN), f"-j{N_CPUS}", "distcheck", *([] if self.nightly else some),
                                   "DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0"], "build", "dist", PLAIN, "step")

        self.lanes["build"].append(run)

    def stage_deb(self):
        self.last.append(lambda: self.run("e2e/deb", [str(TOP / "test/e2e/deb")], "serial", "deb"))

    def stage_containers(self):
        """The steps of the Dockerfiles, in chroots."""
        self.last.append(lambda: self.run("e2e/containers, built", [str(TOP / "test/e2e/containers"), "--build", str(TOP / "build/containers")],
                                          "serial", "containers"))

    def stage_matrix(self):
        """All servers and clients, those of other releases in chroots; then the D scripts on the MySQL that is in one of them, and
        the systems that read metrics."""
        trees = TOP / "build/matrix"
        self.last.append(lambda: self.run("e2e/matrix, whole", [str(TOP / "test/e2e/matrix"), "--whole", "--dir", str(trees)],
                                          "serial", "matrix"))
        self.last.append(lambda: self.run("e2e/dtrace_mysql, MySQL", [str(TOP / "test/e2e/dtrace_mysql"), str(trees / "sid")],
                                          "serial", "matrix"))
        self.last.append(lambda: self.run("e2e/clickhouse, whole", [str(TOP / "test/e2e/clickhouse"), "--whole"],
                                          "serial", "matrix"))
        self.last.append(lambda: self.run("e2e/monitors, whole", [str(TOP / "test/e2e/monitors"), "--whole", "--trees", str(trees)],
                                          "serial", "matrix"))

    def stage_soak(self):
        self.last.append(lambda: self.run("e2e/soak", [str(TOP / "test/e2e/soak")], "serial", "soak", form="status"))

    def add_tests(self, names):
        """Tests by their names: end to end, or of `make check` in the plain build.  Returns the names no test has."""
        end_to_end, tests = plan.end_to_end(TOP, PLAIN), plan.make_check_tests(PLAIN)
        unknown = []
        for name in names:
            for test in plan.named(name, tests):
                kind = "kernel" if plan.is_kernel(test) else "unit"
                self.lanes["serial"].append(
                    lambda test=test, kind=kind: self.test(PLAIN, "plain", test, "serial", kind, quiet=False))
            for test in plan.named(name, end_to_end):
                self.add_end_to_end(test, end_to_end[test])
            if not plan.named(name, [*tests, *end_to_end]):
                unknown.append(name)
        return unknown

    # --- all of it -------------------------------------------------------------------------------------

    def go(self, stages, names):
        """Builds, plans and runs.  Stages and tests are planned after the build, which knows the tests."""
        if not self.build(PLAIN, "plain", "serial", lambda build: programs(build, stages, names)):
            return
        for stage in stages:
            getattr(self, "stage_" + stage.replace("-", "_"))()
        for name in self.add_tests(names):
            self.failed += 1
            print(f"not ok - there is no stage or test {name}; see scripts/check --help")
        # First those that have the kernel to themselves: they mostly wait, and the other lanes have the CPUs meanwhile.  Then
        # the longest test, the end-to-end tests, and the other tests of the kernel.
        paired = self.kernel[:1] + self.paired + self.kernel[1:]
        self.lanes["serial"].append(lambda: at_a_time(paired, plan.AT_A_TIME))
        self.run_lanes()
        at_a_time(self.last, 1)

    def run_lanes(self):
        self.n_lanes = len(self.lanes)
        at_a_time([lambda lane=lane: self.run_lane(lane) for lane in self.lanes], len(self.lanes))

    def run_lane(self, lane):
        at_a_time(self.lanes[lane], WIDTH[lane])
        with self.lock:
            self.n_lanes -= 1
            if self.n_lanes == 1:
                NICE.update(dict.fromkeys(NICE, 0))
                renice_all(0)


class Sum:
    def __init__(self, jobs):
        jobs = list(jobs)
        self.passed = sum(job.passed for job in jobs)
        self.failed = sum(job.failed for job in jobs)
        self.skipped = sum(job.skipped for job in jobs)


def at_a_time(steps, n):
    """Runs the steps in their order, n of them at the same time."""
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(lambda step: step(), steps))


def programs(build, stages, names):
    """The targets of the plain build for the stages and tests."""
    wanted = ["all"]
    if "unit" in stages:
        wanted += plan.unit_programs(build)
    if {"kernel", "e2e"} & set(stages):
        wanted += plan.kernel_programs(build)
    if names:
        wanted += plan.helpers(build)
        for name in names:
            wanted += plan.named(name, plan.make_variable(build, "check_PROGRAMS"))
            if any(plan.is_kernel(test) for test in plan.named(name, plan.make_check_tests(build))):
                wanted += plan.kernel_programs(build)  # one of these tests runs others
    return wanted


def main(arguments):
    arguments = arguments or ["standard"]
    chosen = [stage for argument in arguments for stage in TIERS.get(argument, [argument])]
    stages = [stage for stage in STAGES if stage in chosen]
    names = [name for name in chosen if name not in STAGES]
    began = time.monotonic()
    LOG.mkdir(parents=True, exist_ok=True)
    for old in LOG.iterdir():
        old.unlink()
    shutil.rmtree(TEMPLATES, ignore_errors=True)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    check = Check()
    check.mend_null("the check before")
    check.nightly = "nightly" in arguments
    try:
        check.go(stages, names)
    except KeyboardInterrupt:
        return 130
    return closing(check, time.monotonic() - began)


def stop(*_):
    """For a signal: ends the jobs, which lets the lanes come to their end."""
    end_all()
    raise KeyboardInterrupt


def closing(check, seconds):
    """The names of all tests, the slowest, what was repeated, the sum."""
    names = sorted(f"{job.name}: {name}" for job in check.jobs for name in job.names)
    (LOG / "names").write_text("\n".join(names) + "\n")
    slowest = sorted((job for job in check.jobs if job.form != "step"), key=lambda job: -job.seconds)[:10]
    if len(slowest) > 1:
        print("the slowest: " + ", ".join(f"{job.name} {job.seconds:.0f} s" for job in slowest))
    if check.repeated:
        repeated = ", ".join(f"{name} ({plan.WALL_TIME[name]})" for name in check.repeated)
        print(f"failed at first and were run again: {repeated}")
    print(f"{seconds // 60:.0f} min {seconds % 60:.0f} s; names of all tests: {LOG / 'names'}")
    print(f"{check.passed} passed, {check.failed} failed, {check.skipped} skipped")
    return 0 if check.failed == 0 and check.jobs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
