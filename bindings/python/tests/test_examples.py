"""The samples, the README's example and the command line work as described."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from .support import PACKAGE, PICTURES, ROOT, TestCase, environment, jpeg, png, run_python, sdimage

SAMPLES = ROOT / "examples" / "python"


class Samples(TestCase):
    def run_command(self, *command: str, cache: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            env=environment(XDG_CACHE_HOME=cache or self.folder()),
            capture_output=True,
            text=True,
            timeout=600,
        )

    def test_load_one(self) -> None:
        origin, cache = self.origin(), self.folder()
        url = origin.add("cat.jpg", jpeg(640, 480))
        for source in ("network", "disk"):
            done = self.run_command(str(SAMPLES / "load_one.py"), url, cache=cache)
            self.assertEqual((done.stdout, done.returncode), (f"320x240 rgb8 jpeg from {source}\n", 0), done.stderr)
        done = self.run_command(str(SAMPLES / "load_one.py"), origin.url("nothing"))
        self.assertEqual((done.returncode, done.stderr.startswith("load_one: HTTP_STATUS")), (1, True))

    def test_untrusted(self) -> None:
        done = self.run_command(str(SAMPLES / "untrusted.py"), str(PICTURES / "badge.png"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"badge.png: \d+x\d+\n0 workers, 0 crashes, 0 timeouts\n$")

    def test_load_many(self) -> None:
        origin = self.origin()
        urls = [origin.add(f"{index}.png", png(index + 1, 5)) for index in range(9)]
        done = self.run_command(str(SAMPLES / "load_many.py"), *urls)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 9), done.stderr)
        self.assertIn("9/9 ", done.stdout)

    def test_prefetch(self) -> None:
        origin, folder = self.origin(), self.folder()
        urls = [origin.add(f"{index}.png", png(index + 1, 5)) for index in range(5)]
        done = self.run_command(str(SAMPLES / "prefetch.py"), folder, *urls, origin.url("nothing"))
        self.assertEqual(done.returncode, 1, done.stderr)
        first, second = done.stdout.splitlines()
        self.assertTrue(first.startswith("5 of 6 are in "), first)
        self.assertEqual(second, f"HTTP_STATUS: {origin.url('nothing')}")
        self.assertIn("6/6", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_batches(self) -> None:
        origin, folder = self.origin(), Path(self.folder())
        urls = [origin.add(f"{index}.png", png(index + 1, 5)) for index in range(9)]
        (folder / "list").write_text("\n".join([*urls, origin.url("nothing")]))
        done = self.run_command(str(SAMPLES / "batches.py"), str(folder / "list"), "16", "4")
        self.assertEqual((done.returncode, done.stderr.count("HTTP_STATUS")), (0, 1), done.stderr)
        self.assertEqual([line.split(",")[0] for line in done.stdout.splitlines()], ["4 pictures", "4 pictures", "1 pictures"])

    def test_fleet(self) -> None:
        origin, folder = self.origin(), Path(self.folder())
        urls = [origin.add(f"{index}.png", png(300 + index, 20)) for index in range(20)]
        (folder / "list").write_text("\n".join([*urls, origin.url("nothing")]))
        command = [str(SAMPLES / "fleet.py"), str(folder / "list"), str(folder / "out"), "--processes", "2", "--size", "60"]
        done = self.run_command(*command)
        self.assertIn("20 shrunk, 0 were there, 1 failed", done.stdout, done.stderr)
        self.assertIn(f"{origin.url('nothing')}\tHTTP_STATUS", (folder / "out" / "errors.tsv").read_text())
        kept = sorted((folder / "out").glob("*.webp"))
        self.assertEqual([sdimage.decode(path.read_bytes()).width for path in kept], [60] * 20)
        kept[0].unlink()
        done = self.run_command(*command)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 shrunk, 19 were there, 1 failed", done.stdout)
        self.assertEqual(origin.hits(), 23)

    def test_target(self) -> None:
        origin = self.origin()
        urls = [origin.add(f"{index}.png", png(20 + index, 10)) for index in range(3)]
        done = self.run_command(str(SAMPLES / "target.py"), *urls)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"row 2: placeholder 32x32\n(.|\n)*row 2: 22x10 from network")
        self.assertNotIn("row 0: 20x", done.stdout)

    def test_event_loop(self) -> None:
        origin = self.origin()
        good, bad = origin.add("a.png", png()), origin.url("nothing")
        done = self.run_command(str(SAMPLES / "event_loop.py"), good, bad)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("8x6 rgb8, png> from network", done.stdout)
        self.assertIn(f"{bad}: HTTP_STATUS", done.stdout)

    def test_custom_coder(self) -> None:
        path = Path(self.folder()) / "a.ff"
        path.write_bytes(b"farbfeld" + (40).to_bytes(4) + (20).to_bytes(4) + bytes(40 * 20 * 8))
        for side, size in (("0", "40x20"), ("10", "10x5")):
            done = self.run_command(str(SAMPLES / "custom_coder.py"), str(path), side)
            self.assertEqual((done.returncode, done.stdout), (0, f"{size} rgba8\n"), done.stderr)
        path.write_bytes(path.read_bytes()[:-1])
        done = self.run_command(str(SAMPLES / "custom_coder.py"), str(path))
        self.assertEqual((done.returncode, done.stderr), (1, "custom_coder: TRUNCATED: farbfeld: pixels are missing\n"))

    def test_custom_cache(self) -> None:
        origin = self.origin()
        url = origin.add("a.png", png())
        done = self.run_command(str(SAMPLES / "custom_cache.py"), url)
        self.assertEqual(done.stdout, f"network disk memory {len(png())} bytes kept\n", done.stderr)

    def test_transform(self) -> None:
        path = Path(self.folder()) / "a.png"
        path.write_bytes(png(60, 40))
        done = self.run_command(str(SAMPLES / "transform.py"), str(path), str(path.with_name("b.webp")), "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("20x20 by SDImageResizingTransformer"))
        avatar = sdimage.decode(path.with_name("b.webp"))
        self.assertEqual((avatar.width, avatar.height, avatar.has_alpha), (20, 20, True))
        done = self.run_command(str(SAMPLES / "transform.py"), str(path), "x.png", "0")
        self.assertTrue(done.stderr.startswith("transform: INVALID_ARGUMENT"), done.stderr)

    def test_progressive(self) -> None:
        origin = self.origin()
        url = origin.add("aurora.jpg", (PICTURES / "aurora.jpg").read_bytes()) + "?gate=1"
        command = [sys.executable, str(SAMPLES / "progressive.py"), url, "1"]
        with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            part = process.stdout.readline()
            origin.open_gate()
            self.assertRegex(part + process.stdout.read(), r"^(part: 1000x625\n)+whole: 1000x625\n$")
        done = self.run_command(str(SAMPLES / "progressive.py"), self.origin().url("nothing"))
        self.assertEqual((done.returncode, done.stderr.startswith("progressive: HTTP_STATUS")), (1, True))

    def test_load_hooks(self) -> None:
        origin = self.origin()
        url, private = origin.add("a.png", png()), origin.add("private/b.png", png(3, 3))
        done = self.run_command(str(SAMPLES / "load_hooks.py"), url + "?token=1", url + "?token=2", private, private)
        lines = ["8 x 6 from network", "8 x 6 from memory", "3 x 3 from network", "3 x 3 from network"]
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, lines), done.stderr)

    def test_download_hooks(self) -> None:
        url = self.origin().add("a.png", png(60, 40))
        done = self.run_command(str(SAMPLES / "download_hooks.py"), url)
        # Without the signature, which only the origin may see.
        self.assertEqual((done.stdout, done.returncode), (f"{url}: 60x40\n", 0), done.stderr)
        told = [line.split()[:2] for line in done.stderr.splitlines()]
        self.assertEqual(told, [["started", "0"], ["responded", "200"], ["stopped", "200"], ["finished", "200"]])

    def test_zip_loader(self) -> None:
        path = self.folder() + "/a.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("deep/a.png", png(60, 40))
            archive.writestr("b.jpg", jpeg(640, 480))
            archive.writestr("c.txt", "no picture, but a few words of text")
        done = self.run_command(str(SAMPLES / "zip_loader.py"), path, "deep/a.png", "b.jpg")
        self.assertEqual((done.stdout, done.returncode), ("deep/a.png: 60x40 png\nb.jpg: 256x192 jpeg\n", 0), done.stderr)
        done = self.run_command(str(SAMPLES / "zip_loader.py"), path, "none.png", "c.txt")
        self.assertEqual(done.stderr, "zip_loader: none.png: NOT_FOUND\nzip_loader: c.txt: NOT_AN_IMAGE\n")

    def test_the_example_of_the_readme(self) -> None:
        text = (PACKAGE / "README.md").read_text()
        block = re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)
        assert block
        url = self.origin().add("cat.jpg", jpeg(640, 480))
        code = "import os, sys; url = sys.argv[1]; os.environ['XDG_CACHE_HOME'] = sys.argv[2]\n" + block[1]
        done = run_python(code, url, self.folder())
        told = re.findall(r"# (network|memory|NOT_AN_IMAGE)$", block[1], flags=re.MULTILINE)
        self.assertEqual([line.split()[-1] for line in done.stdout.splitlines()], told)

    def test_the_command_line(self) -> None:
        origin = self.origin()
        url = origin.add("cat.jpg", jpeg(640, 480))
        out = self.folder() + "/small.png"
        done = self.run_command("-m", "sdimage", "get", url, "-o", out, "--thumbnail", "64x64")
        self.assertEqual(done.returncode, 0, done.stderr)
        for told in (url, "64x48", "jpeg", "network"):  # from the C program, or from the small Python one
            self.assertIn(told, done.stdout)
        self.assertEqual(sdimage.info(out)["width"], 64)
        done = self.run_command("-m", "sdimage", "info", "--json", out)
        self.assertEqual(json.loads(done.stdout)["height"], 48)
        report = json.loads(self.run_command("-m", "sdimage", "doctor", "--json").stdout)
        self.assertEqual(report["version"], sdimage.version())
        self.assertEqual(self.run_command("-m", "sdimage", "get", out).returncode, 0)
        self.assertEqual(self.run_command("-m", "sdimage", "get", origin.url("nothing")).returncode, 1)
        self.assertEqual(self.run_command("-m", "sdimage", "nonsense").returncode, 2)
