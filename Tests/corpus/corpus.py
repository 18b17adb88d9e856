#!/usr/bin/env python3
"""Decodes every file of the folder SDIMAGE_CORPUS and compares the results with those of independent decoders.

    corpus.py [PART-OF-A-PATH]

`MANIFEST.tsv` has the expected result of each file, its size and its frames (columns path, family, expected,
width, height, frames, compare); `oracle.json` has the SHA-256 of its frames, as straight RGBA with invisible
pixels black. Each file is decoded at once, in pieces and at a thumbnail size, in a worker process with limits of
time and memory. A damaged or hostile file must end in an error or an image, quickly and within the limits.

Prints `ok`, `not ok` or `skip` with the number of files for each family, and `not ok` for each file that fails."""

from __future__ import annotations

import collections
import contextlib
import csv
import ctypes
import gc
import hashlib
import importlib.util
import json
import os
import pathlib
import select
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

#: Processor time for each decode of a file that need not decode.
SECONDS = 2.0
#: A worker without output for this time hangs.
PATIENCE = 900.0
#: Growth of memory in MiB besides bitmaps and working memory.
LIBRARY = 64
#: Growth of memory in MiB: the default limit of a bitmap, and the library's own needs.
MEMORY = 256 + LIBRARY
#: For pieces: the limits of working memory and of a bitmap, the library's own needs, and one image that the program
#: holds.
MEMORY_IN_PIECES = 256 + 256 + LIBRARY
#: Side of the bounding box of the thumbnail.
BOX = 64
PIECES = 20
WORKERS = os.cpu_count() or 1

#: Unconverted: the basis of the hashes.
STORED: dict[str, Any] = {"apply_orientation": False, "convert_to_srgb": False, "pixel_format": "rgba8"}
#: The library's own limit is wall-clock time, which a busy machine exceeds.
PATIENT = {"max_work_ms": 120_000}
#: Formats whose files contain the frames of one animation, rather than pages or entries.
MOVING = ("gif", "png", "webp")
#: Files that independent decoders read and this library does not, with the reason.
APART = {
    "jpeg/sharp/testimgl.jpg": "lossless JPEG, which libjpeg-turbo 2 does not decode",
    "jpeg/pillow/hopper_bad_exif.jpg": "damaged entropy-coded data, which is an error here and a warning elsewhere",
    "ico/twelvemonkeys/JavaCup.ico": "of two entries of one size the deeper is taken here, the shallower there",
    "ico/twelvemonkeys/joypad.ico": "of two entries of one size the deeper is taken here, the shallower there",
} | dict.fromkeys(
    ("gif/pygif/missing-pixels.gif", "gif/wuffs/metadata-empty.gif", "gif/wuffs/multiple-loop-counts.gif",
     "gif/wuffs/small-frame-interlaced.gif"),
    "pixels without a frame are transparent here, as in browsers, and have the background color there")
#: The library's names of formats that the oracle distinguishes.
CODERS = {"cur": "ico"}


# --- The worker: reads one row per line, prints one result per line.


class Meter:
    """Processor time and growth of memory of one decode."""

    def __init__(self, sdimage: Any) -> None:
        gc.collect()
        # Free blocks of earlier files would count towards this one, or hide its growth.
        sdimage.trim_memory()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # resets the high-water mark
        self.before = self.status("VmRSS")
        self.started = time.process_time()

    @staticmethod
    def status(field: str) -> float:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith(field))

    def result(self) -> dict[str, float]:
        return {"seconds": time.process_time() - self.started, "memory": self.status("VmHWM") - self.before}


def work() -> None:
    import sdimage

    sdimage.load_plugins()
    with contextlib.suppress(ImportError):
        import numpy  # noqa: F401
    # The meter collects garbage 5,400 times, and would search the objects of all modules each time.
    gc.collect()
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        row = json.loads(line)
        answer = {}
        for way in (at_once, in_pieces, shrunk):
            data = pathlib.Path(row["path"]).read_bytes()
            meter = Meter(sdimage)
            try:
                said = way(sdimage, data, row)
            except sdimage.Error as error:
                said = {"error": error.code, "message": str(error).removeprefix(f"{error.code}: ")}
            answer[way.__name__] = said | meter.result()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def at_once(sdimage: Any, data: bytes, row: dict[str, Any]) -> dict[str, Any]:
    picture = sdimage.decode(data, **STORED, **PATIENT)
    said = {"size": [picture.width, picture.height], "frames": picture.frame_count}
    frames = [picture, *(picture.frame(index) for index in chosen(picture.frame_count, row)[1:])]
    said["sums"] = [zlib.crc32(frame.tobytes()) for frame in frames]
    if row["hashes"]:
        said["hashes"] = [canonical_hash(frame) for frame in frames]
    return said


