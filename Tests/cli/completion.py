#!/usr/bin/env python3
"""Checks that help, manual page and the completions of three shells agree about the sdimage command.

    completion.py PROGRAM

bash and zsh run on a terminal, because only they can report their completions."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import report  # noqa: E402

PROGRAM = sys.argv[1]
CLI = pathlib.Path(__file__).resolve().parents[2] / "tools/sdimage"
FILES = {"bash": "sdimage.bash", "zsh": "_sdimage", "fish": "sdimage.fish"}
LIMIT = 120
#: Returns the completions of a partial line.
Offer = Callable[[str], set[str]]


def printed(*arguments: str) -> str:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=LIMIT)
    return done.stdout


def commands() -> list[str]:
    """The commands in the help, including "cache ls"."""
    words = re.findall(r"^(?:usage:|      ) sdimage ([a-z]+(?: [a-z]+)?)(?= |$)", printed("--help"), flags=re.M)
    return [word for word in words if word != "completion"]


def options(*command: str) -> set[str]:
    """The options in a command's help."""
    return set(
        re.findall(
            r"(?<![\w-])--?[a-z][a-z-]*",
            "\n".join(re.findall(r"^  (-.{0,21})", printed(*command, "--help"), flags=re.M)),
        )
    )


# --- The shells.


class Bash:
    """Calls bash's completion function with the words that bash would pass."""

    name = "bash"

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def offer(self, line: str) -> set[str]:
        # An equals sign separates words, like a blank.
        words = [word for part in line.split(" ") for word in re.split("(=)", part) if word] + (
            [""] if line[-1] in " =" else []
        )
        script = f'source {CLI}/completion/sdimage.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sdimage'
        script += '; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "--norc", "-c", script, "bash", *words], capture_output=True, text=True, timeout=LIMIT
        )
        return set(done.stdout.split())

    def typed(self, line: str) -> str:
        """The result of a line and a tab in readline."""
        leader, follower = pty.openpty()
        environment = {**os.environ, "PS1": "", "TERM": "dumb", "INPUTRC": "/dev/null", "HOME": str(self.folder)}
        shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"],
            cwd=self.folder,
            env=environment,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        # The typed line calls a function that writes its completed arguments into a file.
        written = self.folder / "typed"
        text = f"source {CLI}/completion/sdimage.bash; sdimage() {{ printf '%s|' \"$@\" >typed; exit; }}\n{line}\t\n"
        os.write(leader, text.encode())
        drain(leader, shell)
        return written.read_text() if written.exists() else ""


def drain(leader: int, process: subprocess.Popen[bytes]) -> None:
    """Discards the output of a program on a terminal until it has ended."""
    end = time.monotonic() + LIMIT
    while process.poll() is None and time.monotonic() < end:
        if select.select([leader], [], [], 0.05)[0]:
            try:
                os.read(leader, 1 << 16)
            except OSError:
                break
    if process.poll() is None:
        process.kill()
    process.wait()
    os.close(leader)


class Zsh:
    """An interactive zsh whose tab key reports the completions without inserting them."""

    name = "zsh"
    SETUP = """
        unsetopt PROMPT_SP; PS1=; fpath=({folder} $fpath)
        autoload -Uz compinit && compinit -u -D
        tell() {{
            compadd() {{
                # A call that only asks which words fit is passed on.
                if (( ${{@[(I)-[AOD]*]}} )); then builtin compadd "$@"; return; fi
                local -a found; builtin compadd -A found "$@"; print -rl -- $found >&9
                builtin compadd "$@"
            }}
            _main_complete
            unfunction compadd
            compstate[insert]= compstate[list]=
            print END >&9
        }}
        zle -C tell complete-word tell; bindkey '^I' tell; bindkey '^U' kill-whole-line
        exec 9>{pipe}; print END >&9
    """

    def __init__(self, folder: pathlib.Path) -> None:
        pipe, setup = folder / "pipe", folder / "setup.zsh"
        os.mkfifo(pipe)
        setup.write_text(self.SETUP.format(folder=CLI / "completion", pipe=pipe))
        self.leader, follower = pty.openpty()
        environment = {**os.environ, "HOME": str(folder), "TERM": "vt100"}
        self.shell = subprocess.Popen(
            ["zsh", "-f", "-i"],
            cwd=folder,
            env=environment,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        self.pipe = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.write(self.leader, f"source {setup}\n".encode())
        self.read()

    def read(self) -> set[str]:
        told, end = b"", time.monotonic() + LIMIT
        while not told.endswith(b"END\n"):
            if time.monotonic() > end:
                raise TimeoutError(f"zsh says nothing more: {told!r}")
            for ready in select.select([self.pipe, self.leader], [], [], 0.05)[0]:
                piece = os.read(ready, 1 << 16)
                told += piece if ready == self.pipe else b""
                if not piece:  # the writer has not opened the pipe yet
                    time.sleep(0.01)
        return set(told.decode().split("\n")) - {"END", ""}

    def offer(self, line: str) -> set[str]:
        os.write(self.leader, b"\x15" + line.encode() + b"\t")
        return self.read()

    def close(self) -> None:
        os.write(self.leader, b"\x15exit\n")
        drain(self.leader, self.shell)
        os.close(self.pipe)


class Fish:
    """Uses fish's own command for completions."""

    name = "fish"

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def offer(self, line: str) -> set[str]:
        script = f"source {CLI}/completion/sdimage.fish; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "HOME": str(self.folder)},
            timeout=LIMIT,
        )
        prefix = line.rpartition(" ")[2].rpartition("=")[0]
        return {word.partition("\t")[0].removeprefix(f"{prefix}=") for word in done.stdout.splitlines()}


