#!/usr/bin/env python3
"""Checks that external programs can use the installed tree: by pkg-config alone, by find_package alone, with gcc and
clang, at its original and at another location.

    installed.py PREFIX VERSION"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["bin/sdimage", "include/sdimage.h", "include/sdimage/base.h", "include/sdimage.hpp", "lib/libsdimage.so", "lib/libsdimage.so.1",
         "lib/libsdimage.so.1.0.0", "libexec/sdimage/sdimage-decoder", "lib/pkgconfig/sdimage.pc", "lib/cmake/sdimage/sdimage-config.cmake",
         "lib/cmake/sdimage/sdimage-config-version.cmake", "share/man/man1/sdimage.1", "share/man/man3/sdimage.3",
         "share/bash-completion/completions/sdimage", "share/zsh/site-functions/_sdimage",
         "share/fish/vendor_completions.d/sdimage.fish"]


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


def built_and_run(name: str, steps: list[list[object]], program: pathlib.Path, prefix: pathlib.Path, version: str,
                  **environment: str) -> None:
    for step in steps:
        done = run(*step, **environment)
        if done.returncode:
            report.check(name, False, done.stderr or done.stdout)
            return
    done = run(program, LD_LIBRARY_PATH=str(prefix / "lib"))
    report.check(name, done.stdout == f"{version} 1\n", f"status {done.returncode}: {done.stdout}{done.stderr}")


def with_pkg_config(compiler: str, prefix: pathlib.Path, version: str, folder: pathlib.Path, label: str,
                    source: str = "outside.c") -> None:
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "sdimage", **environment).stdout.split()
    program = folder / f"{label}-{compiler}-{source}-pkg-config"
    # The same source is valid C11 and C++17.
    language = ["-x", "c++", "-std=c++17"] if "++" in compiler else ["-x", "c", "-std=c11"]
    name = f"{compiler} with pkg-config alone, {label}" + (", by the C++ headers" if source.endswith("cpp") else "")
    built_and_run(name,
                  [[compiler, "-Wall", "-Wextra", "-Werror", *language, HERE / "consumers" / source, "-o", program, *flags]],
                  program, prefix, version, **environment)


def with_cmake(compiler: str, prefix: pathlib.Path, version: str, folder: pathlib.Path, label: str) -> None:
    build = folder / f"{label}-{compiler}-cmake"
    built_and_run(f"{compiler} with find_package alone, {label}",
                  [["cmake", "-S", HERE / "consumers", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                    f"-DCMAKE_C_COMPILER={compiler}"], ["cmake", "--build", build]],
                  build / "outside", prefix, version)


def with_cmake_in_cpp(compiler: str, prefix: pathlib.Path, version: str, folder: pathlib.Path) -> None:
    build = folder / f"{compiler}-cmake"
    built_and_run(f"{compiler} with find_package alone, by the C++ headers",
                  [["cmake", "-S", HERE / "consumers", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                    f"-DCMAKE_CXX_COMPILER={compiler}"], ["cmake", "--build", build]],
                  build / "outside-cpp", prefix, version)


def main() -> None:
    prefix, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    missing = [name for name in FILES if not (prefix / name).exists()]
    report.check("every file is installed", not missing, f"missing {missing}")
    cpp = declarations.ROOT / "bindings/cpp/include"
    headers = {str(path.relative_to(declarations.INCLUDE)) for path in declarations.HEADERS}
    headers |= {str(path.relative_to(cpp)) for path in cpp.rglob("*.hpp")}
    # The headers of integrations/ are installed if their toolkit is; Tests/gtk4 and Tests/qt6 build programs with them.
    integrations = declarations.ROOT / "integrations"
    beside = {str(path.relative_to(folder)) for folder in integrations.glob("*/include") for path in folder.rglob("*.h")}
    beside |= {path.name for path in integrations.glob("*/sdimage-*.h")}
    installed = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*") if path.is_file()}
    report.check("exactly the public headers are installed", headers == installed - beside, f"{headers ^ (installed - beside)}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        moved = folder / "moved"
        shutil.copytree(prefix, moved, symlinks=True)
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                report.skip(f"{compiler} builds a program from outside", f"{compiler} is not installed")
                continue
            for place, label in ((prefix, "installed"), (moved, "moved")):
                with_pkg_config(compiler, place, version, folder, label)
                with_cmake(compiler, place, version, folder, label)
        for compiler in ("g++", "clang++"):
            if shutil.which(compiler):
                with_pkg_config(compiler, prefix, version, folder, "installed")
                with_pkg_config(compiler, moved, version, folder, "moved", "outside.cpp")
                with_cmake_in_cpp(compiler, prefix, version, folder)
            else:
                report.skip(f"{compiler} builds a program from outside", f"{compiler} is not installed")
        modversion = run("pkg-config", "--modversion", "sdimage", PKG_CONFIG_PATH=str(moved / "lib/pkgconfig"))
        report.check("pkg-config knows the version", modversion.stdout.strip() == version, modversion.stdout)
        command = run(moved / "bin/sdimage", "--version")
        report.check("the command finds its library where it was moved to", command.stdout == f"sdimage {version}\n",
                     command.stdout + command.stderr)

    for section in ("1", "3"):
        name = f"the manual page sdimage({section}) has no warning"
        if not shutil.which("man"):
            report.skip(name, "man is not installed")
            continue
        page = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", prefix / f"share/man/man{section}/sdimage.{section}")
        report.check(name, page.returncode == 0 and not page.stderr, page.stderr)
    report.finish()


if __name__ == "__main__":
    main()
