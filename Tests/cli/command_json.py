#!/usr/bin/env python3
"""The JSON of the sdimage command, read by Python's parser, with hostile file names.

    command_json.py PROGRAM"""

import json
import os
import pathlib
import pwd
import tempfile

from tool import FAILED, GOT, HOSTILE, objects, report, run, shape  # first
from images import gif, png
from origin import Origin


def files(folder: pathlib.Path) -> None:
    """Commands on files with hostile names; the names must be returned byte for byte."""
    bad, good = folder / HOSTILE, folder / "good.png"
    bad.write_bytes(png(31, 17))
    good.write_bytes(png(8, 6))
    none = str(folder / ("no" + HOSTILE))
    (known,) = shape(
        "info --json tells a hostile name",
        run("info", "--json", bad),
        0,
        set(json.loads(run("info", "--json", good).stdout)),
        file=str(bad),
        width=31,
    )
    report.check("which is the file's", os.fsencode(str(known.get("file"))) == os.fsencode(bad), f"{known}")
    shape(
        "info --json tells what is not there",
        run("info", "--json", none),
        1,
        {"file", *FAILED},
        file=none,
        error="NOT_FOUND",
    )
    shape(
        "info --json tells what is no picture",
        run("info", "--json", __file__, good),
        1,
        {"file", *FAILED},
        set(known),
        error="NOT_AN_IMAGE",
    )
    out = folder / ("out" + HOSTILE)
    shape(
        "convert --json",
        run("convert", "--json", bad, out, "--thumbnail", "9x9"),
        0,
        {"input", "output", "bytes", "width", "height"},
        input=str(bad),
        output=str(out),
        width=9,
        height=5,
        bytes=out.stat().st_size if out.exists() else -1,
    )
    shape(
        "convert --json tells what is not there",
        run("convert", "--json", none, out),
        1,
        {"input", *FAILED},
        input=none,
        error="NOT_FOUND",
    )
    shape(
        "convert --json tells what cannot be written",
        run("convert", "--json", bad, folder / "no" / "o.png"),
        1,
        {"input", "output", *FAILED},
        input=str(bad),
    )
    moving = folder / "moving.gif"
    moving.write_bytes(gif([(255, 0, 0), (0, 0, 255)], hundredths=7))
    frame = {"file", "frame", "output", "width", "height", "duration_ms"}
    told = shape(
        "frames --json",
        run("frames", "--json", moving, "-o", folder / HOSTILE[:20]),
        0,
        frame,
        frame,
        frame=1,
        duration_ms=70,
    )
    report.check("names what it wrote", all(pathlib.Path(str(one.get("output"))).exists() for one in told), f"{told}")
    done = run("convert", "--json", bad, "-", "--format", "png")
    fine = done.stdout[:4] == b"\x89PNG" and json.loads(done.stderr)["output"] == "-"
    report.check("a picture on standard output keeps it for itself", fine, repr(done.stderr))


def loads(folder: pathlib.Path, origin: Origin) -> None:
    cat, none = origin.url("cat.png"), origin.url("none.png")
    out = folder / "cat.png"
    shape(
        "get --json",
        run("get", "--json", "--no-cache", cat),
        0,
        GOT,
        url=cat,
        source="network",
        width=40,
        bytes=len(png(40, 30)),
    )
    shape(
        "get --json names what it wrote",
        run("get", "--json", "--no-cache", cat, "-o", out),
        0,
        {*GOT, "output"},
        output=str(out),
    )
    shape(
        "get --json of a missing one",
        run("get", "--json", "--no-cache", none),
        1,
        {"url", *FAILED, "http_status"},
        http_status=404,
    )
    lost = str(folder / ("lost" + HOSTILE))
    shape(
        "get --json of a missing file",
        run("get", "--json", "--no-cache", lost),
        1,
        {"url", *FAILED},
        url=lost,
        error="NOT_FOUND",
    )
    shape(
        "get --json of what cannot be written",
        run("get", "--json", "--no-cache", cat, "-o", "/proc/none/a.png"),
        1,
        {"url", "output", *FAILED},
        url=cat,
        error="NOT_FOUND",
    )
    long = f"{cat}?{'x' * 2000}"
    shape("get --json tells a long URL whole", run("get", "--json", "--no-cache", long), 0, GOT, url=long)
    listed = folder / "list"
    listed.write_text(f"{cat}\n{none}\n")
    told = objects(run("prefetch", "--json", listed, "--cache", folder / "ahead"))
    told.sort(key=lambda one: (one.get("url") is None, "error" in one))
    fine = [set(one) for one in told] == [{"url", "source"}, {"url", *FAILED, "http_status"}, {"fetched", "failed"}]
    report.check("prefetch --json", fine and told[2] == {"fetched": 1, "failed": 1}, f"{told}")
    shape("prefetch --json without its list", run("prefetch", "--json", lost), 1, {"file", *FAILED}, file=lost)


