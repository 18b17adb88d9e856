#!/usr/bin/env python3
"""Tests the sdimage command: its output, its files, and its exit status.

    command.py PROGRAM"""

import ctypes
import json
import os
import pathlib
import re
import resource
import stat
import struct
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS)]
import report  # noqa: E402
import terminal  # noqa: E402
from images import gif, pixels, png, ppm  # noqa: E402
from origin import Origin  # noqa: E402

PROGRAM = sys.argv[1]


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=600, **options)


def expect(name: str, done: subprocess.CompletedProcess[bytes], status: int, out: str = "", error: str = "") -> None:
    """Checks the status, the patterns of both streams, and the rule that an error is one line."""
    output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    fine = done.returncode == status and re.search(out, output) and re.search(error, errors)
    if status and not errors.startswith("sdimage: "):
        fine = False
    report.check(name, fine, f"status {done.returncode}, wanted {status}: {output} {errors}")


def usage(folder: pathlib.Path) -> None:
    expect("--help explains", run("--help"), 0, "usage: sdimage get")
    for words in (["get", "--help"], ["get", "-h"], ["help", "get"]):
        expect(f"{' '.join(words)} explains a command", run(*words), 0, "^usage: sdimage get FILE")
    for words in (["cache", "--help"], ["cache", "-h"], ["help", "cache"]):
        expect(f"{' '.join(words)} explains a group", run(*words), 0, "^usage: sdimage cache ls(?s:.)*sdimage cache trim BYTES")
    done = run("get", "x:", "-zo", "x")
    expect("a strange letter is named", done, 2, "^$", "^sdimage: get: unknown option -z; see sdimage get --help\n$")
    done = run("convert", "a.png", "b.png", "--transform", "crop:1")
    expect("the form of a transform is told", done, 2, "^$", "'crop:1'; expected crop:X,Y,WxH\n$")
    done = run("convert", "a.png", "b.png", "--transform", "filter:sepia,x=1")
    expect("the parameters of a filter are told", done, 2, "^$", "no parameter 'x'; there are: intensity\n$")
    expect("--version", run("--version"), 0, r"^sdimage \d+\.\d+\.\d+\n$")
    wrong = {"nothing": [], "a strange command": ["frob"], "get without a URL": ["get"], "info without a file": ["info"],
             "a strange option": ["get", "--frob", "x:"], "a bad size": ["get", "x:", "--thumbnail", "12"],
             "a zero size": ["get", "x:", "--thumbnail", "0x5"], "doctor with an argument": ["doctor", "x"],
             "both cache options": ["get", "x:", "--cache", "a", "--no-cache"],
             "two URLs to one file": ["get", "x:", "y:", "-o", folder / "z.png"],
             "a thumbnail to an unknown form": ["get", "x:", "--thumbnail", "9x9", "-o", folder / "z.xyz"],
             "convert without an output": ["convert", "a.png"], "a name without a format": ["convert", "a.png", "b"],
             "a strange transform": ["convert", "a.png", "b.png", "--transform", "melt"],
             "a bad resize": ["convert", "a.png", "b.png", "--transform", "resize:5"],
             "an unknown filter": ["convert", "a.png", "b.png", "--transform", "filter:melt"],
             "a negative headroom": ["convert", "a.png", "b.png", "--headroom", "-1"],
             "a headroom in words": ["convert", "a.png", "b.png", "--headroom", "much"],
             "a rendition for get": ["get", "x:", "--hdr"],
             "an unknown isolation": ["info", "a.png", "--isolation", "much"],
             "a quality above one": ["convert", "a.png", "b.jpg", "--quality", "90"],
             "an unknown format": ["convert", "a.png", "b.png", "--format", "xyz"],
             "prefetch without a list": ["prefetch"], "no jobs": ["prefetch", "-", "--jobs", "0"],
             "frames without a folder": ["frames", "a.gif"], "cache without a command": ["cache"],
             "a strange cache command": ["cache", "burn"], "cache get without a key": ["cache", "get", "-o", folder / "z"],
             "cache get without an output": ["cache", "get", "x"],
             "a quality without an output": ["get", "x:", "--quality", "0.5"],
             "a folder that does not exist": ["thumb", "a.png", "-o", folder / "none" / ""],
             "help of a strange command": ["help", "frob"],
             "two photo libraries": ["photos", "ls", "--library", "a", "--shotwell"]}
    for name, arguments in wrong.items():
        done = run(*arguments)
        expect(f"{name} is wrong usage", done, 2, "^$", "^sdimage: [^\n]*\n$")


