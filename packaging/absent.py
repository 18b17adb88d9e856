"""A stand-in for libraries whose functions libcurl never calls here.

Debian's libcurl is linked with libraries for RTMP, LDAP, SFTP and Kerberos, and they bring two dozen more, among them one that its package puts under the GPL. The
library speaks HTTP alone, with the Basic and Digest schemes, so a wheel has this file in their place: functions of the same names
that fail, or that say at start that all is well.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import elf

#: The beginnings of the names of the libraries that are left out.
LEFT_OUT = ("librtmp.", "libssh2.", "libldap-", "liblber-", "libgssapi_krb5.")
#: What each function gives: curl_global_init calls libssh2_init and goes on when that gives 0; GSS_S_FAILURE, 13 << 16, is what a
#: SOCKS proxy that asks for Kerberos gets; -1 where curl_version would go on to read what an LDAP library had written.
RESULTS = (("libssh2_version", '(long)""'), ("libssh2_", "0"), ("gss_", "13L << 16"), ("ldap_", "-1"), ("", "0"))


def symbols(path: Path, which: str) -> dict[str, tuple[str, str]]:
    """The dynamic symbols of a file, defined or undefined: kind and version by name."""
    found = {}
    for line in elf.output("readelf", "--dyn-syms", "-W", path).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or (fields[6] == "UND") != (which == "undefined"):
            continue
        name, _, version = fields[7].partition("@")
        found[name] = (fields[3], version.lstrip("@"))
    return found


def build(user: Path, libraries: dict[str, Path], folder: Path) -> Path:
    """Makes the stand-in for these libraries, with what `user` needs of them."""
    wanted, source, versions = symbols(user, "undefined"), [], {}
    for library in libraries.values():
        defined = symbols(library, "defined")
        for name in sorted(wanted.keys() & defined.keys()):
            kind, version = defined[name]
            result = next(value for start, value in RESULTS if name.startswith(start))
            source.append(f"void *{name}[8];" if kind == "OBJECT" else f"long {name}(void) {{ return {result}; }}")
            versions.setdefault(version, []).append(name)
    code, script, built = folder / "absent.c", folder / "absent.map", folder / "libsdimage-absent.so"
    code.write_text("\n".join(source) + "\n")
    script.write_text("\n".join(f"{version} {{ {' '.join(f'{name};' for name in names)} }};"
                                for version, names in versions.items() if version))
    subprocess.run(["gcc", "-std=c11", "-Os", "-s", "-shared", "-fPIC", "-w", "-nostdlib", "-Wl,-z,relro,-z,now,--hash-style=gnu",
                    f"-Wl,--version-script={script}", f"-Wl,-soname,{built.name}", "-o", built, code], check=True)
    code.unlink()
    script.unlink()
    return built