def in_pieces(sdimage: Any, data: bytes, row: dict[str, Any]) -> dict[str, Any]:
    moving = sdimage.Animation(b"", **STORED, **PATIENT)
    step = len(data) // PIECES + 1
    sizes = set()
    for start in range(0, len(data), step):
        moving.update(data[start : start + step], finished=start + step >= len(data))
        if start // step % 4 == 0 and (part := moving.image):
            sizes.add((part.width, part.height))
    picture = moving.image
    sizes.add((picture.width, picture.height))
    frames = [picture, *(moving[index] for index in chosen(len(moving), row)[1:])]
    return {
        "size": [picture.width, picture.height],
        "frames": len(moving),
        "sums": [zlib.crc32(frame.tobytes()) for frame in frames],
        "sizes": sorted(sizes),
    }


def shrunk(sdimage: Any, data: bytes, row: dict[str, Any]) -> dict[str, Any]:
    picture = sdimage.decode(data, thumbnail_size=(BOX, BOX), **PATIENT)
    return {"size": [picture.width, picture.height]}


def chosen(count: int, row: dict[str, Any]) -> list[int]:
    """All frames of a file that must decode; otherwise the first, the second and the last."""
    return list(range(count)) if row["decodes"] else sorted({0, min(1, count - 1), count - 1})


def canonical_hash(picture: Any) -> str:
    """SHA-256 of straight RGBA where invisible pixels are black."""
    import numpy

    pixels = numpy.array(picture)
    pixels[pixels[..., 3] == 0] = 0
    return hashlib.sha256(pixels.tobytes()).hexdigest()


# --- The parent process.