def info(folder: pathlib.Path) -> None:
    (folder / "a.png").write_bytes(png(31, 17))
    (folder / "page.png").write_bytes(b"<html>")
    expect("info prints size and format", run("info", folder / "a.png"), 0, r"format: png(.|\n)*width: 31\n")
    done = run("info", "--json", folder / "a.png", folder / "a.png")
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    fine = len(objects) == 2 and objects[0]["file"] == str(folder / "a.png") and objects[0]["height"] == 17
    report.check("info --json prints an object a line", fine, done.stdout.decode())
    expect("info goes on after a bad file", run("info", folder / "page.png", folder / "a.png"), 1, "width: 31", "page.png")
    expect("info misses a file", run("info", folder / "none.png"), 1, "^$", "none.png: NOT_FOUND: No such file")
    for words in (["info", "http://x/a.png"], ["convert", "http://x/a.png", folder / "b.png"]):
        expect(f"{words[0]} names the command for URLs", run(*words), 1, "^$", "a.png: NOT_FOUND: .*sdimage get")
    expect("info reads standard input", run("info", "-", input=png(5, 4)), 0, "width: 5")


def doctor() -> None:
    done = run("doctor", "--json")
    report.check("doctor --json is JSON", "formats" in json.loads(done.stdout), done.stdout.decode())
    expect("doctor prints for people", run("doctor"), 0, r"version: \d")


def isolation(folder: pathlib.Path) -> None:
    picture = TESTS / "fixtures/avif/still.avif"
    without = {**os.environ, "SDIMAGE_DECODER_PATH": "/bin/false"}
    expect("doctor shows the default isolation", run("doctor"), 0, r"isolation: risky\ndecoder_path: /.*/sdimage-decoder\n")
    expect("doctor shows the isolation of its option", run("doctor", "--isolation=all"), 0, "isolation: all")
    expect("doctor starts a worker", run("doctor"), 0, r"worker: started\n")
    expect("doctor counts its workers", run("doctor", "--json"), 0, r'"workers": {"running": 1, "started": 1, "crashes": 0, "kills": 0,')
    expect("doctor says why no worker starts", run("doctor", "--json", env=without), 0, r'^{"worker":"decoder process: [^"]+",')
    expect("all formats are isolated", run("info", picture, TESTS / "fixtures/pictures/badge.png", "--isolation", "all"), 0,
           r"format: avif(.|\n)*format: png")
    expect("the default is no obstacle without workers", run("info", picture, env=without), 0, "format: avif")
    expect("a chosen isolation needs workers", run("info", picture, "--isolation", "risky", env=without), 1, "^$", "UNSUPPORTED")
    expect("formats that are not isolated need no workers", run("info", picture, "--isolation", "none", env=without), 0, "avif")
    for mode, opens in (("none", True), ("risky", False)):
        # The environment of workers is empty, so that the linker speaks of this process only.
        done = run("info", picture, "--isolation", mode, env={**os.environ, "LD_DEBUG": "files"})
        name = f"with isolation {mode} the command {'opens' if opens else 'does not open'} the library of the format"
        report.check(name, done.returncode == 0 and (b"libavif" in done.stderr) == opens, f"status {done.returncode}")


