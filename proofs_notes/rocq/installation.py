"""Finds the Rocq that the proofs are for, or builds one: the machine's own, one in a container, one in a root folder.

The proofs are for Debian 13's packages. Where they are not installed, a container is built from the Containerfile beside this
file if podman or docker works; otherwise, as root, a folder that holds Debian 13 and nothing else is filled by mmdebstrap (2
to 3 minutes, 1.7 GB) and entered by chroot, which needs no mounts. ROCQ_ROOT names that folder. Without root and without a
container there is one line that says what to do. Python's standard library is enough.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
#: What `coqc --print-version` begins with.
VERSION = "8.20."
SUITE = "trixie"
PACKAGES = (
    "coq",
    "libcoq-mathcomp-analysis",
    "libcoq-mathcomp-algebra-tactics",
    "libcoq-mathcomp-zify",
    "libcoq-interval",
    "ocaml-findlib",
    "make",
)
#: Files of the libraries, each of which only a new enough version has.
LIBRARIES = {
    "mathcomp/analysis/gauss_integral.vo": "MathComp Analysis 1.9",
    "mathcomp/algebra_tactics/lra.vo": "MathComp Algebra Tactics 1.2",
    "mathcomp/zify/zify.vo": "Mczify 1.5",
    "Coquelicot/Coquelicot.vo": "Coquelicot 3.4",
    "Interval/Tactic.vo": "Interval 4.11",
}
IMAGE = "dppca-rocq"
#: A program that takes long is given up after so many seconds.
LIMIT = 3600
INSTALL = f"as root on Debian 13, apt-get install {' '.join(PACKAGES)}; elsewhere be root, or install podman"
#: apt's settings that the root folder's apt needs too: how to reach the mirror.
APT_SETTINGS = ("Acquire::http", "Acquire::https", "Acquire::Retries", "Acquire::Check-Valid-Until")


class RocqError(Exception):
    """The error that says in one line why there is no Rocq and what to do."""


@dataclass(frozen=True)
class Rocq:
    """A Rocq that runs: what stands before its commands, and the folder with the proofs as this machine and as it sees it."""

    where: str
    before: tuple[str, ...]
    folder: Path
    seen_as: str

    def command(self, *arguments: str, below: str = ".") -> list[str]:
        """Return the command line that runs a program in the folder of the proofs, or in a folder below it."""
        return [part.replace("@", f"{self.seen_as}/{below}") for part in self.before] + list(arguments)

    def run(self, *arguments: str, below: str = ".") -> subprocess.CompletedProcess[str]:
        """Run a program there and return what it printed."""
        folder = None if self.before else self.folder / below
        return _run(self.command(*arguments, below=below), folder)

    def open(self, *arguments: str, below: str = ".") -> subprocess.Popen[str]:
        """Start a program there that is talked to through pipes."""
        folder = None if self.before else self.folder / below
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": folder}
        started: subprocess.Popen[str] = subprocess.Popen(self.command(*arguments, below=below), **pipes)  # type: ignore[call-overload]  # noqa: S603
        return started

    def version(self) -> str:
        """Return Coq's version; raise RocqError if it is not the one that the proofs are for, or a library is missing."""
        printed = self.run("coqc", "--print-version").stdout.split()
        version = printed[0] if printed else "of no version"
        if not version.startswith(VERSION):
            raise RocqError(f"coqc {self.where} is {version}, and the proofs are for {VERSION}x")
        library = self.run("coqc", "-where").stdout.strip()
        for file, name in LIBRARIES.items():
            if self.run("test", "-e", f"{library}/user-contrib/{file}").returncode:
                raise RocqError(f"coqc {self.where} lacks {name} ({file})")
        return version

    def versions(self) -> str:
        """Return Coq's version and, where Debian's packages are, those of the libraries."""
        packages = ("libcoq-mathcomp-algebra", "libcoq-mathcomp-analysis", "libcoq-interval")
        try:
            listed = self.run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages)
        except OSError:
            return f"Coq {self.version()}"
        rows = (line.split() for line in listed.stdout.splitlines())
        named = {package: version.partition("-")[0] for package, version in rows}
        names = dict(zip(packages, ("MathComp", "Analysis", "Interval"), strict=True))
        return ", ".join([f"Coq {self.version()}", *(f"{names[package]} {version}" for package, version in named.items())])


