#!/usr/bin/env python3
"""The sdimage command: its JSON, read by Python's parser, with names of files that are meant to upset it; thumb, bench and serve.

    command_json.py PROGRAM"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "HeaderTests"))
import report  # noqa: E402
from pictures import Origin, gif, png  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Quotes, backslashes, line ends, escapes of terminals, half a character, one beyond 16 bits, a lone continuation.
HOSTILE = os.fsdecode(b'a"\\\n\r\t\x1b[31m\x7f\xc3(\xf0\x9f\x90\x88\x80 %41.png')
Object = dict[str, object]


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=60, **options)


def objects(done: subprocess.CompletedProcess[bytes]) -> list[Object]:
    """One a line and nothing else, in strict UTF-8."""
    return [json.loads(line) for line in done.stdout.decode("utf-8", errors="strict").splitlines()]


def shape(name: str, done: subprocess.CompletedProcess[bytes], status: int, *wanted: set[str], **values: object) -> list[Object]:
    """The members of each object, in turn, and what some of the first have."""
    try:
        found = objects(done)
    except ValueError as error:
        report.check(name, False, f"{error}: {done.stdout!r}")
        return [{}]
    first = found[0] if found else {}
    fine = done.returncode == status and [set(one) for one in found] == list(wanted)
    fine = fine and all(first.get(key) == value for key, value in values.items())
    one_line = all(line.startswith("sdimage: ") for line in done.stderr.decode(errors="replace").splitlines())
    report.check(name, fine and (one_line or not status), f"status {done.returncode}: {found} {done.stderr!r}")
    return found or [{}]


GOT = {"url", "source", "width", "height", "format", "bytes", "ms"}
FAILED = {"error", "message"}


def files(folder: pathlib.Path) -> None:
    """Commands on files of hostile names; names come back byte for byte."""
    bad, good = folder / HOSTILE, folder / "good.png"
    bad.write_bytes(png(31, 17))
    good.write_bytes(png(8, 6))
    none = str(folder / ("no" + HOSTILE))
    (known,) = shape("info --json tells a hostile name", run("info", "--json", bad), 0, set(json.loads(run("info", "--json", good).stdout)),
                     file=str(bad), width=31)
    report.check("which is the file's", os.fsencode(str(known.get("file"))) == os.fsencode(bad), f"{known}")
    shape("info --json tells what is not there", run("info", "--json", none), 1, {"file", *FAILED}, file=none, error="NOT_FOUND")
    shape("info --json tells what is no picture", run("info", "--json", __file__, good), 1, {"file", *FAILED}, set(known), error="NOT_AN_IMAGE")
    out = folder / ("out" + HOSTILE)
    shape("convert --json", run("convert", "--json", bad, out, "--thumbnail", "9x9"), 0, {"input", "output", "bytes", "width", "height"},
          input=str(bad), output=str(out), width=9, height=5, bytes=out.stat().st_size if out.exists() else -1)
    shape("convert --json tells what is not there", run("convert", "--json", none, out), 1, {"input", *FAILED}, input=none, error="NOT_FOUND")
    shape("convert --json tells what cannot be written", run("convert", "--json", bad, folder / "no" / "o.png"), 1,
          {"input", "output", *FAILED}, input=str(bad))
    moving = folder / "moving.gif"
    moving.write_bytes(gif([(255, 0, 0), (0, 0, 255)], hundredths=7))
    frame = {"file", "frame", "output", "width", "height", "duration_ms"}
    told = shape("frames --json", run("frames", "--json", moving, "-o", folder / HOSTILE[:20]), 0, frame, frame, frame=1, duration_ms=70)
    report.check("names what it wrote", all(pathlib.Path(str(one.get("output"))).exists() for one in told), f"{told}")
    done = run("convert", "--json", bad, "-", "--format", "png")
    fine = done.stdout[:4] == b"\x89PNG" and json.loads(done.stderr)["output"] == "-"
    report.check("a picture on standard output keeps it for itself", fine, repr(done.stderr))


def loads(folder: pathlib.Path, origin: Origin) -> None:
    cat, none = f"{origin.url}/cat.png", f"{origin.url}/none.png"
    out = folder / "cat.png"
    shape("get --json", run("get", "--json", "--no-cache", cat), 0, GOT, url=cat, source="network", width=40, bytes=len(png(40, 30)))
    shape("get --json names what it wrote", run("get", "--json", "--no-cache", cat, "-o", out), 0, {*GOT, "output"}, output=str(out))
    shape("get --json of a missing one", run("get", "--json", "--no-cache", none), 1, {"url", *FAILED, "http_status"}, http_status=404)
    lost = str(folder / ("lost" + HOSTILE))
    shape("get --json of a missing file", run("get", "--json", "--no-cache", lost), 1, {"url", *FAILED}, url=lost, error="NOT_FOUND")
    shape("get --json of what cannot be written", run("get", "--json", "--no-cache", cat, "-o", "/proc/none/a.png"), 1,
          {"url", "output", *FAILED}, url=cat, error="NOT_FOUND")
    long = f"{cat}?{'x' * 2000}"
    shape("get --json tells a long URL whole", run("get", "--json", "--no-cache", long), 0, GOT, url=long)
    listed = folder / "list"
    listed.write_text(f"{cat}\n{none}\n")
    told = objects(run("prefetch", "--json", listed, "--cache", folder / "ahead"))
    told.sort(key=lambda one: (one.get("url") is None, "error" in one))
    fine = [set(one) for one in told] == [{"url", "source"}, {"url", *FAILED, "http_status"}, {"fetched", "failed"}]
    report.check("prefetch --json", fine and told[2] == {"fetched": 1, "failed": 1}, f"{told}")


def thumb(folder: pathlib.Path, origin: Origin) -> None:
    (folder / "wide.png").write_bytes(png(600, 300))
    small = folder / "small.jpg"
    shape("thumb makes 256 pixels", run("thumb", "--json", "--no-cache", folder / "wide.png", "-o", small), 0, {*GOT, "output"}, width=256, height=128)
    done = run("info", "--json", small)
    report.check("in the format of the name", json.loads(done.stdout)["format"] == "jpeg", done.stdout.decode())
    box = folder / "box"
    box.mkdir()
    done = run("thumb", folder / "wide.png", f"{origin.url}/cat.png", "--no-cache", "-o", box, "--size", "20x20", "--format", "webp")
    sizes = {path.name: json.loads(run("info", "--json", path).stdout)["width"] for path in box.iterdir()}
    report.check("thumb fills a folder", done.returncode == 0 and sizes == {"wide.png.webp": 20, "cat.png.webp": 20}, f"{sizes} {done.stderr!r}")
    for arguments in (["a.png"], ["-o", "x.png"], ["a.png", "-o", "x.xyz"], ["a.png", "-o", "x.png", "--size", "0x1"], ["a", "b", "-o", "x.png"]):
        done = run("thumb", *arguments)
        fine = done.returncode == 2 and re.fullmatch(rb"sdimage: thumb: [^\n]*\n", done.stderr)
        report.check(f"thumb {' '.join(arguments)} is wrong usage", fine, done.stderr.decode())


def cache(folder: pathlib.Path, origin: Origin) -> None:
    where = ("--cache", folder / "listed", "--json")
    cat = f"{origin.url}/cat.png"
    run("get", cat, f"{origin.url}/page%0A%22.png", *where)
    shape("cache ls --json", run("cache", "ls", *where), 0, {"key", "bytes", "stored_ns", "used_ns", "is_file"}, key=cat)
    totals = {"directory", "bytes", "entries"}
    shape("cache du --json", run("cache", "du", *where), 0, totals, entries=1, bytes=len(png(40, 30)))
    (found,) = shape("cache path --json", run("cache", "path", cat, *where), 0, {"key", "path"}, key=cat)
    report.check("is a path", str(found.get("path")).startswith("/"), f"{found}")
    shape("cache path --json misses one", run("cache", "path", HOSTILE, *where), 1, {"key", *FAILED}, error="INVALID_ARGUMENT")
    shape("cache verify --json", run("cache", "verify", *where), 0, set(objects(run("cache", "verify", *where))[0]), sound=True)
    shape("cache rm --json", run("cache", "rm", cat, "other", *where), 1, {"key", "removed"}, {"key", *FAILED}, removed=True)
    run("get", cat, *where)
    shape("cache trim --json tells what is left", run("cache", "trim", 0, *where), 0, totals, bytes=0, entries=0)
    run("get", cat, *where)
    shape("cache clear --json too", run("cache", "clear", *where), 0, totals, bytes=0, entries=0)
    for arguments in (["du", "--prefix", "a"], ["ls", "--repair"], ["trim", "many"], ["clear", "x"]):
        done = run("cache", *arguments)
        report.check(f"cache {' '.join(arguments)} is wrong usage", done.returncode == 2 and done.stderr.startswith(b"sdimage: cache "),
                     done.stderr.decode())


def photos(folder: pathlib.Path) -> None:
    album = folder / "album"
    album.mkdir()
    (album / HOSTILE).write_bytes(png(40, 30))
    done = run("photos", "ls", "--library", album, "--json")
    if b"is not installed" in done.stderr:
        report.skip("photos --json", "the plug-in is not installed")
        return
    (photo,) = shape("photos ls --json", done, 0, {"identifier", "path", "type", "width", "height", "taken", "bytes", "rating", "albums"}, width=40)
    out = folder / "photo.webp"
    done = run("photos", "thumb", photo["identifier"], "-o", out, "--size", "20x20", "--transform", "rotate:90", "--lossless",
               "--library", album, "--json")
    shape("photos thumb takes the picture options", done, 0, {"identifier", "output", "bytes", "width", "height"}, width=15, height=20)
    report.check("of writing too", out.read_bytes()[12:16] == b"VP8L", repr(out.read_bytes()[:16]))
    done = run("photos", "thumb", photo["identifier"], "-o", folder / "turned", "--format", "gif", "--library", album)
    report.check("photos thumb --format", done.returncode == 0 and (folder / "turned").read_bytes()[:3] == b"GIF", done.stderr.decode())
    shape("photos thumb --json of nobody", run("photos", "thumb", HOSTILE, "-o", out, "--library", album, "--json"), 1,
          {"identifier", *FAILED}, error="PHOTOS_NOT_FOUND")
    for option in (["--album", "x"], ["--sort", "name"], ["--limit", "1"], ["--media", "image"], ["--reverse"]):
        done = run("photos", "thumb", "x", "-o", out, *option, "--library", album)
        report.check(f"photos thumb has no {option[0]}", done.returncode == 2, done.stderr.decode())
    done = run("photos", "thumb", "x", "-o", folder / "x.xyz", "--library", album)
    report.check("nor a name without a format", done.returncode == 2, done.stderr.decode())


def bench(folder: pathlib.Path, origin: Origin) -> None:
    cat, moving = f"{origin.url}/cat.png", ROOT / "Tests/Fixtures/webp/animated.webp"
    still = folder / HOSTILE
    before = origin.hits.get("/cat.png", 0)
    picture = {"format", "width", "height", "frame_count", "bytes", "thumbnail_size", "measures"}
    last = {"threads", "peak_rss_bytes", "rss_before_bytes"}
    temporary = folder / "temporary"
    temporary.mkdir()
    done = run("bench", "--json", "--seconds", "0.1", still, moving, cat, env={**os.environ, "TMPDIR": str(temporary)})
    told = shape("bench --json", done, 0, {"file", *picture}, {"file", *picture}, {"url", *picture}, last, file=str(still), width=31)
    if len(told) != 4:
        return
    ways = [one["measures"] for one in told[:3]]
    of_all = {"info", "decode", "thumbnail", "memory", "disk"}
    seen = [set(way) for way in ways]
    report.check("bench measures every way", seen == [of_all, of_all | {"frames"}, of_all | {"network_first", "network"}], f"{seen}")
    figures = [figure for way in ways for figure in way.values()]
    fine = all(0 < figure["least_ns"] <= figure["median_ns"] and figure["runs"] >= 1 for figure in figures)
    fine = fine and all(way[name]["runs"] >= 3 for way in ways for name in of_all)
    report.check("bench has medians of several runs", fine, f"{figures}")
    sums = [(one["bytes"] * 1e3 / one["measures"]["decode"]["median_ns"], one["measures"]["decode"]["mb_per_s"]) for one in told[:3]]
    sums += [(one["width"] * one["height"] * 1e3 / one["measures"]["disk"]["median_ns"], one["measures"]["disk"]["mpx_per_s"]) for one in told[:3]]
    report.check("bench's rates are those of its times", all(abs(a - b) < 0.01 for a, b in sums), f"{sums}")
    hits = origin.hits["/cat.png"] - before
    report.check("bench is light on servers", 2 <= hits <= 6 and ways[2]["network"]["runs"] == hits - 1, f"{hits} {ways[2]}")
    threads = [(one["threads"], one["decodes_per_s"] > 0) for one in told[3]["threads"]]
    count = len(os.sched_getaffinity(0))
    report.check("bench goes up to all processors", threads[0] == (1, True) and threads[-1] == (count, True), f"{threads}")
    report.check("bench tells the memory", told[3]["peak_rss_bytes"] >= told[3]["rss_before_bytes"] > 1 << 20, f"{told[3]}")
    report.check("bench leaves nothing behind", not list(temporary.iterdir()), f"{list(temporary.iterdir())}")
    shape("bench goes on after a bad file", run("bench", "--json", "--seconds", "0.05", __file__, still), 1, {"file", *FAILED},
          {"file", *picture}, last, error="NOT_AN_IMAGE")
    done = run("bench", "--seconds", "0.05", still, "--size", "10x10")
    fine = done.returncode == 0 and re.search(rb"thumbnail +\d+ .* into 10x10", done.stdout) and b"warm" in done.stdout
    report.check("bench prints a table for people", fine and b"\x1b" not in done.stdout, done.stdout.decode(errors="replace"))
    for arguments in ([], ["--seconds", "0", "x"], ["--seconds", "nan", "x"], ["--size", "1", "x"]):
        done = run("bench", *arguments)
        report.check(f"bench {' '.join(arguments)} is wrong usage", done.returncode == 2, done.stderr.decode())


def serve(folder: pathlib.Path) -> None:
    """Of the Python package: the command runs it on its own library."""
    trap = folder / "trap"
    (trap / "sdimage").mkdir(parents=True)
    (trap / "sdimage/__init__.py").write_text("raise SystemExit('the package of the current folder')")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings/python")}
    served = folder / "served"
    served.mkdir()
    (served / "one.png").write_bytes(png(5, 4))
    process = subprocess.Popen([PROGRAM, "serve", "--folder", str(served)], stdout=subprocess.PIPE, cwd=trap, env=environment, text=True)
    address = process.stdout.readline().strip()
    try:
        body = urllib.request.urlopen(f"{address}one.png", timeout=20).read() if address else b""
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=20)
    report.check("serve serves a folder until it is stopped", body == png(5, 4) and status == 0, f"{address} {status}")
    (folder / "broken").mkdir()
    (folder / "broken/sdimage.py").write_text("raise ImportError('gone')")
    done = run("serve", env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder / "broken")})
    fine = done.returncode == 1 and done.stderr == b"sdimage: serve: wants the Python package sdimage: gone\n"
    report.check("serve says when the package is missing", fine, done.stderr.decode())
    done = run("serve", env={"PATH": str(trap)})
    report.check("serve says when there is no python3", done.returncode == 1 and done.stderr == b"sdimage: serve: python3: No such file or directory\n",
                 done.stderr.decode())
    for arguments in (["x"], ["--port", "70000"], ["--kbps", "fast"]):
        done = run("serve", *arguments)
        report.check(f"serve {' '.join(arguments)} is wrong usage", done.returncode == 2, done.stderr.decode())


def main() -> None:
    files_of_origin = {"/cat.png": png(40, 30), "/page": b"<!DOCTYPE html>"}
    with Origin(files_of_origin) as origin, tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        folder = pathlib.Path(name)
        files(folder)
        loads(folder, origin)
        thumb(folder, origin)
        cache(folder, origin)
        photos(folder)
        bench(folder, origin)
        serve(folder)
        shape("doctor --json", run("doctor", "--json"), 0, set(objects(run("doctor", "--json"))[0]))
    report.finish()


main()
