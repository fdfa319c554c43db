"""Which tests there are, what each needs, and how long each may take."""
import os
import subprocess
from pathlib import Path

# A test is named by its path below test/.  End-to-end tests are the programs of test/e2e that `make check` does not
# run.
#
# A collector sees the queries of every server on the host, so such a test is in one of three sets:
#
# ALONGSIDE starts no database server and counts nothing of the whole host: it runs at the same time as any other.
ALONGSIDE = {"e2e/bus", "e2e/bus_users", "e2e/ca", "e2e/cli", "e2e/clickhouse", "e2e/containers", "e2e/fleet",
             "e2e/grafana", "e2e/group", "e2e/hosts", "e2e/monitors", "e2e/openapi", "e2e/otlp",
             "e2e/prometheus_api", "e2e/readers", "e2e/report", "e2e/terminal", "e2e/watch"}
# OWN looks only at its own server or program, by a predicate, or wants no more than that its own load is seen, too:
# AT_A_TIME of them run at the same time, the slowest first.  Most of their time they wait.
AT_A_TIME = 4
OWN = ["e2e/privilege", "e2e/readme", "e2e/matrix", "e2e/postgresql", "e2e/http", "e2e/redis", "e2e/memory_postgresql", "e2e/wall_clock", "e2e/kill", "e2e/hangs", "e2e/dies", "e2e/running", "e2e/exemplars",
       "e2e/parts", "e2e/memory", "e2e/arrival", "e2e/compare", "e2e/composition", "e2e/digest", "e2e/dtrace", "e2e/dtrace_heatmap", "e2e/dtrace_mysql", "e2e/dtrace_postgresql", "e2e/explain", "e2e/protocol",
       "e2e/cgroups", "e2e/who", "e2e/prepared", "e2e/partial", "e2e/stacks", "e2e/status", "e2e/proc", "e2e/deliver", "e2e/demo"]
# Any other has the kernel and the servers for itself, and runs before those of OWN.

# Programs of test/e2e that other stages run, or a person.
APART = {"e2e/deb", "e2e/slow_log", "e2e/soak"}

# Tests of `make check` outside test/kernel that load programs into the kernel or need the tests that do.  Like the
# end-to-end tests of OWN, they and those of test/kernel run AT_A_TIME.
KERNEL = {"e2e/units", "scripts/skips"}

# The test that takes longest of all that run AT_A_TIME: it is the first of these, or it would run alone at the end.
LONGEST = "kernel/bpf_fallback"

PAGE = "ui/web/test/run"  # the page's unit tests, in Node

# Tests that depend on wall time: {name: why}.  One of these that fails runs once more, and the closing line says so; a
# crash or a finding of a sanitizer does not.  Nothing else is ever repeated.
WALL_TIME = {}

# Arguments that nightly gives, for more of the same.
LONGER = {"e2e/budget": ["30"], "e2e/compare": ["20"], "e2e/fleet": ["--longer"], "e2e/kill": ["8"]}

# Seconds after which a test counts as hung: several times what it takes on two busy cores.
LIMITS = {"unit": 900, "kernel": 600, "e2e": 600, "browser": 1800, "build": 1800, "dist": 2400, "deb": 1800, "containers": 5400,
          "matrix": 7200, "soak": 3600}


def make_variable(build, name):
    """The words of a variable of a build folder's Makefile."""
    command = ["make", "-s", "-C", build, "--no-print-directory", "--eval", f"print: ; @echo $({name})", "print"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def name_of(test):
    """The name of a test of `make check`."""
    return "page" if test == PAGE else test.removeprefix("test/")


def is_kernel(test):
    return name_of(test).startswith("kernel/") or name_of(test) in KERNEL


def make_check_tests(build):
    """All tests of `make check`, as paths in the build folder (programs) or in the source tree (scripts)."""
    return make_variable(build, "TESTS")


def helpers(build):
    """Programs that tests use and that are no tests."""
    tests = set(make_check_tests(build))
    return [program for program in make_variable(build, "check_PROGRAMS") if program not in tests]


def unit_programs(build):
    """The programs for the tests of a build folder that do not need the kernel."""
    return helpers(build) + [test for test in make_variable(build, "check_PROGRAMS") if not is_kernel(test)]


def kernel_programs(build):
    """The programs for those that do, and for the end-to-end tests."""
    return helpers(build) + [test for test in make_variable(build, "check_PROGRAMS") if is_kernel(test)]


def end_to_end(top, build):
    """The end-to-end tests by their names, also those that are apart."""
    others = {name_of(test) for test in make_check_tests(build)}
    files = sorted(Path(top, "test/e2e").iterdir())
    return {f"e2e/{path.name}": path for path in files if os.access(path, os.X_OK) and f"e2e/{path.name}" not in others}


def named(name, tests):
    """Those of the tests that a person means by a name: all of it, or its end."""
    return [test for test in tests if test == name or test.endswith("/" + name)]