def get(folder: pathlib.Path, origin: Origin) -> None:
    cat, cache = origin.url("cat.png"), folder / "cache"
    expect("get prints a line", run("get", cat, "--no-cache"), 0, rf"^network +40x30 +png +[\d.]+ ms  {re.escape(cat)}\n$")
    expect("get keeps the encoded bytes", run("get", cat, "--cache", cache, "-o", folder / "cat.png"), 0)
    report.check("which are the origin's", (folder / "cat.png").read_bytes() == png(40, 30), "other bytes")
    before = origin.hits("cat.png")
    done = run("get", cat, "--cache", cache, "-o", folder / "again.png")
    expect("get finds it on disk the second time", done, 0, "^disk")
    report.check("without asking the origin", origin.hits("cat.png") == before, f"{origin.counters()}")
    report.check("and has the same bytes", (folder / "again.png").read_bytes() == png(40, 30), "other bytes")

    expect("get speaks of no conversion", run("get", cat, "--no-cache", "-o", folder / "cat.png"), 0, "", "^$")
    for name in ("cat.webp", "cat.heif"):
        done = run("get", cat, "--no-cache", "-o", folder / name)
        expect(f"get tells that the extension of {name} does not convert", done, 0, "^network",
               f"{name}: contains png.*--format converts")
    report.check("and keeps the bytes", (folder / "cat.webp").read_bytes() == png(40, 30), "other bytes")
    expect("get writes pixels as PPM", run("get", cat, "--no-cache", "-o", folder / "cat.ppm"), 0)
    report.check("every one of them", (folder / "cat.ppm").read_bytes() == ppm(40, 30), "other bytes")
    expect("get writes PAM", run("get", cat, "--no-cache", "-o", folder / "cat.pam"), 0)
    head, _, body = (folder / "cat.pam").read_bytes().partition(b"ENDHDR\n")
    report.check("with its header", b"TUPLTYPE RGB\n" in head and body == pixels(40, 30), head.decode())
    expect("get makes a thumbnail", run("get", cat, "--thumbnail", "20x20", "--no-cache", "-o", folder / "t.ppm"), 0, "20x15")
    report.check("of that size", (folder / "t.ppm").read_bytes().startswith(b"P6\n20 15\n255\n"), "other header")
    done = run("get", cat, "--no-cache", "-o", "-")
    report.check("get writes to standard output", done.stdout == png(40, 30) and b"40x30" in done.stderr, done.stderr.decode())

    several(folder, origin)
    expect("get takes a file", run("get", folder / "cat.png", "--no-cache"), 0, "^loader +40x30")
    (folder / "a b%.png").write_bytes(png(9, 9))
    expect("get takes a file with a strange name", run("get", folder / "a b%.png", "--no-cache"), 0, "9x9")
    expect("get misses a picture", run("get", origin.url("none.png"), "--no-cache"), 1, "^$", "HTTP_STATUS.*404")
    expect("get refuses a page", run("get", origin.url("page"), "--no-cache"), 1, "^$", "NOT_AN_IMAGE")
    expect("get reports an address without a server", run("get", "http://127.0.0.1:1/x.png", "--no-cache"), 1, "^$", "CONNECT_FAILED")
    expect("get hides passwords", run("get", "http://me:secret@127.0.0.1:1/x.png", "--no-cache"), 1, "^$",
           "^(?!.*secret).*CONNECT_FAILED")
    done = run("get", cat, "--no-cache", "-o", "/proc/none/cat.png")
    expect("get cannot write there", done, 1, "^$", "/proc/none/cat.png: NOT_FOUND: No such file")
    expect("a full disk is an error", run("get", cat, "--no-cache", "-o", "/dev/full"), 1, "^$", "No space left")
    report.check("which leaves a device alone", stat.S_ISCHR(os.stat("/dev/full").st_mode), "/dev/full is gone")
    replaced(folder, cat)
    kept(folder, cat)


def replaced(folder: pathlib.Path, cat: str) -> None:
    """A file is replaced when the new one is complete."""
    place = folder / "replaced"
    place.mkdir()
    # As a full disk, and without its signal, which Python ignores.
    small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)), "restore_signals": False}
    for name in ("a.png", "a.ppm", "a.pfm"):
        (place / name).write_bytes(b"old")
        done = run("get", cat, "--no-cache", "-o", place / name, **small)
        expect(f"a limit of files is an error ({name})", done, 1, "^$", "File too large")
        report.check("which leaves the old file", (place / name).exists() and (place / name).read_bytes() == b"old", "it is gone")
    (place / "a.png").chmod(0o626)
    (place / "link.png").symlink_to("a.png")
    expect("get replaces a file behind a link", run("get", cat, "--no-cache", "-o", place / "link.png"), 0)
    report.check("which has its permissions", (place / "a.png").read_bytes() == png(40, 30) and (place / "link.png").is_symlink()
                 and stat.S_IMODE((place / "a.png").stat().st_mode) == 0o626, f"{(place / 'a.png').stat()}")
    report.check("no temporary file is left", len(list(place.iterdir())) == 4, f"{list(place.iterdir())}")


