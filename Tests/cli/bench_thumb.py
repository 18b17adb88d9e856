#!/usr/bin/env python3
"""The sdimage command: thumb and bench.

    bench_thumb.py PROGRAM"""

import json
import os
import pathlib
import re
import tempfile

from tool import FAILED, GOT, HOSTILE, ROOT, report, run, shape  # first
from images import png
from origin import Origin


def thumb(folder: pathlib.Path, origin: Origin) -> None:
    (folder / "wide.png").write_bytes(png(600, 300))
    small = folder / "small.jpg"
    shape(
        "thumb makes 256 pixels",
        run("thumb", "--json", "--no-cache", folder / "wide.png", "-o", small),
        0,
        {*GOT, "output"},
        width=256,
        height=128,
    )
    done = run("info", "--json", small)
    report.check("in the format of the name", json.loads(done.stdout)["format"] == "jpeg", done.stdout.decode())
    box = folder / "box"
    box.mkdir()
    done = run(
        "thumb",
        folder / "wide.png",
        origin.url("cat.png"),
        "--no-cache",
        "-o",
        box,
        "--size",
        "20x20",
        "--format",
        "webp",
    )
    sizes = {path.name: json.loads(run("info", "--json", path).stdout)["width"] for path in box.iterdir()}
    report.check(
        "thumb fills a folder",
        done.returncode == 0 and sizes == {"wide.png.webp": 20, "cat.png.webp": 20},
        f"{sizes} {done.stderr!r}",
    )
    for arguments in (
        ["a.png"],
        ["-o", "x.png"],
        ["a.png", "-o", "x.xyz"],
        ["a.png", "-o", "x.png", "--size", "0x1"],
        ["a", "b", "-o", "x.png"],
    ):
        done = run("thumb", *arguments)
        fine = done.returncode == 2 and re.fullmatch(rb"sdimage: thumb: [^\n]*\n", done.stderr)
        report.check(f"thumb {' '.join(arguments)} is wrong usage", fine, done.stderr.decode())


def bench(folder: pathlib.Path, origin: Origin) -> None:
    cat, moving = origin.url("cat.png"), ROOT / "Tests/fixtures/webp/animated.webp"
    still = folder / HOSTILE
    still.write_bytes(png(31, 17))
    before = origin.hits("cat.png")
    picture = {"format", "width", "height", "frame_count", "bytes", "thumbnail_size", "measures"}
    last = {"threads", "peak_rss_bytes", "rss_before_bytes"}
    temporary = folder / "temporary"
    temporary.mkdir()
    done = run("bench", "--json", "--seconds", "0.1", still, moving, cat, env={**os.environ, "TMPDIR": str(temporary)})
    told = shape(
        "bench --json",
        done,
        0,
        {"file", *picture},
        {"file", *picture},
        {"url", *picture},
        last,
        file=str(still),
        width=31,
    )
    if len(told) != 4:
        return
    ways = [one["measures"] for one in told[:3]]
    of_all = {"info", "decode", "thumbnail", "memory", "disk"}
    seen = [set(way) for way in ways]
    report.check(
        "bench measures every way",
        seen == [of_all, of_all | {"frames"}, of_all | {"network_first", "network"}],
        f"{seen}",
    )
    figures = [figure for way in ways for figure in way.values()]
    fine = all(0 < figure["least_ns"] <= figure["median_ns"] and figure["runs"] >= 1 for figure in figures)
    fine = fine and all(way[name]["runs"] >= 3 for way in ways for name in of_all)
    report.check("bench has medians of several runs", fine, f"{figures}")
    sums = [
        (one["bytes"] * 1e3 / one["measures"]["decode"]["median_ns"], one["measures"]["decode"]["mb_per_s"])
        for one in told[:3]
    ]
    sums += [
        (
            one["width"] * one["height"] * 1e3 / one["measures"]["disk"]["median_ns"],
            one["measures"]["disk"]["mpx_per_s"],
        )
        for one in told[:3]
    ]
    report.check("bench's rates are those of its times", all(abs(a - b) < 0.01 for a, b in sums), f"{sums}")
    hits = origin.hits("cat.png") - before
    report.check(
        "bench is light on servers", 2 <= hits <= 6 and ways[2]["network"]["runs"] == hits - 1, f"{hits} {ways[2]}"
    )
    threads = [(one["threads"], one["decodes_per_s"] > 0) for one in told[3]["threads"]]
    count = len(os.sched_getaffinity(0))
    report.check(
        "bench goes up to all processors", threads[0] == (1, True) and threads[-1] == (count, True), f"{threads}"
    )
    report.check(
        "bench tells the memory", told[3]["peak_rss_bytes"] >= told[3]["rss_before_bytes"] > 1 << 20, f"{told[3]}"
    )
    report.check("bench leaves nothing behind", not list(temporary.iterdir()), f"{list(temporary.iterdir())}")
    shape(
        "bench goes on after a bad file",
        run("bench", "--json", "--seconds", "0.05", __file__, still),
        1,
        {"file", *FAILED},
        {"file", *picture},
        last,
        error="NOT_AN_IMAGE",
    )
    shape("bench runs once if the time is shorter", run("bench", "--json", "--seconds", "0.00001", still), 0, {"file", *picture}, last)
    done = run("bench", "--seconds", "0.05", still, "--size", "10x10")
    fine = done.returncode == 0 and re.search(rb"thumbnail +\d+ .* 10x10, data in memory", done.stdout) and b"warm" in done.stdout
    report.check(
        "bench prints a table for people", fine and b"\x1b" not in done.stdout, done.stdout.decode(errors="replace")
    )
    for arguments in ([], ["--seconds", "0", "x"], ["--seconds", "nan", "x"], ["--size", "1", "x"]):
        done = run("bench", *arguments)
        report.check(f"bench {' '.join(arguments)} is wrong usage", done.returncode == 2, done.stderr.decode())


def main() -> None:
    with Origin(bodies={"/cat.png": png(40, 30)}) as origin, tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        folder = pathlib.Path(name)
        thumb(folder, origin)
        bench(folder, origin)
    report.finish()


main()