def cache(folder: pathlib.Path, origin: Origin) -> None:
    where = ("--cache", folder / "listed", "--json")
    cat = origin.url("cat.png")
    run("get", cat, origin.url("page%0A%22.png"), *where)
    shape(
        "cache ls --json", run("cache", "ls", *where), 0, {"key", "bytes", "stored_ns", "used_ns", "is_file"}, key=cat
    )
    totals = {"directory", "bytes", "entries"}
    shape("cache du --json", run("cache", "du", *where), 0, totals, entries=1, bytes=len(png(40, 30)))
    entry = folder / "entry"
    length = len(png(40, 30))
    done = run("cache", "get", cat, "-o", entry, *where)
    shape("cache get --json", done, 0, {"key", "output", "bytes"}, key=cat, output=str(entry), bytes=length)
    shape(
        "cache get --json misses one",
        run("cache", "get", HOSTILE, "-o", entry, *where),
        1,
        {"key", *FAILED},
        error="INVALID_ARGUMENT",
    )
    shape(
        "cache verify --json",
        run("cache", "verify", *where),
        0,
        set(objects(run("cache", "verify", *where))[0]),
        sound=True,
    )
    none = ("--cache", "/proc/none", "--json")
    done = run("cache", "du", *none)
    where_not = "/proc/none/default"
    shape("cache du --json of a folder that cannot be", done, 1, {"directory", *FAILED}, directory=where_not)
    shape(
        "cache rm --json",
        run("cache", "rm", cat, "other", *where),
        1,
        {"key", "removed"},
        {"key", *FAILED},
        removed=True,
    )
    run("get", cat, *where)
    shape("cache trim --json tells what is left", run("cache", "trim", 0, *where), 0, totals, bytes=0, entries=0)
    run("get", cat, *where)
    shape("cache clear --json too", run("cache", "clear", *where), 0, totals, bytes=0, entries=0)
    for arguments in (["du", "--prefix", "a"], ["ls", "--repair"], ["trim", "many"], ["clear", "x"]):
        done = run("cache", *arguments)
        report.check(
            f"cache {' '.join(arguments)} is wrong usage",
            done.returncode == 2 and done.stderr.startswith(b"sdimage: cache "),
            done.stderr.decode(),
        )


