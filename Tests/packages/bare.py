"""A minimal Debian system in a folder, with the named packages and their dependencies, and no others.

The files are copied from this machine, so that no download is needed. The package database lists exactly these
packages, so that dpkg refuses a package with missing dependencies. Programs run in it by chroot, with /proc and
/dev in a mount namespace of their own; it shares the loopback addresses of the machine."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

DATABASE = Path("/var/lib/dpkg")
#: Files that no program needs.
LEFT_OUT = re.compile(r"/usr/share/(man|info|locale|doc)/|/usr/share/i18n/|/usr/lib/[^/]+/gconv/")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/srv", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


#: $0 is the folder. The mounts end with the namespace.
ENTER = 'mount --bind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def enter(folder: Path | str, *arguments: object) -> list[str]:
    return ["unshare", "--mount", "sh", "-c", ENTER, str(folder), *(str(argument) for argument in arguments)]


def unusable() -> str | None:
    """The reason why this machine cannot create such a folder; None if it can."""
    if os.geteuid() != 0:
        return "a bare system is entered by chroot and unshare, which only root may"
    if not (DATABASE / "status").exists():
        return "this is not Debian: there is no package database to make a bare system from"
    done = subprocess.run(enter("/", "true"), capture_output=True, text=True)
    return None if done.returncode == 0 else f"chroot in a mount namespace is not allowed here: {done.stderr}"


class Stanza:
    """The database entry of an installed package."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.fields = dict(re.findall(r"^([\w-]+):[ ]*(.*(?:\n .*)*)", text, flags=re.M))
        self.name = self.fields["Package"]

    @property
    def is_essential(self) -> bool:
        return self.fields.get("Essential") == "yes" or self.name in ("base-passwd", "libc-bin")

    def depends(self) -> list[list[str]]:
        """Names of dependencies, grouped with their alternatives."""
        said = ", ".join(self.fields.get(key, "") for key in ("Pre-Depends", "Depends"))
        return [[re.sub(r"[\s(:].*", "", name.strip(), flags=re.S) for name in part.split("|")] for part in said.split(",") if part.strip()]

    def lists(self) -> list[Path]:
        """Its files in the database."""
        return [path for name in (self.name, f"{self.name}:{self.fields['Architecture']}") for path in database_files().get(name, [])]


@functools.cache
def database_files() -> dict[str, list[Path]]:
    """The files of the database by package, with its architecture if that is in their names."""
    found: dict[str, list[Path]] = {}
    for path in (DATABASE / "info").iterdir():
        found.setdefault(path.stem, []).append(path)
    return found


def installed() -> dict[str, Stanza]:
    """Installed packages by name, and by the names that they provide."""
    found: dict[str, Stanza] = {}
    stanzas = [Stanza(text) for text in (DATABASE / "status").read_text(errors="replace").split("\n\n") if text.strip()]
    native = [stanza for stanza in stanzas if stanza.fields.get("Status", "").endswith(" installed")]
    for stanza in native:
        for provided in stanza.fields.get("Provides", "").split(","):
            found.setdefault(re.sub(r"[\s(].*", "", provided.strip(), flags=re.S), stanza)
    return found | {stanza.name: stanza for stanza in native}


def closure(names: list[str]) -> dict[str, Stanza]:
    known, found = installed(), {}
    waiting = [*names, *(stanza.name for stanza in known.values() if stanza.is_essential)]
    while waiting:
        stanza = known.get(waiting.pop())
        if stanza is None or stanza.name in found:
            continue
        found[stanza.name] = stanza
        waiting += [next((name for name in choice if name in known), choice[0]) for choice in stanza.depends()]
    return found


class Bare:
    """The folder with such a system; `packages` are names of packages that this machine has."""

    def __init__(self, folder: Path, *packages: str) -> None:
        self.folder = folder
        self.packages: dict[str, Stanza] = {}
        self._skeleton()
        self.add(*packages)

    def add(self, *packages: str) -> None:
        """Installs further packages of this machine; raises LookupError for packages that it lacks."""
        known = installed()
        missing = [name for name in packages if name not in known]
        if missing:
            raise LookupError(f"not installed here: {', '.join(missing)}")
        with (self.folder / "var/lib/dpkg/status").open("a") as status:
            for name, stanza in closure([*packages]).items():
                if name not in self.packages:
                    self.packages[name] = stanza
                    self._copy(stanza)
                    status.write(stanza.text.strip("\n") + "\n\n")
        self.run("ldconfig")

    def _skeleton(self) -> None:
        for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "srv", "tmp",
                     "dev", "proc", "etc"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.folder / name).symlink_to(f"usr/{name}")
        for name in ("passwd", "group"):
            shutil.copy(f"/etc/{name}", self.folder / "etc" / name)
        (self.folder / "etc/hosts").write_text("127.0.0.1 localhost\n")

    def _copy(self, stanza: Stanza) -> None:
        for path in stanza.lists():
            shutil.copy(path, self.folder / "var/lib/dpkg/info" / path.name)
            if path.suffix != ".list":
                continue
            for name in path.read_text().splitlines():
                if name not in ("/.", "") and not LEFT_OUT.match(name):
                    self._copy_file(Path(name))

    def _copy_file(self, path: Path) -> None:
        target = self.folder / str(path).lstrip("/")
        if not os.path.lexists(path) or (os.path.lexists(target) and not target.is_dir()):
            return
        if path.is_symlink():
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(os.readlink(path))
        elif path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(enter(self.folder, *arguments), capture_output=True, text=True, errors="replace",
                              env={**ENVIRONMENT, **environment}, timeout=400)

    def has_library(self, name: str) -> bool:
        return any((self.folder / "usr/lib").glob(f"*/{name}"))
