# Suite of Tests/run.
ABOUT='every file of the folder SDIMAGE_CORPUS, if that is set'
BUDGET=180
NEEDS=library
PACKAGES="python3-numpy python3-pil"

suite() { SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 PYTHONPATH=bindings/python "$SDIMAGE_PYTHON" Tests/corpus/corpus.py; }