def photos(folder: pathlib.Path) -> None:
    album = folder / "album"
    album.mkdir()
    (album / HOSTILE).write_bytes(png(40, 30))
    done = run("photos", "ls", "--library", album, "--json")
    if b"is not installed" in done.stderr:
        report.skip("photos --json", "the plug-in is not installed")
        return
    nowhere = str(folder / "nowhere")
    absent = run("photos", "ls", "--library", nowhere, "--json")
    shape("photos ls --json of nothing", absent, 1, {"library", *FAILED}, library=nowhere, error="NOT_FOUND")
    (photo,) = shape(
        "photos ls --json",
        done,
        0,
        {"identifier", "path", "type", "width", "height", "taken", "bytes", "rating", "albums"},
        width=40,
    )
    out = folder / "photo.webp"
    done = run(
        "photos",
        "thumb",
        photo["identifier"],
        "-o",
        out,
        "--size",
        "20x20",
        "--transform",
        "rotate:90",
        "--lossless",
        "--library",
        album,
        "--json",
    )
    shape(
        "photos thumb takes the image options",
        done,
        0,
        {"identifier", "output", "bytes", "width", "height"},
        width=15,
        height=20,
    )
    report.check("of writing too", out.read_bytes()[12:16] == b"VP8L", repr(out.read_bytes()[:16]))
    done = run("photos", "thumb", photo["identifier"], "-o", folder / "turned", "--format", "gif", "--library", album)
    report.check(
        "photos thumb --format",
        done.returncode == 0 and (folder / "turned").read_bytes()[:3] == b"GIF",
        done.stderr.decode(),
    )
    shape(
        "photos thumb --json of nobody",
        run("photos", "thumb", HOSTILE, "-o", out, "--library", album, "--json"),
        1,
        {"identifier", *FAILED},
        error="PHOTOS_NOT_FOUND",
    )
    for option in (["--album", "x"], ["--sort", "name"], ["--limit", "1"], ["--media", "image"], ["--reverse"]):
        done = run("photos", "thumb", "x", "-o", out, *option, "--library", album)
        report.check(f"photos thumb has no {option[0]}", done.returncode == 2, done.stderr.decode())
    done = run("photos", "thumb", "x", "-o", folder / "x.xyz", "--library", album)
    report.check("nor a name without a format", done.returncode == 2, done.stderr.decode())


def doctor(folder: pathlib.Path) -> None:
    """The default folder of caches, the variable that determines it, and the reason if there is none."""
    home, shared = folder / "home", folder / "shared"
    home.mkdir()
    shared.mkdir()
    shared.chmod(0o777)
    set_before = {name: os.environ.pop(name, None) for name in ("XDG_CACHE_HOME", "HOME")}
    for name, variables, source, path in (
        ("XDG_CACHE_HOME", {"XDG_CACHE_HOME": str(home), "HOME": "/"}, "XDG_CACHE_HOME", home / "sdimage"),
        ("HOME", {"HOME": str(home)}, "HOME", home / ".cache/sdimage"),
        ("HOME rather than a relative path", {"XDG_CACHE_HOME": "home", "HOME": str(home)}, "HOME", home / ".cache/sdimage"),
        ("the password database", {}, "password database", pathlib.Path(pwd.getpwuid(os.geteuid()).pw_dir, ".cache/sdimage")),
        ("a folder that others may write to", {"XDG_CACHE_HOME": str(shared)}, "XDG_CACHE_HOME", shared / "sdimage"),
    ):
        os.environ.update(variables)
        (told,) = shape(f"doctor --json with {name}", run("doctor", "--json"), 0, set(objects(run("doctor", "--json"))[0]),
                        cache_path=str(path), cache_path_source=source)
        problem = told.get("cache_path_problem")
        report.check(f"which {'cannot' if path.parent == shared else 'can'} have a cache",
                     bool(problem) == (path.parent == shared), repr(problem))
        for variable in variables:
            del os.environ[variable]
    os.environ.update({name: value for name, value in set_before.items() if value is not None})
    for value, disabled in (("", []), ("inflate", ["inflate"]), ("jpeg-dc,png,inflate", ["jpeg-dc", "inflate"])):
        os.environ["SDIMAGE_DISABLE"] = value
        shape(f"doctor --json with SDIMAGE_DISABLE={value}", run("doctor", "--json"), 0, set(objects(run("doctor", "--json"))[0]),
              disabled=disabled)
    del os.environ["SDIMAGE_DISABLE"]


def main() -> None:
    files_of_origin = {"/cat.png": png(40, 30), "/page": b"<!DOCTYPE html>"}
    with Origin(bodies=files_of_origin) as origin, tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        folder = pathlib.Path(name)
        files(folder)
        loads(folder, origin)
        cache(folder, origin)
        photos(folder)
        doctor(folder)
    report.finish()


main()
