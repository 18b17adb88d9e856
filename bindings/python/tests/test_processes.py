"""Several processes, forks, and interpreter exit."""

from __future__ import annotations

import os
import subprocess
import sys

from .support import TestCase, environment, jpeg, png, run_python, sdimage


class Processes(TestCase):
    def test_two_processes_share_a_cache(self) -> None:
        folder = self.folder()
        code = """
            import sys, sdimage
            with sdimage.ImageCache(sys.argv[1]) as cache:
                for index in range(100):
                    cache.store(f"{sys.argv[2]}-{index}", data=sys.argv[2].encode() * (100 + 1000 * index))
        """
        import textwrap

        children = [
            subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), folder, name], env=environment())
            for name in "ab"
        ]
        self.assertEqual([child.wait(120) for child in children], [0, 0])
        with sdimage.ImageCache(folder) as cache:
            self.assertEqual(cache.disk_count(), 200)
            for name in "ab":
                for index in range(100):
                    self.assertEqual(cache.data(f"{name}-{index}"), name.encode() * (100 + 1000 * index))

    def test_a_second_process_finds_what_the_first_loaded(self) -> None:
        origin, folder = self.origin(), self.folder()
        url = origin.add("cat.jpg", jpeg())
        code = """
            import sys, sdimage
            with sdimage.ImageCache(sys.argv[1]) as cache, sdimage.Manager(cache) as manager:
                print(manager.load(sys.argv[2]).source)
        """
        self.assertEqual([run_python(code, folder, url).stdout for _ in range(2)], ["network\n", "disk\n"])
        self.assertEqual(origin.hits("cat.jpg"), 1)

    def test_a_forked_child_may_decode_and_is_told_what_it_may_not(self) -> None:
        manager = self.manager()
        manager.load("data:image/png;base64,iVBORw0KGgo=", source_policy="cache_only")
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                answers = [str(sdimage.decode(png()).width)]
                for call in (lambda: manager.load("data:,x"), sdimage.Manager, sdimage.ImageCache):
                    try:
                        call()
                        answers.append("none")
                    except sdimage.Error as error:
                        answers.append(error.code)
                os.write(writer, " ".join(answers).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            self.assertEqual(pipe.read(), "8 FORKED FORKED FORKED")
        os.waitpid(child, 0)

    def test_the_interpreter_may_end_with_loads_under_way(self) -> None:
        origin = self.origin()
        url = origin.add("cat.jpg", jpeg(640, 480))
        code = """
            import sys, sdimage, threading
            url = sys.argv[1]
            manager = sdimage.Manager(cache=None)
            tasks = [manager.start(f"{url}?kbps=50&{i}", on_progress=print, on_result=print) for i in range(20)]
            other = sdimage.Manager(cache=None, loader=lambda request: request.url)
            other.start("x://y", on_result=print)
            started = threading.Event()
            manager.start(f"{url}?first", on_result=lambda result: started.set())
            assert started.wait(120)
            print("end")
        """
        done = run_python(code, url)
        self.assertIn("end", done.stdout)
        self.assertNotIn("Traceback", done.stderr)

    def test_exceptions_of_callbacks_do_not_keep_managers_open_at_the_end(self) -> None:
        code = """
            import sdimage, time
            queues, managers = [], []
            def fail(result):
                raise ValueError("mine")
            def load(request):
                time.sleep(1)
                return b""
            for index in range(8):
                managers.append(sdimage.Manager(cache=None, loader=load))
                if index % 2:
                    managers[-1].start(f"x:{index}", on_result=lambda result: print("told", flush=True))
                else:
                    queues.append(sdimage.EventQueue())
                    for number in range(2):
                        managers[-1].start(f"x:{number}", on_result=fail, events=queues[-1])
        """
        done = run_python(code)
        self.assertEqual((done.stdout, done.stderr.count(" raised ValueError: mine")), ("told\n" * 4, 8))

    def test_an_exception_in_a_callback_does_not_end_the_process(self) -> None:
        code = """
            import sdimage, threading
            ended = threading.Event()
            def bad(result):
                raise ValueError("mine")
            with sdimage.Manager(cache=None, loader=lambda request: b"") as manager:
                manager.start("x://y", on_result=bad)
                manager.start("x://z", on_result=lambda result: ended.set())
                assert ended.wait(120)
            print("went on")
        """
        done = run_python(code)
        self.assertEqual(done.stdout, "went on\n")
        self.assertIn("ValueError: mine", done.stderr)

    def test_importing_starts_no_thread_and_opens_no_file(self) -> None:
        code = """
            import os, ctypes, sys
            def known(): return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
            before = known()
            import sdimage
            assert known() == before, (before, known())
            assert "numpy" not in sys.modules and "PIL" not in sys.modules
        """
        run_python(code)

    def test_a_missing_library_is_told_in_one_sentence(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", "import sdimage"],
            env=environment(SDIMAGE_LIBRARY="/nowhere/libsdimage.so"),
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: the library /nowhere/libsdimage.so cannot be opened", done.stderr)
