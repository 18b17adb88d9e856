"""Certificates of a test authority, made by openssl."""

from __future__ import annotations

import pathlib
import ssl
import subprocess


class Authority:
    """Signs certificates for servers and clients; its own certificate is in `file`."""

    def __init__(self, folder: pathlib.Path, name: str = "authority") -> None:
        self.folder = folder
        self.name = name
        self.file = folder / f"{name}.pem"
        self._run("req", "-x509", *self._new_key(name), "-out", self.file, "-days", "2", "-subj", f"/CN={name}",
                  "-addext", "basicConstraints=critical,CA:TRUE")

    def sign(self, name: str, subject: str = "IP:127.0.0.1", days: int = 2) -> tuple[pathlib.Path, pathlib.Path]:
        """Returns certificate and key for `subject`."""
        request, made = self.folder / f"{name}.csr", self.folder / f"{name}.pem"
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={subject}\n")
        self._run("req", "-new", *self._new_key(name), "-out", request, "-subj", f"/CN={name}")
        self._run("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.folder / f"{self.name}.key", "-CAcreateserial",
                  "-days", days, "-extfile", extensions, "-out", made)
        return made, self.folder / f"{name}.key"

    def _new_key(self, name: str) -> list[object]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.folder / f"{name}.key"]

    @staticmethod
    def _run(*arguments: object) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def context(pair: tuple[pathlib.Path, pathlib.Path]) -> ssl.SSLContext:
    """A TLS context for a server with a certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*pair)
    return made
