"""The test origin, and servers and images for tests. See `server.py` for its behavior on demand."""

from .server import HTML, PASSWORD, TOKEN, USER, Asked, Origin

__all__ = ["HTML", "PASSWORD", "TOKEN", "USER", "Asked", "Origin"]
