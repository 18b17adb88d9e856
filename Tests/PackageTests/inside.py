"""Runs where the package was installed, with nothing of the checkout: prints a line for each thing that was asked.

    inside.py load FOLDER | formats FILE… | https PORT
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def load(folder: str) -> None:
    """Serves the folder by the command line and loads every picture from there."""
    origin = subprocess.Popen([sys.executable, "-m", "sdimage", "serve", "--folder", folder], stdout=subprocess.PIPE, text=True)
    try:
        assert origin.stdout
        base = origin.stdout.readline().split()[-1].rstrip("/")
        import sdimage

        with tempfile.TemporaryDirectory() as cache, sdimage.Manager(cache=sdimage.ImageCache(cache)) as manager:
            for path in sorted(pathlib.Path(folder).iterdir()):
                result = manager.load(f"{base}/{path.name}")
                image = result.image
                again = manager.load(f"{base}/{path.name}").source
                print(path.name, image.format, image.width, image.height, len(set(image.tobytes())) > 16, result.source, again, flush=True)
    finally:
        origin.terminate()
        origin.wait()


def formats(*files: str) -> None:
    import sdimage

    plugins = sdimage.load_plugins()
    for file in files:
        try:
            image = sdimage.decode(pathlib.Path(file))
            print(pathlib.Path(file).name, image.width, image.height)
        except sdimage.Error as error:
            print(pathlib.Path(file).name, error.code)
    print(json.dumps({"plugins": {name: str(plugin.error) for name, plugin in plugins.items()}, **sdimage.doctor()["libraries"]}))


def https(port: str) -> None:
    import sdimage

    with sdimage.Manager(cache=None) as manager:
        try:
            print(manager.load(f"https://127.0.0.1:{port}/picture.png").image.width)
        except sdimage.Error as error:
            print(error.code)


globals()[sys.argv[1]](*sys.argv[2:])
