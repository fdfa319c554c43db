#!/usr/bin/env python3
"""chroot.py - does the steps of a Dockerfile in folders instead of images, without a container engine.

    test/containers/chroot.py DOCKERFILE FOLDER [MIRROR]

FOLDER/NAME becomes the tree of each stage, FOLDER/image that of the last one; FOLDER/base is Debian as debootstrap makes it, and
stays.  The file may use FROM debian:VERSION [AS NAME], COPY, WORKDIR, RUN, USER and ENTRYPOINT, each in one line.  At the
end the entry point runs with --version, as the image's user.  Needs root and debootstrap."""
import json
import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# A registry of packages may have a certificate that only this host trusts.
HOST_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
SUITES = {"12": "bookworm", "12-slim": "bookworm"}


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def base_make(folder, version, mirror):
    base = folder / f"base-{SUITES[version]}"
    if not base.exists():
        run("debootstrap", "--variant=minbase", SUITES[version], f"{base}.new", *mirror, stdout=subprocess.DEVNULL)
        # The same sources of packages and the same certificates as here.
        run("cp", "-a", "/etc/apt/.", f"{base}.new/etc/apt/")
        os.rename(f"{base}.new", base)
    return base


class Build:
    def __init__(self, folder, mirror):
        self.folder, self.mirror, self.tree = folder, mirror, None
        self.stages, self.user, self.workdir, self.entry = {}, "0", "/", None

    def do_from(self, words):
        version = words[0].removeprefix("debian:")
        self.name = words[2] if words[1:2] == ["AS"] else "image"
        self.tree = self.stages[self.name] = self.folder / self.name
        self.user, self.workdir = "0", "/"
        run("rm", "-rf", "--one-file-system", self.tree)
        run("cp", "-a", base_make(self.folder, version, self.mirror), self.tree)
        for path in ("etc/resolv.conf", "etc/hosts"):
            run("cp", "-L", f"/{path}", self.tree / path)
        if os.path.exists(HOST_CERTIFICATES):
            run("cp", "-L", HOST_CERTIFICATES, self.tree / "host-certificates.crt")

    def do_copy(self, words):
        source = self.stages[words.pop(0).removeprefix("--from=")] if words[0].startswith("--from=") else None
        target = self.tree / words[1].lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source:
            run("cp", "-a", source / words[0].lstrip("/"), target)
            return
        target.mkdir()			# of the sources: what git has, and so no build folder
        files = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], check=True, capture_output=True).stdout
        run("sh", "-c", f'cd "{TOP}" && tar --null -T - -cf - | tar -xf - -C "{target}"', input=files)

    def in_chroot(self, command, user="0"):
        ids = (user + ":" + user).split(":")
        mounts = [(["-t", "proc", "proc"], "proc"), (["--bind", "/dev"], "dev"), (["-t", "tmpfs", "tmpfs"], "tmp")]
        # The mounts are in a mount namespace of their own, so they go with the command.
        script = " && ".join(f'mount {" ".join(how)} "{self.tree}/{where}"' for how, where in mounts)
        run("unshare", "--mount", "--propagation", "private", "sh", "-c",
            f'{script} && exec chroot --userspec={ids[0]}:{ids[1]} "{self.tree}" sh -c \'cd "$0" && exec "$@"\' "$@"', "sh",
            self.workdir, *command, env={**os.environ, "npm_config_cafile": "/host-certificates.crt", "NODE_EXTRA_CA_CERTS": "/host-certificates.crt"})

    def do_run(self, words):
        self.in_chroot(["/bin/sh", "-c", " ".join(words)])

    def do_workdir(self, words):
        self.workdir = words[0]

    def do_user(self, words):
        self.user = words[0]

    def do_entrypoint(self, words):
        self.entry = json.loads(" ".join(words))
        self.in_chroot([*self.entry, "--version"], self.user)


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    build = Build(folder.resolve(), sys.argv[3:4])
    for line in Path(sys.argv[1]).read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            print(f"# {line[:100]}", flush=True)
            getattr(build, f"do_{words[0].lower()}")(words[1:])


main()