def _run(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a fixed command and return what it printed; raise RocqError if it takes longer than LIMIT."""
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=LIMIT)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise RocqError(f"{command[0]} was stopped after {LIMIT} s; run make proofs again, it goes on from there") from error


def here(coqc: str = "coqc") -> Rocq:
    """Return the machine's own Rocq; raise RocqError if there is none."""
    if shutil.which(coqc) is None:
        raise RocqError("there is no coqc here")
    folder = CHECKOUT / "build" / "rocq"
    folder.mkdir(parents=True, exist_ok=True)
    return Rocq("installed here", (), folder, str(folder))


def engines() -> Iterator[str]:
    """Yield podman and docker if they work."""
    for engine in ("podman", "docker"):
        if shutil.which(engine) and _run([engine, "info"]).returncode == 0:
            yield engine


def container(engine: str) -> Rocq:
    """Return the Rocq of the container; raise RocqError if its image has not been built."""
    if _run([engine, "image", "inspect", IMAGE]).returncode:
        raise RocqError(f"{engine} has no image {IMAGE}")
    folder = CHECKOUT / "build" / "rocq"
    folder.mkdir(parents=True, exist_ok=True)
    before = (engine, "run", "--rm", "--interactive", "--volume", f"{folder}:/proofs", "--workdir", "@", IMAGE)
    return Rocq(f"in a container of {engine}", before, folder, "/proofs")


def build_container(engine: str) -> None:
    """Build the image of the Containerfile; raise RocqError if that fails."""
    done = _run([engine, "build", "--tag", IMAGE, "--file", str(HERE / "Containerfile"), str(HERE)])
    if done.returncode:
        raise RocqError(f"{engine} cannot build the image: {_last_line(done)}")


def root_folder() -> Path:
    """Return the folder for a Debian 13 of its own: $ROCQ_ROOT, or one in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("ROCQ_ROOT") or cache / "dppca" / "rocq").absolute()


def root(folder: Path) -> Rocq:
    """Return the Rocq of a root folder; raise RocqError if the folder is not there, or cannot be entered."""
    if not (folder / "usr" / "bin" / "coqc").exists():
        raise RocqError(f"there is no Rocq in {folder}")
    if os.geteuid() != 0:
        raise RocqError(f"only root can enter {folder}")
    (folder / "proofs").mkdir(exist_ok=True)
    path = "PATH=/usr/local/bin:/usr/bin:/bin"
    before = ("chroot", str(folder), "/usr/bin/env", "--ignore-environment", "--chdir=@", path, "LANG=C.UTF-8")
    return Rocq(f"in {folder}", before, folder / "proofs", "/proofs")


def fill_root(folder: Path, mirror: list[str] | None = None) -> None:
    """Fill a root folder; raise RocqError if that fails.

    It is filled under another name and renamed when Rocq answers there, so that a half-built folder is never taken for a whole
    one; what is left of one is removed first. A folder without Rocq that we did not make is left alone.
    """
    if os.geteuid() != 0:
        raise RocqError(f"only root can fill {folder}")
    if folder.exists() and any(folder.iterdir()):
        raise RocqError(f"{folder} holds something else: name another folder by ROCQ_ROOT, or remove it")
    if shutil.which("mmdebstrap") is None:
        if shutil.which("apt-get") is None:
            raise RocqError("mmdebstrap is missing")
        _run(["apt-get", "update"])
        done = _run(["apt-get", "install", "--yes", "mmdebstrap"])
        if done.returncode:
            raise RocqError(f"apt-get cannot install mmdebstrap: {_last_line(done)}")
    partial = folder.with_name(f"{folder.name}.partial")
    if partial.exists():
        _run(["rm", "-r", "--force", "--one-file-system", str(partial)])
    folder.parent.mkdir(parents=True, exist_ok=True)
    options = [f"--aptopt={line}" for line in _apt_settings()]
    command = ["mmdebstrap", "--variant=apt", "--mode=root", f"--include={','.join(PACKAGES)}", *options, SUITE, str(partial)]
    done = _run([*command, *(_mirror() if mirror is None else mirror)])
    if done.returncode:
        raise RocqError(f"mmdebstrap cannot fill {partial}: {_last_line(done)}")
    root(partial).version()
    if folder.exists():
        folder.rmdir()
    partial.rename(folder)


def _apt_settings() -> list[str]:
    """Return apt's settings for reaching a mirror, as apt-config prints them."""
    if shutil.which("apt-config") is None:
        return []
    return [line for line in _run(["apt-config", "dump"]).stdout.splitlines() if line.startswith(APT_SETTINGS)]


def _mirror() -> list[str]:
    """Return the mirror of Debian's main archive that apt uses here, as one argument, or none for mmdebstrap's own."""
    if shutil.which("apt-get") is None:
        return []
    printed = _run(["apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"]).stdout
    return [line.split()[1] for line in printed.splitlines() if line.startswith("Debian ")][:1]


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line that a program printed."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1].strip() if lines else f"status {done.returncode}"


def found() -> Rocq:
    """Return a Rocq that is ready; raise RocqError with the reasons if none is."""
    reasons = []
    candidates: list[Callable[[], Rocq]] = [here, lambda: root(root_folder())]
    for candidate in candidates:
        try:
            rocq = candidate()
            rocq.version()
        except RocqError as error:
            reasons.append(str(error))
        else:
            return rocq
    for engine in engines():
        try:
            return container(engine)
        except RocqError as error:
            reasons.append(str(error))
    raise RocqError("; ".join(reasons))


def made(say: Callable[[str], object] = sys.stderr.write) -> Rocq:
    """Return a Rocq that is ready, and build one if none is; raise RocqError if that cannot be done."""
    try:
        return found()
    except RocqError as error:
        reasons = [str(error)]
    for engine in engines():
        say(f"proofs: {reasons[0]}: building the image {IMAGE} with {engine}\n")
        try:
            build_container(engine)
            return container(engine)
        except RocqError as error:
            reasons.append(str(error))
    if os.geteuid() == 0:
        folder = root_folder()
        say(f"proofs: {reasons[0]}: filling {folder} with Debian 13 and its Rocq, 2 to 3 minutes\n")
        try:
            fill_root(folder)
            return root(folder)
        except RocqError as error:
            reasons.append(str(error))
    else:
        reasons.append("neither podman nor docker works, and only root can fill a root folder")
    raise RocqError(f"{'; '.join(reasons)}. Rocq {VERSION}x is needed: {INSTALL}")