# --- Tests.


def same_everywhere() -> None:
    page = (CLI / "sdimage.1").read_text().replace("\\", "")
    everything = options()
    report.check("--help explains options", len(everything) > 30, f"{everything}")
    report.check(
        "the manual page has every option of --help",
        not [o for o in everything if o not in page],
        f"{[o for o in everything if o not in page]}",
    )
    told = set(re.findall(r"--[a-z][a-z-]+", page))
    report.check("and no other", told <= everything | {"--version"}, f"{told - everything}")
    missing = [
        command for command in commands() if not all(re.search(rf"\b{word}\b", page) for word in command.split())
    ]
    report.check("the manual page has every command", len(commands()) > 15 and not missing, f"{missing}")
    for shell, name in FILES.items():
        text = (CLI / "completion" / name).read_text()
        report.check(
            f"completion/{name} is what the command prints",
            text == printed("completion", shell),
            f"sdimage completion {shell} >tools/sdimage/completion/{name}",
        )


def offers(shell: Bash | Zsh | Fish) -> None:
    """Checks that a shell completes exactly the words in the help of each command."""
    name = shell.name
    singles = {command.partition(" ")[0] for command in commands()}
    first = shell.offer("sdimage ")
    report.check(f"{name} offers every command", first - {"--help", "--version"} == singles, f"{first ^ singles}")
    wrong = {}
    for command in commands():
        seen, wanted = (
            shell.offer(f"sdimage {command} --"),
            {option for option in options(*command.split()) if option[1] == "-"},
        )
        # zsh and fish may append the character that ends a word.
        seen = {word.rstrip("=") for word in seen if word.startswith("--")}
        if seen != wanted:
            wrong[command] = seen ^ wanted
    report.check(f"{name} offers the options of each command", not wrong, f"{wrong}")
    for group in ("cache ", "photos "):
        wanted = {command.partition(" ")[2] for command in commands() if command.startswith(group)}
        seen = shell.offer(f"sdimage {group}")
        report.check(f"{name} offers what there is behind {group.strip()}", seen == wanted, f"{seen ^ wanted}")
    formats = set("jpeg png gif webp bmp ico heic avif jxl".split())
    for line, wanted in (
        ("sdimage get x --format ", formats),
        ("sdimage convert a b --format=", formats),
        ("sdimage play --screen=", {"blocks", "sixel", "kitty"}),
        ("sdimage photos ls --sort m", {"modified"}),
        ("sdimage get x --transform re", {"resize:"}),
        ("sdimage ca", {"cache"}),
        ("sdimage cache v", {"verify"}),
        ("sdimage get x --thumbnail ", set()),
        ("sdimage cache du ", set()),
    ):
        # Ignores options where no other word can follow, as zsh offers them there too.
        seen = {word for word in shell.offer(line) if not word.startswith("-")}
        report.check(f"{name} completes '{line}'", seen == wanted, f"{seen}")


def files(shell: Zsh | Fish) -> None:
    """Uses a folder with "one.png" and "folder"."""
    seen = {word.rstrip("/") for word in shell.offer("sdimage info o")}
    report.check(f"{shell.name} offers files", "one.png" in seen, f"{seen}")
    for line in ("sdimage cache ls --cache ", "sdimage frames one.png -o "):
        seen = {word.rstrip("/") for word in shell.offer(line)}
        report.check(f"{shell.name} offers folders for '{line}'", "folder" in seen and "one.png" not in seen, f"{seen}")


def main() -> None:
    same_everywhere()
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name)
        (home / "folder").mkdir()
        for file in ("one.png", "a strange name.png"):
            (home / file).touch()
        bash = Bash(home)
        offers(bash)
        for line, wanted in (
            ("sdimage info a\\ s", "info|a strange name.png|"),
            ("sdimage cache ls --cache f", "cache|ls|--cache|folder/|"),
            ("sdimage doc", "doctor|"),
            ("sdimage get x --transform ro", "get|x|--transform|ro|"),
        ):
            typed = bash.typed(line)
            report.check(f"bash makes {wanted} of '{line}'", typed == wanted, typed)
        for kind in (Zsh, Fish):
            if not shutil.which(kind.name):
                report.skip(f"completion in {kind.name}", f"{kind.name} is not installed")
                continue
            shell = kind(home)
            offers(shell)
            files(shell)
            if isinstance(shell, Zsh):
                shell.close()
    report.finish()


main()