class Worker:
    """One worker process, replaced after a crash or hang."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

    def ask(self, row: dict[str, Any]) -> dict[str, Any]:
        process = self.process
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(row).encode() + b"\n")
        process.stdin.flush()
        waiting = select.select([process.stdout], [], [], PATIENCE)[0]
        line = process.stdout.readline() if waiting else b""
        if line.endswith(b"\n"):
            return json.loads(line)
        process.kill()
        status = process.wait()
        self.start()
        return {"lost": f"no answer for {PATIENCE:.0f} s" if not waiting else f"the worker ended with {status}"}

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def readings(record: dict[str, Any]) -> list[list[str]]:
    """Hashes of accepted frames: those of browsers, and those of both sides if decoders disagree."""
    frames = record.get("frames") or []
    if record.get("pages"):
        frames = [frames[record.get("primary_index") or 0]]
    lists = [(record.get("browser") or {}).get("render"), frames]
    if record.get("compare") == "convention":
        lists.append((record.get("alt") or {}).get("frames"))
    return [[frame.get("sha256", "") for frame in frames] for frames in lists if frames]


class Check:
    """Checks one result."""

    def __init__(self, row: dict[str, str], record: dict[str, Any], path: str) -> None:
        self.row, self.record, self.path = row, record, path
        self.decodes = row["expected"] == "decodes"

    def faults(self, answer: dict[str, Any]) -> Iterator[str]:
        if "lost" in answer:
            yield answer["lost"]
            return
        for way, said in answer.items():
            if said["memory"] > (MEMORY_IN_PIECES + self.bitmap() if way == "in_pieces" else self.memory()):
                yield f"{way}: memory grew by {said['memory']:.0f} MiB"
            if not self.decodes and said["seconds"] > SECONDS:
                yield f"{way}: took {said['seconds']:.1f} s"
            if self.decodes and "error" in said:
                yield f"{way}: {said['error']}: {said['message']}"
        yield from self.pieces(answer["at_once"], answer["in_pieces"])
        if self.decodes and "error" not in answer["at_once"]:
            yield from self.picture(answer["at_once"])
            yield from self.thumbnail(answer["shrunk"])

    def memory(self) -> float:
        """MiB for a decode at once. libjpeg holds all coefficients of a JPEG with several scans until the last row."""
        coefficients = coefficient_bytes(pathlib.Path(self.path).read_bytes()) / 2**20
        return max(MEMORY, self.bitmap() + coefficients + LIBRARY) if coefficients else MEMORY

    def bitmap(self) -> float:
        """MiB of the image in RGBA."""
        return (number(self.row["width"]) or 0) * (number(self.row["height"]) or 0) / 2**18

    def pieces(self, whole: dict[str, Any], pieces: dict[str, Any]) -> Iterator[str]:
        for field in ("error", "size", "frames", "sums"):
            if whole.get(field) != pieces.get(field):
                yield f"in pieces: {field} {short(pieces.get(field))}, at once {short(whole.get(field))}"
                return
        if len(pieces.get("sizes", ())) > 1:
            yield f"in pieces: parts of other sizes than the whole: {pieces['sizes']}"

    def picture(self, said: dict[str, Any]) -> Iterator[str]:
        size = [number(self.row["width"]), number(self.row["height"])]
        # The oracle applies the orientation of HEIF and JPEG XL; the library reports it as still to be applied.
        told = [size, size[::-1]] if self.record["sniffed"] in ("heif", "jxl") else [size]
        if None not in size and said["size"] not in told:
            yield f"size {said['size']}, expected {size}"
        frames = number(self.row["frames"])
        counts = (frames, (self.record.get("browser") or {}).get("frames", frames))
        if frames and self.record["sniffed"] in MOVING and said["frames"] not in counts:
            yield f"{said['frames']} frames, expected {frames}"
        elif "hashes" in said and not self.is_right(said["hashes"]):
            yield "other pixels than independent decoders show"

    def is_right(self, hashes: list[str]) -> bool:
        return any(all(want in ("", got) for want, got in zip(frames, hashes)) for frames in readings(self.record))

    def thumbnail(self, said: dict[str, Any]) -> Iterator[str]:
        if "size" in said and max(said["size"]) > BOX:
            yield f"a thumbnail of {said['size']}"


def coefficient_bytes(data: bytes) -> int:
    """Bytes of the coefficients of a JPEG with several scans: 64 of 16 bits for each block (T.81, A.2.4). 0 for others."""
    at, frame = 2, b""
    while data[:2] == b"\xff\xd8" and at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        segment = data[at + 4 : at + 2 + length]
        if marker in (0xC0, 0xC1, 0xC2) and len(segment) > 6 and len(segment) >= 6 + 3 * segment[5] > 6:
            frame, is_progressive = segment, marker == 0xC2
        if marker == 0xDA and frame:
            return coefficients(frame) if is_progressive or segment[:1] < frame[5:6] else 0
        at += 2 + length
    return 0


def coefficients(frame: bytes) -> int:
    height, width = int.from_bytes(frame[1:3], "big"), int.from_bytes(frame[3:5], "big")
    sampling = [divmod(byte, 16) for byte in frame[7 : 6 + 3 * frame[5] : 3]]
    across, down = max(1, *(h for h, _ in sampling)), max(1, *(v for _, v in sampling))
    units = -(-width // (8 * across)) * -(-height // (8 * down))
    return sum(units * h * v * 64 * 2 for h, v in sampling)


def short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 60 else f"{text[:60]}…"


def known_coders() -> set[str]:
    import sdimage
    from sdimage._ffi import lib

    found = {name for name, plugin in sdimage.load_plugins().items() if plugin.error is None}
    for name in ("jpeg", "png", "gif", "webp", "bmp", "ico", "heif", "avif"):
        coder = ctypes.c_void_p()
        if lib.sdimage_coder_get_builtin(name.encode(), ctypes.byref(coder), None) == 0:
            lib.sdimage_coder_unref(coder)
            found.add(name)
    return found


def run(rows: list[dict[str, Any]], done: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Uses one worker per processor. Propagates exceptions of `done`."""
    lock, remaining = threading.Lock(), iter(rows)
    failures: list[BaseException] = []

    def loop() -> None:
        worker = Worker()
        while True:
            with lock:
                row = next(remaining, None)
            if row is None:
                break
            answer = worker.ask(row)
            with lock:
                try:
                    done(row, answer)
                except BaseException as error:
                    failures.append(error)
                    break
        worker.end()

    threads = [threading.Thread(target=loop) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


def main() -> int:
    folder = os.environ.get("SDIMAGE_CORPUS")
    if not folder:
        print("skip corpus: no corpus: SDIMAGE_CORPUS names none")
        return 0
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as file:
        manifest = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                    if all(part in row["path"] for part in sys.argv[1:])]
    with open(os.path.join(folder, "oracle.json"), encoding="utf-8") as file:
        oracle = json.load(file)
    coders, tally = known_coders(), collections.Counter[tuple[str, str]]()
    can_hash = importlib.util.find_spec("numpy") is not None
    if not can_hash:
        print("skip corpus pixels: numpy is not installed")
    asked_for = []
    for row in manifest:
        record = oracle[row["path"]]
        format_name = CODERS.get(record["sniffed"], record["sniffed"])
        if row["path"] in APART:
            print(f"skip corpus {row['path']}: {APART[row['path']]}")
        elif format_name in (*coders, "unknown"):
            decodes = row["expected"] == "decodes"
            path = os.path.join(folder, row["path"])
            is_exact = row["compare"] == "exact" or row["compare"] == "convention" and format_name == "gif"
            hashes = can_hash and decodes and is_exact
            asked_for.append({"path": path, "decodes": decodes, "hashes": hashes, "row": row})
        else:
            tally["skip", format_name] += 1

    def done(asked: dict[str, Any], answer: dict[str, Any]) -> None:
        row = asked["row"]
        faults = list(Check(row, oracle[row["path"]], asked["path"]).faults(answer))
        tally["not ok" if faults else "ok", row["family"]] += 1
        if faults:
            print(f"not ok corpus {row['path']}: {'; '.join(faults)}", flush=True)

    run(asked_for, done)
    for (kind, name), count in sorted(tally.items()):
        if kind == "ok":
            print(f"ok corpus {name}: {count} files at once, in pieces and shrunk")
        elif kind == "skip":
            print(f"skip corpus {name}: no coder for its {count} files")
    return 1 if any(kind == "not ok" for kind, _ in tally) else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        work()
    else:
        sys.exit(main())