def drop_rights() -> None:
    """Files have the rights of their modes and owners, for root too: it loses CAP_DAC_OVERRIDE and CAP_FOWNER at the start of the
    command. A failure means that there are none."""
    for capability in (1, 3):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def kept(folder: pathlib.Path, cat: str) -> None:
    """Files that are not replaced: they are protected, in use, or in a folder that forbids it. The command writes original bytes
    itself, the library encoded ones."""
    commands = {"get": ["get", "--no-cache", cat, "-o"], "convert": ["convert", "--format", "png", folder / "cat.png"]}
    for name, command in commands.items():
        place = folder / f"kept-{name}"
        place.mkdir()
        protected = place / "protected"
        protected.write_bytes(b"old")
        protected.chmod(0o444)
        done = run(*command, protected, preexec_fn=drop_rights)
        expect(f"{name} refuses a file without write permission", done, 1, "^$", "PERMISSION_DENIED")
        report.check("which stays", protected.read_bytes() == b"old", "it is gone")
        with (place / "used").open("w+b") as used:
            number = used.fileno()
            expect(f"{name} writes to an open file", run(*command, f"/dev/fd/{number}", pass_fds=[number]), 0)
            report.check("which is the same file afterwards", os.fstat(number).st_nlink == 1 and used.read(4) == b"\x89PNG",
                         f"{os.fstat(number)}")
        if os.geteuid() != 0:
            continue
        shared = place / "shared"
        shared.mkdir()
        foreign = shared / "foreign"
        foreign.write_bytes(b"old")
        foreign.chmod(0o666)
        os.chown(foreign, 2, 2)
        os.chown(shared, 1, 1)
        shared.chmod(0o1777)
        expect(f"{name} writes a file that it cannot replace", run(*command, foreign, preexec_fn=drop_rights), 0)
        report.check("which keeps its owner", foreign.read_bytes().startswith(b"\x89PNG") and foreign.stat().st_uid == 2,
                     f"{foreign.stat()}")
        report.check("and no temporary file is left", len(list(shared.iterdir())) == 1, f"{list(shared.iterdir())}")


