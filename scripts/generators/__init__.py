"""The parts of scripts/bindings: the parser of the public headers, the table of names, and one module for each language."""
