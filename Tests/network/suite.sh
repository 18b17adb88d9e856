# Suite of Tests/run.
ABOUT='a server that disconnects, lies, stalls and redirects; TLS; nginx'
BUDGET=90
NEEDS=library
HAS_PARTS=1
PACKAGES="nginx openssl brotli zstd"

suite() { SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 "$SDIMAGE_PYTHON" Tests/network/network.py; }
