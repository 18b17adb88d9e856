#!/usr/bin/env python3
"""Downloads and shrinks a list of URLs with many processes: fleet.py LIST FOLDER [--redis ADDRESS | --memcached SERVERS]

LIST has one URL per line. An image becomes FOLDER/NAME.webp, NAME made from its URL; FOLDER/index.tsv maps the
names, and FOLDER/errors.tsv lists the failures. A restart continues with the remaining URLs and retries the
failed ones.

With Ray installed the processes may be on many machines (RAY_ADDRESS); otherwise they are on this one. With a
remote cache they share their downloads, also with other fleets: each image is fetched from the origin once."""

import argparse
import concurrent.futures
import hashlib
import multiprocessing
import os
import pathlib
import sys
import time
from collections.abc import Iterable, Iterator

import sdimage

try:
    import ray
except ImportError:
    ray = None

#: Number of URLs that a process receives at once and loads concurrently.
CHUNK = 16


class Member:
    """A process of the fleet: a manager with its own memory cache above the shared cache."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.folder, self.size = pathlib.Path(options.folder), options.size
        cache = sdimage.ImageCache(memory_only=True, max_memory_cost=64 << 20)
        if options.redis:
            cache = sdimage.TieredCache(cache, sdimage.RedisCache(options.redis))
        elif options.memcached:
            cache = sdimage.TieredCache(cache, sdimage.MemcachedCache(options.memcached))
        self.manager = sdimage.Manager(cache=cache)

    def shrink(self, urls: list[str]) -> list[tuple[str, str]]:
        """Writes the thumbnails; returns each URL with its error, or nothing on success."""
        tasks = [(url, self.manager.start(url, thumbnail_size=(self.size, self.size))) for url in urls]
        return [(url, self.keep(url, task)) for url, task in tasks]

    def keep(self, url: str, task: sdimage.Task) -> str:
        try:
            picture = task.wait().image.encode("webp")
            # Files are renamed into place, so that they are always complete, whenever this process ends.
            part = self.folder / f".{name_of(url)}.{os.getpid()}"
            part.write_bytes(picture)
            part.rename(self.folder / name_of(url))
            return ""
        except (sdimage.Error, OSError) as error:
            return str(error)


def name_of(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:32] + ".webp"


_member: Member


def begin(options: argparse.Namespace) -> None:
    global _member
    _member = Member(options)


def shrink(urls: list[str]) -> list[tuple[str, str]]:
    return _member.shrink(urls)


def outcomes(chunks: list[list[str]], options: argparse.Namespace) -> Iterator[list[tuple[str, str]]]:
    """The results of the chunks, in the order of their completion."""
    if ray is not None:
        ray.init(log_to_driver=False)
        actor = ray.remote(num_cpus=1)(Member)
        members = ray.util.ActorPool([actor.remote(options) for _ in range(options.processes)])
        yield from members.map_unordered(lambda member, chunk: member.shrink.remote(chunk), chunks)
        return
    # Does not fork: a child of fork would not have the library's threads.
    context = multiprocessing.get_context("spawn")
    # An executor reports a killed process; a pool would wait for it forever.
    with concurrent.futures.ProcessPoolExecutor(options.processes, context, begin, (options,)) as executor:
        for done in concurrent.futures.as_completed([executor.submit(shrink, chunk) for chunk in chunks]):
            yield done.result()


def progress(results: Iterable[list[tuple[str, str]]], total: int) -> Iterator[tuple[str, str]]:
    """Yields the results one by one, with a progress bar on a terminal."""
    done = failed = 0
    start = time.monotonic()
    for result in results:
        yield from result
        done, failed = done + len(result), failed + sum(bool(why) for _, why in result)
        if sys.stderr.isatty():
            bar = "#" * (40 * done // total)
            speed = done / max(time.monotonic() - start, 0.001)
            print(f"\r[{bar:40}] {done}/{total}, {failed} failed, {speed:.0f}/s ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("list", type=argparse.FileType())
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=256, help="of the box in pixels (256)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 2)
    shared = parser.add_mutually_exclusive_group()
    shared.add_argument("--redis", metavar="ADDRESS")
    shared.add_argument("--memcached", metavar="SERVERS")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder).resolve()
    options.folder = str(folder)
    folder.mkdir(parents=True, exist_ok=True)
    urls = list(dict.fromkeys(line.strip() for line in options.list if line.strip()))
    options.list = None
    (folder / "index.tsv").write_text("".join(f"{name_of(url)}\t{url}\n" for url in urls))
    left = [url for url in urls if not (folder / name_of(url)).exists()]
    chunks = [left[at : at + CHUNK] for at in range(0, len(left), CHUNK)]
    errors = []
    with (folder / "errors.tsv").open("w") as file:
        for url, why in progress(outcomes(chunks, options), len(left)) if left else ():
            if why:
                errors.append((url, why))
                print(url, why, sep="\t", file=file, flush=True)
    print(f"{len(left) - len(errors)} shrunk, {len(urls) - len(left)} were there, {len(errors)} failed")
    for url, why in errors[:20]:
        print(f"  {url}: {why}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
