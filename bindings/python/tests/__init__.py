"""Tests of the package: ``python3 -m unittest discover -s bindings/python -t bindings/python``."""
