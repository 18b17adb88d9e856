"""nginx with a configuration for the tests, on free ports of the loopback interface."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import time

from ports import Port

CONFIGURATION = """
daemon off;
{user}
pid {folder}/nginx.pid;
worker_processes 1;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    types {{ image/png png; image/bmp bmp; }}
    log_format connections '$server_port $connection $server_protocol $status $sent_http_content_encoding';
    access_log {folder}/access.log connections;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    root {folder}/site;
    keepalive_requests 10000;
    gzip on; gzip_types image/bmp; gzip_min_length 100;
    server {{
        listen 127.0.0.1:{plain};
        location /locked/ {{ auth_basic "locked"; auth_basic_user_file {folder}/users; alias {folder}/site/; }}
    }}
    server {{
        listen 127.0.0.1:{tls} ssl http2;
        ssl_certificate {certificate}; ssl_certificate_key {key};
    }}
    server {{
        listen 127.0.0.1:{client} ssl;
        ssl_certificate {certificate}; ssl_certificate_key {key};
        ssl_client_certificate {authority}; ssl_verify_client on;
    }}
}}
"""


def find() -> str | None:
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


class Nginx:
    """Serves `site` of `folder`; a context manager. `plain`, `tls` and `client` are ports."""

    def __init__(self, folder: pathlib.Path, certificate: tuple[pathlib.Path, pathlib.Path], authority: pathlib.Path) -> None:
        self.folder = folder
        # Held while nginx starts and runs.
        self.ports = [Port() for _ in range(3)]
        self.plain, self.tls, self.client = (port.number for port in self.ports)
        (folder / "site").mkdir(exist_ok=True)
        password = subprocess.run(["openssl", "passwd", "-apr1", "secret"], check=True, capture_output=True, text=True).stdout
        (folder / "users").write_text("user:" + password)
        (folder / "nginx.conf").write_text(CONFIGURATION.format(
            user="user root;" if os.geteuid() == 0 else "", folder=folder, plain=self.plain, tls=self.tls, client=self.client, certificate=certificate[0], key=certificate[1],
            authority=authority))

    def __enter__(self) -> Nginx:
        command = [str(find()), "-e", f"{self.folder}/error.log", "-c", f"{self.folder}/nginx.conf", "-p", str(self.folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        # It writes the file when it listens.
        end = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < end:
            if (self.folder / "nginx.pid").exists():
                return self
            time.sleep(0.05)
        self.process.terminate()
        raise RuntimeError("nginx did not start: " + (self.folder / "error.log").read_text()[-300:])

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait(120)
        for port in self.ports:
            port.close()

    def log(self, port: int) -> list[list[str]]:
        """For each request to a port: the number of its connection, protocol, status, content encoding."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [line.split()[1:] for line in lines if line.startswith(f"{port} ")]
