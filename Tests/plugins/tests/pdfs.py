"""Writes test files in PDF (ISO 32000-1)."""

from __future__ import annotations

import hashlib
import struct

PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
IDENTITY = bytes(range(16))


def rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 255
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) & 255])
    return bytes(out)


class Lock:
    """The standard security handler with keys of 40 bits (7.6.3)."""

    def __init__(self, password: bytes) -> None:
        padded = (password + PADDING)[:32]
        self.owner = rc4(hashlib.md5(padded).digest()[:5], padded)
        self.permissions = -4
        said = padded + self.owner + struct.pack("<i", self.permissions) + IDENTITY
        self.key = hashlib.md5(said).digest()[:5]
        self.user = rc4(self.key, PADDING)

    def encrypted(self, number: int, data: bytes) -> bytes:
        key = hashlib.md5(self.key + struct.pack("<I", number)[:3] + bytes(2)).digest()[:10]
        return rc4(key, data)


def pdf(*contents: str, box: str = "[0 0 80 40]", extra: str = "", password: bytes = b"", boxes: tuple[str, ...] = ()) -> bytes:
    """A document with a page for each of the contents."""
    lock = Lock(password) if password else None
    objects: dict[int, bytes] = {}
    kids = " ".join(f"{3 + 2 * index} 0 R" for index in range(len(contents)))
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode()
    for index, content in enumerate(contents):
        page, stream = 3 + 2 * index, 4 + 2 * index
        own = boxes[index] if boxes else box
        objects[page] = f"<< /Type /Page /Parent 2 0 R /MediaBox {own} {extra} /Contents {stream} 0 R /Resources << >> >>".encode()
        body = lock.encrypted(stream, content.encode()) if lock else content.encode()
        objects[stream] = f"<< /Length {len(body)} >>\nstream\n".encode() + body + b"\nendstream"
    trailer = f"/Root 1 0 R /Size {len(objects) + 2} /ID [<{IDENTITY.hex()}> <{IDENTITY.hex()}>]"
    if lock:
        number = len(objects) + 1
        objects[number] = (f"<< /Filter /Standard /V 1 /R 2 /O <{lock.owner.hex()}> /U <{lock.user.hex()}> "
                           f"/P {lock.permissions} >>").encode()
        trailer += f" /Encrypt {number} 0 R"
    out, places = b"%PDF-1.4\n", {}
    for number, body in objects.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    table += b"".join(f"{places[number]:010} 00000 n \n".encode() for number in sorted(places))
    return out + table + f"trailer << {trailer} >>\nstartxref\n{len(out)}\n%%EOF\n".encode()
