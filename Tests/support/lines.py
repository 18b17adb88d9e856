#!/usr/bin/env python3
"""Runs a suite whose runner has its own output format, and prints the results as lines: `ok NAME`, `not ok NAME:
WHY`, `skip NAME: WHY`.

    lines.py unittest FOLDER        Python tests below FOLDER; those whose name matches the regular expression SDIMAGE_ONLY,
                                    if that is set
    lines.py swift COMMAND…         swift test; reads its event stream, not its text"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest


def show(kind: str, name: str, why: str = "") -> None:
    why = " ".join(why.split())[:300]
    print(f"{kind} {' '.join(name.split())}" + (f": {why}" if why else ""), flush=True)


class Lines(unittest.TestResult):
    """Prints each test's result once; a failed subtest is a failure of its test."""

    def name(self, test: unittest.TestCase) -> str:
        return test.id().removeprefix("tests.")

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.failed = False

    def fail(self, test: unittest.TestCase, error: tuple) -> None:
        if not getattr(self, "failed", False):
            show("not ok", self.name(test), f"{error[0].__name__}: {error[1]}")
        self.failed = True
        print(self._exc_info_to_string(error, test), file=sys.stderr)

    def addFailure(self, test: unittest.TestCase, err: tuple) -> None:
        super().addFailure(test, err)
        self.fail(test, err)

    def addError(self, test: unittest.TestCase, err: tuple) -> None:
        super().addError(test, err)
        self.fail(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: tuple | None) -> None:
        super().addSubTest(test, subtest, err)
        if err:
            self.fail(test, err)

    def addSuccess(self, test: unittest.TestCase) -> None:
        if not self.failed:
            show("ok", self.name(test))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        show("skip", self.name(test), reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: tuple) -> None:
        show("skip", self.name(test), "expected to fail")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        show("not ok", self.name(test), "succeeded unexpectedly")


def flat(tests: unittest.TestSuite) -> list[unittest.TestCase]:
    return [one for test in tests for one in (flat(test) if isinstance(test, unittest.TestSuite) else [test])]


def run_unittest(folder: str) -> int:
    result, loader = Lines(), unittest.TestLoader()
    if only := os.environ.get("SDIMAGE_ONLY"):
        # The loader knows wildcards; a test whose name has a match of the regular expression is selected by its name.
        found = loader.discover(os.path.join(folder, "tests"), top_level_dir=folder)
        names = [test.id() for test in flat(found) if re.search(only, test.id())]
        loader.testNamePatterns = names or ["nothing"]
    loader.discover(os.path.join(folder, "tests"), top_level_dir=folder).run(result)
    if result.testsRun == 0 and not result.skipped and not only:
        show("not ok", folder, "no tests were found")
        return 1
    return 0 if result.wasSuccessful() else 1


class Events:
    """Reads the stream of events of Swift Testing (JSON, one a line)."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.functions: set[str] = set()
        self.running: dict[str, list[str]] = {}
        self.failed = False

    def read(self, record: dict) -> None:
        payload = record.get("payload", {})
        if record.get("kind") == "test":
            self.names[payload["id"]] = payload.get("displayName") or payload.get("name", payload["id"])
            if payload.get("kind") == "function":
                self.functions.add(payload["id"])
            return
        test, kind = payload.get("testID"), payload.get("kind")
        if test not in self.functions:
            if kind == "issueRecorded":  # outside any test
                self.failed = True
                show("not ok", test or "swift test", self.text(payload))
            return
        if kind == "testStarted":
            self.running[test] = []
        elif kind == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
            self.running.setdefault(test, []).append(self.text(payload))
        elif kind == "testSkipped":
            show("skip", self.label(test), self.text(payload) or "no reason given")
        elif kind == "testEnded":
            issues = self.running.pop(test, [])
            self.failed |= bool(issues)
            show(*("not ok", self.label(test), issues[0]) if issues else ("ok", self.label(test)))

    def label(self, test: str) -> str:
        return f"{test.split('.')[0]}.{self.names[test]}"

    @staticmethod
    def text(payload: dict) -> str:
        return "; ".join(message.get("text", "") for message in payload.get("messages", []))

    def finish(self, status: int) -> int:
        for test in self.running:
            show("not ok", self.label(test), "did not end: the process was lost in it or beside it")
        if status and not self.failed and not self.running:
            show("not ok", "swift test", f"exit status {status}")
        return 1 if status or self.failed or self.running else 0


def run_swift(command: list[str]) -> int:
    events = Events()
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        status = subprocess.run([*command, "--event-stream-output-path", file.name, "--event-stream-version", "0"],
                                stdout=sys.stderr).returncode
        for line in open(file.name, errors="replace"):
            try:
                events.read(json.loads(line))
            except (json.JSONDecodeError, KeyError):
                continue  # the last, incomplete line of a lost process
    if not events.functions:
        show("not ok", "swift test", "no tests were found")
        return 1
    return events.finish(status)


if __name__ == "__main__":
    sys.exit(run_unittest(sys.argv[2]) if sys.argv[1] == "unittest" else run_swift(sys.argv[2:]))