def several(folder: pathlib.Path, origin: Origin) -> None:
    urls = [origin.url(f"{number}/p.png") for number in range(40)]
    out = folder / "out"
    out.mkdir()
    expect("get loads many into a folder", run("get", *urls, "--no-cache", "-o", out), 0)
    sizes = sorted(path.stat().st_size for path in out.iterdir())
    report.check("each under its own name", sizes == sorted(len(png(10 + n, 5)) for n in range(40)), f"{len(sizes)} files")
    alike = folder / "alike"
    alike.mkdir()
    # Names with the numbers that tell the others apart. At most 32 loads run at once: some of these end before those begin.
    for number in range(40):
        origin.add(f"{number}/{number + 41}-p.png", png(50 + number, 5))
    numbered = [origin.url(f"{number}/{number + 41}-p.png") for number in range(40)]
    expect("get loads names with numbers into a folder", run("get", *numbered, *urls, "--no-cache", "-o", alike), 0)
    sizes = sorted(path.stat().st_size for path in alike.iterdir())
    report.check("none replaces another", sizes == sorted(len(png(10 + n, 5)) for n in range(80)), f"{len(sizes)} files")
    done = run("get", *urls, origin.url("none.png"), "--no-cache", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    good = [line for line in lines if line.get("source") == "network"]
    bad = [line for line in lines if line.get("error") == "HTTP_STATUS" and line["http_status"] == 404]
    report.check("get --json prints an object a URL", done.returncode == 1 and len(good) == 40 and len(bad) == 1,
                 done.stderr.decode())
    thumbnails = folder / "thumbnails"
    thumbnails.mkdir()
    expect("thumbnails in a folder", run("get", *urls[:3], "--no-cache", "--thumbnail", "8x8", "-o", thumbnails), 0)
    kinds = {path.suffix for path in thumbnails.iterdir()}
    report.check("are PNG", kinds == {".png"} and len(list(thumbnails.iterdir())) == 3, f"{kinds}")


def written(path: pathlib.Path) -> dict[str, object]:
    """The command's own info of a file that it wrote."""
    return json.loads(run("info", "--json", path).stdout or b"{}")


def convert(folder: pathlib.Path, origin: Origin) -> None:
    source = folder / "source.png"
    source.write_bytes(png(60, 40))
    for name, kind in (("o.jpg", "jpeg"), ("o.webp", "webp"), ("o.gif", "gif"), ("o.bmp", "bmp"), ("o.ico", "ico")):
        expect(f"convert writes {kind}", run("convert", source, folder / name), 0, "^$", "^$")
        about = written(folder / name)
        report.check(f"which is {kind}", (about.get("format"), about.get("width")) == (kind, 60), f"{about}")
    expect("convert shrinks and transforms", run("convert", source, folder / "t.png", "--thumbnail", "30x30", "--transform",
           "rotate:90", "--transform", "resize:10x30:fit"), 0)
    for mode, size, alpha in (("fit", (20, 20), True), ("fill", (20, 20), False), ("cover", (20, 20), False)):
        expect(f"convert resizes with {mode}", run("convert", source, folder / "m.png", "--transform", f"resize:20x20:{mode}"), 0)
        about = written(folder / "m.png")
        fine = (about.get("width"), about.get("height")) == size and about.get("has_alpha") == alpha
        report.check("transparent beside the image alone for fit", fine, f"{about}")
    about = written(folder / "t.png")
    report.check("in that order", (about.get("width"), about.get("height")) == (10, 30), f"{about}")
    expect("convert keeps to a size", run("convert", source, folder / "s.jpg", "--max-bytes", "900"), 0, "", "^$")
    done = run("convert", source, folder / "t.jpg", "--max-bytes", "9")
    expect("convert tells that no quality has the size", done, 0, "", r"^sdimage: .*t.jpg: \d+ bytes, more than --max-bytes 9\n$")
    report.check("in bytes", (folder / "s.jpg").stat().st_size <= 900, f"{(folder / 's.jpg').stat().st_size}")
    done = run("convert", "-", "-", "--format", "webp", "--lossless", input=png(9, 7))
    report.check("convert is a filter", done.stdout[:4] == b"RIFF" and done.stdout[12:16] == b"VP8L", done.stderr.decode())
    done = run("convert", "/dev/stdin", "/dev/stdout", "--format", "bmp", input=png(9, 7))
    report.check("also between pipes with names", done.stdout[:2] == b"BM", done.stderr.decode())
    done = run("convert", source, folder / "same.ppm", "--transform", "flip:h", "--transform", "flip:h")
    report.check("two flips are none", (folder / "same.ppm").read_bytes() == ppm(60, 40), done.stderr.decode())
    expect("convert misses a file", run("convert", folder / "none.png", folder / "o.jpg"), 1, "^$", "NOT_FOUND")
    expect("convert tells what it cannot read", run("convert", __file__, folder / "o.jpg"), 1, "^$", "NOT_AN_IMAGE")
    expect("convert tells what the folder is", run("convert", source, folder / "no" / "o.jpg"), 1, "^$", "NOT_FOUND")
    expect("get converts too", run("get", origin.url("cat.png"), "--no-cache", "-o", folder / "cat.webp", "--quality", "0.5"),
           0, "40x30")
    report.check("into a WebP", written(folder / "cat.webp").get("format") == "webp", "another format")
    moving = pathlib.Path(__file__).resolve().parents[1] / "fixtures/webp/animated.webp"
    count = written(moving)["frame_count"]
    expect("frames writes every frame", run("frames", moving, "-o", folder / "frames"), 0, f"^{count} frames of ")
    names = sorted(path.name for path in (folder / "frames").iterdir())
    report.check("under numbers", len(names) == count and names[0] == "frame-0001.png", f"{names}")
    expect("convert keeps what moves", run("convert", moving, folder / "moving.gif"), 0)
    report.check("moving", written(folder / "moving.gif").get("frame_count") == count, f"{written(folder / 'moving.gif')}")
    expect("unless told not to", run("convert", moving, folder / "still.gif", "--first-frame"), 0)
    report.check("to move", written(folder / "still.gif").get("frame_count") == 1, f"{written(folder / 'still.gif')}")


def floats(path: pathlib.Path) -> tuple[list[bytes], list[float]]:
    """The header of a Portable Float Map of 240 by 160 pixels, and its numbers, from the lower left corner on."""
    *header, body = path.read_bytes().split(b"\n", 3)
    return header, list(struct.unpack(f"={240 * 160 * 3}f", body))


def hdr(folder: pathlib.Path) -> None:
    sunset = TESTS / "fixtures/hdr/sunset.jpg"
    expect("info tells the headroom and the gain map", run("info", sunset), 0,
           r"(?s)is_hdr: false.*transfer_characteristics: 0.*has_gain_map: true.*content_headroom: 5\.62")
    brightest = {}
    for name, options in {"sdr": [], "hdr": ["--hdr"], "one": ["--hdr", "--headroom", "1"], "none": ["--headroom=1", "--sdr"]}.items():
        expect(f"convert writes floats, {name}", run("convert", sunset, folder / f"{name}.pfm", *options), 0, "^$", "^$")
        header, light = floats(folder / f"{name}.pfm")
        brightest[name] = max(light)
        order = b"-1.0" if sys.byteorder == "little" else b"1.0"
        report.check("with the header of PFM", header == [b"PF", b"240 160", order], f"{header}")
    fine = brightest["sdr"] <= 1 < brightest["one"] <= 2.01 < 4 < brightest["hdr"] and brightest["none"] == brightest["sdr"]
    report.check("with the light of the rendition", fine, f"{brightest}")
    # The sea is below the sky.
    light = floats(folder / "sdr.pfm")[1]
    report.check("from the bottom", sum(light[:720]) < sum(light[-720:]), "the first row is the brighter one")
    expect("an HDR rendition is written to PNG", run("convert", sunset, folder / "hdr.png", "--hdr"), 0, "^$", "^$")
    info = written(folder / "hdr.png")
    report.check("with 16 bits, in PQ", info["bits_per_channel"] == 16 and info["transfer_characteristics"] == 16, f"{info}")
    expect("and to JPEG", run("convert", sunset, folder / "hdr.jpg", "--headroom=2", "--thumbnail=60x40"), 0, "^$", "^$")
    info = written(folder / "hdr.jpg")
    report.check("with a gain map", info["has_gain_map"] and 0.5 < info["content_headroom"] <= 2, f"{info}")
    expect("and tone-mapped to WebP", run("convert", sunset, folder / "hdr.webp", "--hdr"), 0, "^$", "^$")
    expect("not without a request", run("convert", folder / "hdr.png", folder / "sdr.png"), 0, "^$", "^$")
    report.check("which stays SDR", not written(folder / "sdr.png")["is_hdr"], "it is HDR")
    expect("other images have one rendition", run("convert", folder / "cat.png", folder / "cat.pfm", "--hdr"), 0, "^$", "^$")
    report.check("with its size", (folder / "cat.pfm").stat().st_size == 40 * 30 * 12 + len("PF\n40 30\n-1.0\n"), "other size")


def cache(folder: pathlib.Path, origin: Origin) -> None:
    where = ("--cache", folder / "listed")
    urls = [origin.url(f"{number}/p.png") for number in range(5)]
    expect("get fills a cache", run("get", *urls, *where), 0)
    done = run("cache", "ls", "--json", *where)
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    report.check("cache ls lists it", sorted(entry["key"] for entry in entries) == sorted(urls), done.stdout.decode())
    lengths = sorted(entry["bytes"] for entry in entries)
    report.check("with sizes", lengths == sorted(len(png(10 + n, 5)) for n in range(5)), f"{lengths}")
    done = run("cache", "ls", "--prefix", origin.url("3"), *where)
    report.check("cache ls --prefix lists some", done.stdout.decode().count("\n") == 1, done.stdout.decode())
    expect("cache du sums up", run("cache", "du", *where), 0, rf"^{sum(lengths)} bytes in 5 entries: ")
    expect("cache get writes an entry", run("cache", "get", urls[1], "-o", folder / "entry", *where), 0, "^$", "^$")
    report.check("as it was received", (folder / "entry").read_bytes() == png(11, 5), "other bytes")
    done = run("cache", "get", urls[1], "-o", "-", *where)
    report.check("or to standard output", done.stdout == png(11, 5), done.stderr.decode())
    done = run("cache", "get", "x", "-o", folder / "entry", *where)
    expect("cache get misses an entry", done, 1, "^$", "^sdimage: x: NOT_FOUND")
    for command in (["ls"], ["du"], ["rm", "x"], ["clear"], ["trim", 0], ["verify"]):
        done = run("cache", *command, "--cache", folder / "misspelled")
        expect(f"cache {command[0]} finds no cache in a new folder", done, 1, "^$", "misspelled/default: NOT_FOUND: no cache")
    report.check("and does not make it", not (folder / "misspelled").exists(), "it is there")
    expect("cache rm removes", run("cache", "rm", urls[0], urls[1], *where), 0, "^$")
    expect("and says what is not there", run("cache", "rm", urls[0], *where), 1, "^$", "NOT_FOUND")
    expect("cache verify finds it sound", run("cache", "verify", *where), 0, "sound: true")
    expect("cache trim removes the oldest", run("cache", "trim", 0, *where), 0, "^$")
    expect("until nothing is left", run("cache", "du", *where), 0, "^0 bytes in 0 entries")
    expect("get fills it again", run("get", urls[0], *where), 0)
    expect("cache du counts one entry", run("cache", "du", *where), 0, "bytes in 1 entry: ")
    expect("cache clear empties it", run("cache", "clear", *where), 0)
    expect("for good", run("cache", "ls", *where), 0, "^$")


def prefetch(folder: pathlib.Path, origin: Origin) -> None:
    urls = [origin.url(f"{number}/p.png") for number in range(40)]
    (folder / "list").write_text("# pictures\n\n" + "\n".join(urls) + "\n")
    where = ("--cache", folder / "ahead")
    expect("prefetch loads a list", run("prefetch", folder / "list", "--jobs", 8, *where), 0, "^40 fetched, 0 failed\n$", "^$")
    done = run("get", urls[7], *where)
    expect("what was prefetched is on disk", done, 0, "^disk ")
    done = run("prefetch", "-", *where, input=f"{urls[0]}\n{origin.url('nothing')}\n".encode())
    expect("prefetch tells what fails", done, 1, "^1 fetched, 1 failed\n$", "^sdimage: .*/nothing: HTTP_STATUS: [^\n]*\n$")
    expect("prefetch of nothing is fine", run("prefetch", "-", *where, input=b"\n"), 0, "^0 fetched, 0 failed\n$")
    reader, writer = os.pipe()
    os.write(writer, f"{urls[0]}\n{urls[1]}\n".encode())
    os.close(writer)
    done = run("prefetch", f"/dev/fd/{reader}", *where, pass_fds=[reader])
    os.close(reader)
    expect("prefetch reads a pipe", done, 0, "^2 fetched, 0 failed\n$", "^$")
    done = run("prefetch", "-", "--cache", "/proc/none", input=f"{urls[0]}\n".encode())
    expect("prefetch without a cache fails", done, 1, "^$", "^sdimage: prefetch: CACHE_UNUSABLE: ")
    done = run("get", urls[0], "--cache", "/proc/none")
    expect("get without a cache warns", done, 0, "^network ", "^sdimage: cache: CACHE_UNUSABLE: ")
    named = folder / "two words.png"
    named.write_bytes(png(8, 6))
    done = run("prefetch", "-", *where, input=f"  {named} \t\r\n".encode())
    expect("prefetch takes names with spaces", done, 0, "^1 fetched, 0 failed\n$", "^$")
    expect("prefetch without its file", run("prefetch", folder / "none"), 1, "^$", "^sdimage: [^\n]*\n$")


def late_signal(folder: pathlib.Path, moving: pathlib.Path) -> None:
    """A signal between the check for signals and the wait of a paused player."""
    preloaded = folder / "late_signal.so"
    source = TESTS / "cli/late_signal.c"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    if report.command("the preloaded poll compiles", "gcc", *flags, "-o", preloaded, source) is None:
        return
    status, written = terminal.run([PROGRAM, "play", str(moving), "--screen", "blocks"], keys=b" ", keys_after=b"0;0;255",
                                   environment={"LD_PRELOAD": str(preloaded)}, limit=60)
    report.check("play ends at an interrupt while it is paused", status == 0 and written.rstrip().endswith(b"\x1b[?25h"),
                 f"status {status}: {written[-200:]!r}")


def play(folder: pathlib.Path, origin: Origin) -> None:
    (folder / "red.ppm.png").write_bytes(png(8, 6))
    still, moving = folder / "red.ppm.png", folder / "moving.gif"
    moving.write_bytes(gif([(255, 0, 0), (0, 0, 255)], hundredths=2))
    expect("play wants a terminal", run("play", still), 2, "^$", "not a terminal")
    expect("play without a file is wrong usage", run("play"), 2, "^$", r"expected FILE\|URL")
    expect("a strange screen is wrong usage", run("play", still, "--screen", "cinema"), 2, "^$", "blocks sixel kitty")
    status, written = terminal.run([PROGRAM, "play", str(still), "--screen", "blocks"])
    fine = status == 0 and written.count("\u2580".encode()) == 8 * 3 and written.rstrip().endswith(b"\x1b[?25h")
    report.check("play draws a still in half blocks and gives the cursor back", fine, repr(written[-200:]))
    status, written = terminal.run([PROGRAM, "play", str(moving), "--screen", "blocks"], keys=b"q", keys_after=b"0;0;255")
    seen = re.findall(rb"38;2;(\d+);\d+;(\d+);", written)
    fine = status == 0 and {(b"255", b"0"), (b"0", b"255")} <= set(seen)
    report.check("play shows the frames of an animation", fine, repr(written[:400]))
    late_signal(folder, moving)
    status, written = terminal.run([PROGRAM, "play", str(moving)], answer=b"\x1b[?62c", keys=b"q", keys_after=b"0;0;255")
    fine = status == 0 and "\u2580".encode() in written and b"\x1b[?25h" in written
    report.check("play goes on until q, in blocks where the terminal can do no more", fine, repr(written[:300]))
    status, written = terminal.run([PROGRAM, "play", str(moving), "--loops", "1"], answer=b"\x1b[?62;4;22c")
    report.check("play draws sixels where the terminal says so", status == 0 and b"\x1bP7;1q" in written, repr(written[:300]))
    answer = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"
    status, written = terminal.run([PROGRAM, "play", str(moving), "--loops", "1"], answer=answer)
    fine = status == 0 and b"\x1b[c" in written and b"\x1b_Ga=T,i=1" in written and b"s=4,v=4" in written
    report.check("play draws by kitty's protocol where the terminal says so", fine, repr(written[:300]))
    status, written = terminal.run([PROGRAM, "play", str(folder / "none.gif"), "--screen", "blocks"])
    report.check("play tells of a file that is not there", status == 1 and b"\x1b[?25h" in written, repr(written))
    arguments = [PROGRAM, "play", origin.url("0/p.png?fault=hang"), "--screen", "blocks"]
    before = origin.hits("0/p.png")
    status, written = terminal.run(arguments, interrupted_if=lambda: origin.hits("0/p.png") > before)
    fine = status == 1 and written.endswith(b"\x1b[?25h")
    report.check("play ends at an interrupt while it loads, and gives the cursor back", fine, f"status {status}: {written!r}")


def photos(folder: pathlib.Path) -> None:
    album = folder / "album"
    (album / "walk").mkdir(parents=True)
    (album / "b.png").write_bytes(png(40, 30))
    (album / "walk" / "a.gif").write_bytes(gif([(255, 0, 0), (0, 0, 255)], 10))
    done = run("photos", "ls", "--library", album)
    if b"is not installed" in done.stderr:
        report.skip("photos", "the plug-in is not installed")
        return
    expect("photos ls lists", done, 0, r"(?m)^[-0-9a-f]{36}  \d{4}-.*  +40x30 .*b\.png$")
    expect("photos ls --sort name", run("photos", "ls", "--library", album, "--sort", "name", "--limit", 1), 0, r"^[^\n]*a\.gif\n$")
    expect("photos ls --reverse", run("photos", "ls", "--library", album, "--sort", "name", "--reverse", "--limit", 1), 0,
           r"^[^\n]*b\.png\n$")
    done = run("photos", "ls", "--library", album, "--album", "walk", "--json")
    listed = json.loads(done.stdout)
    fine = listed["albums"] == ["walk"] and listed["type"] == "image/gif" and listed["path"].endswith("walk/a.gif")
    report.check("photos ls --album --json", fine, done.stdout)
    strange = folder / "strange names"
    strange.mkdir()
    pathlib.Path(os.fsdecode(os.fsencode(strange) + b"/a\n\xff\x1b[31m.png")).write_bytes(png(40, 30))
    done = run("photos", "ls", "--library", strange)
    expect("photos ls keeps names to their lines", done, 0, r"^[^\n\x1b]*/a\?.\?\[31m\.png\n$")
    done = run("photos", "ls", "--library", strange, "--json")
    name = pathlib.Path(json.loads(done.stdout)["path"]).name
    report.check("photos ls --json tells names of any bytes", os.fsencode(name) == b"a\n\xff\x1b[31m.png", done.stdout)
    expect("photos ls --media video", run("photos", "ls", "--library", album, "--media", "video"), 0, "^$")
    (album / "walk" / "a.gif").rename(album / "moved.gif")
    small = folder / "small.png"
    done = run("photos", "thumb", listed["identifier"], "-o", small, "--size", "2x2", "--library", album)
    expect("photos thumb finds a photo that moved", done, 0)
    report.check("photos thumb writes it at its size", written(small)["width"] == 2, f"{written(small)}")
    expect("photos thumb of nobody", run("photos", "thumb", "nobody", "-o", small, "--library", album), 1, "^$",
           "^sdimage: nobody: PHOTOS_NOT_FOUND: ")
    expect("photos thumb without an identifier", run("photos", "thumb", "", "-o", small, "--library", album), 1, "^$",
           "^sdimage: : INVALID_ARGUMENT: photos: identifier is empty\n$")
    expect("photos of a folder that is not there", run("photos", "ls", "--library", folder / "none"), 1, "^$", "NOT_FOUND")
    expect("photos of a database that is not there", run("photos", "ls", f"--shotwell={folder}/none.db"), 1, "^$", "NOT_FOUND")
    for arguments in ([], ["frob"], ["thumb", "a"], ["ls", "--sort", "color"], ["ls", "--limit", "0"], ["ls", "x"]):
        expect(f"photos {' '.join(arguments)} is wrong usage", run("photos", *arguments), 2, "^$", "^sdimage: photos[ :]")


def main() -> None:
    files = {"/cat.png": png(40, 30), "/page": b"<!DOCTYPE html><title>no</title>"}
    files |= {f"/{number}/p.png": png(10 + number, 5) for number in range(40)}
    with Origin(bodies=files) as origin, tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        folder = pathlib.Path(name)
        usage(folder)
        info(folder)
        doctor()
        isolation(folder)
        get(folder, origin)
        convert(folder, origin)
        hdr(folder)
        cache(folder, origin)
        prefetch(folder, origin)
        photos(folder)
        play(folder, origin)
    report.finish()


main()
