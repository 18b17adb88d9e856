#!/usr/bin/env python3
"""Tests the output of the C samples.

    samples.py FOLDER-OF-PROGRAMS"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS)]
import report  # noqa: E402
from images import png, ppm  # noqa: E402
from origin import Origin  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()


def run(name: str, *arguments: object, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAMS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd)


def expect(name: str, done: subprocess.CompletedProcess[str], status: int, pattern: str) -> None:
    fine = done.returncode == status and re.search(pattern, done.stdout + done.stderr)
    report.check(name, fine, f"status {done.returncode}: {done.stdout} {done.stderr}")


def farbfeld(width: int, height: int) -> bytes:
    return b"farbfeld" + struct.pack(">II", width, height) + bytes(width * height * 8)


def main() -> None:
    fixtures = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
    samples = pathlib.Path(__file__).resolve().parents[2] / "examples/c"
    for source in sorted(samples.glob("*.c")):
        count = len(source.read_text().splitlines())
        report.check(f"{source.name} has less than 100 lines", count < 100, f"{count}")

    files = {f"/{i}.png": png(20 + i, 10) for i in range(30)}
    with Origin(bodies=files) as origin, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = name
        (folder / "a.png").write_bytes(png(31, 17))

        expect("load_one decodes a file", run("load_one", folder / "a.png", folder / "a.ppm"), 0, "^png 31x17\n$")
        report.check("load_one writes every pixel", (folder / "a.ppm").read_bytes() == ppm(31, 17), "other bytes")
        expect("load_one loads a URL", run("load_one", origin.url("3.png"), folder / "b.ppm"), 0, "^png 23x10\n$")
        report.check("load_one writes what it loaded", (folder / "b.ppm").read_bytes() == ppm(23, 10), "other bytes")
        expect("load_one tells why it failed", run("load_one", origin.url("none.png")), 1, "HTTP_STATUS")
        expect("load_one tells its usage", run("load_one"), 2, "usage")

        urls = [origin.url(path) for path in files]
        expect("load_many loads all", run("load_many", *urls), 0, "30 loaded, 0 failed")
        expect("load_many counts failures", run("load_many", *urls, origin.url("none.png")), 1, "30 loaded, 1 failed")
        done = run("batch", 8, 8, *urls, origin.url("none.png"))
        report.check("batch fills an array", len(re.findall(r"^[ \d]{11}  http", done.stdout, re.M)) == 31, done.stdout)
        expect("batch tells failures", done, 1, r"none\.png: .* \(HTTP_STATUS\)\n$")
        expect("batch tells its usage", run("batch", 0, 8, "x"), 2, "usage")
        done = run("event_loop", *urls)
        expect("event_loop loads all", done, 0, "after")
        report.check("event_loop prints each once", len(done.stdout.splitlines()) == 30, done.stdout)
        expect("event_loop tells failures", run("event_loop", origin.url("none.png")), 1, "none.png")
        (folder / "a.ff").write_bytes(farbfeld(40, 20))
        expect("custom_coder decodes a format of its own", run("custom_coder", folder / "a.ff"), 0, "^40x20 rgba8\n$")
        expect("custom_coder leaves shrinking to the library", run("custom_coder", folder / "a.ff", 10), 0, "^10x5 rgba8\n$")
        (folder / "cut.ff").write_bytes(farbfeld(40, 20)[:-1])
        expect("custom_coder refuses what is cut off", run("custom_coder", folder / "cut.ff"), 1, "missing")
        expect("custom_coder tells its usage", run("custom_coder"), 2, "usage")
        entries = folder / "entries"
        entries.mkdir()
        expect("custom_cache loads once", run("custom_cache", entries, origin.url("3.png")), 0, "^network\n$")
        report.check("into its folder", [path.read_bytes() for path in entries.iterdir()] == [png(23, 10)], "other files")
        expect("custom_cache finds it again", run("custom_cache", entries, origin.url("3.png")), 0, "^disk\n$")
        done = run("load_hooks", origin.url("3.png?token=1"), origin.url("3.png?token=2"))
        expect("load_hooks finds a picture under any token", done, 0, "^23 x 10 from network\n23 x 10 from memory\n$")
        expect("load_hooks tells its usage", run("load_hooks"), 2, "usage")
        if (PROGRAMS / "photos").exists():
            album = folder / "album"
            album.mkdir()
            (album / "a.png").write_bytes(png(31, 17))
            expect("photos shows those of a folder", run("photos", album), 0, "^a.png: then 31x17\n$")
            expect("photos tells what is wrong with a folder", run("photos", folder / "none"), 1, "^photos: ")
        done = run("transform", folder / "a.png", folder / "avatar.png", 24)
        expect("transform makes an avatar", done, 0, r"^24x24 by SDImageResizing.*-SDImageRoundCorner.*\n$")
        head = (folder / "avatar.png").read_bytes()[:29]
        report.check("as a PNG with alpha", head[:8] == b"\x89PNG\r\n\x1a\n" and head[25] == 6, f"{head!r}")
        expect("transform refuses a side of nothing", run("transform", folder / "a.png", folder / "b.png", 0), 1, "INVALID_ARGUMENT")
        expect("transform tells its usage", run("transform"), 2, "usage")
        picture = (fixtures / "jpeg/large.jpg").read_bytes()
        origin.add("a.jpg", picture)
        # It takes four seconds: a busy machine shows a part before the end, too.
        done = run("progressive", origin.url("a.jpg?kbps=4"), 20)
        expect("progressive shows parts, then the whole", done, 0, r"^(part: 1024x768, .*\n)+whole: 1024x768, .*\n$")
        expect("progressive tells why it failed", run("progressive", origin.url("none.png")), 1, "HTTP_STATUS")
        expect("progressive tells its usage", run("progressive"), 2, "usage")
        isolated, page = fixtures / "avif/still.avif", folder / "page.avif"
        page.write_bytes(isolated.read_bytes()[:200])
        done = run("untrusted", isolated, page, folder / "a.png")
        expect("untrusted decodes in workers", done, 0, rf"^{isolated}: \d+x\d+\n{page}: \w+ \(.*\)\n.*: 31x17\n1 workers, 0 crashes, 0 timeouts\n$")
        expect("untrusted tells its usage", run("untrusted"), 2, "usage")
        done = run("target", origin.url("1.png"), origin.url("2.png"), origin.url("3.png"))
        expect("target uses a cell again", done, 0, "row 2: placeholder 32x24\n(.|\n)*row 2: 23x10 from ")
        report.check("and shows nothing of what it wanted before", "row 0: 21x" not in done.stdout, done.stdout)
        expect("target tells failures", run("target", origin.url("none.png")), 0, "^row 0: placeholder(.|\n)*HTTP_STATUS")
        expect("target tells its usage", run("target"), 2, "usage")
        with tarfile.open(folder / "a.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            for name in ("a.png", "cut.ff", "deep/" * 30 + "b.png"):
                archive.add(folder / ("a.png" if name.endswith("png") else name), name)
        long = "deep/" * 30 + "b.png"
        done = run("tar_loader", folder / "a.tar", "a.png", long, "a.png")
        expect("tar_loader finds members, once", done, 0, f"^a.png 31x17 from loader\n{long} 31x17 from loader\na.png 31x17 from ")
        (folder / "other").mkdir()
        with tarfile.open(folder / "other/a.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            (folder / "b.png").write_bytes(png(37, 19))
            archive.add(folder / "b.png", "a.png")
        for place, size in ((folder, "31x17"), (folder / "other", "37x19")):
            done = run("tar_loader", "a.tar", "a.png", cwd=place)
            expect(f"tar_loader finds {size} in the archive of the folder", done, 0, f"^a.png {size} from loader\n$")
        done = run("tar_loader", folder / "a.tar", "none.png", "cut.ff")
        expect("tar_loader tells what it cannot have", done, 1, "none.png: NOT_FOUND(.|\n)*cut.ff: NOT_AN_IMAGE")
        expect("tar_loader tells its usage", run("tar_loader"), 2, "usage")
        (folder / "a.http").write_bytes(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + (folder / "a.png").read_bytes())
        (folder / "moved").write_bytes(b"HTTP/1.1 302 Found\nLocation: /elsewhere/a.http\n\n")
        (folder / "gone").write_bytes(b"HTTP/1.1 404 Not Found\r\n\r\n")
        (folder / "none.http").write_bytes(b"no answer")
        done = run("replay", folder, *(f"http://example.org/{name}" for name in ("a.http", "moved", "gone", "none.http", "absent")))
        expect("replay answers from files, redirects too", done, 1,
               "^http://example.org/a.http 31x17\nhttp://example.org/moved 31x17\n"
               "http://example.org/gone: HTTP_STATUS\n.*none.http: INVALID_RESPONSE\n.*absent: OFFLINE\n$")
        expect("custom_loader paints, then remembers", run("custom_loader", "demo:64x48"), 0,
               "^loader 64x48\nmemory 64x48\n$")
        expect("custom_loader refuses nonsense", run("custom_loader", "demo:x"), 1, "custom_loader: ")
    report.finish()


main()
