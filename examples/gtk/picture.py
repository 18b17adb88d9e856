"""Shows the image of a URL: python3 picture.py URL"""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Sdimage", "1")
from gi.repository import GLib, Gtk, Sdimage

Gtk.init()
picture = Sdimage.Picture(url=sys.argv[1], alternative_text=sys.argv[1])
picture.connect("notify::state", lambda picture, _: print(picture.get_property("state").value_nick, flush=True))
window = Gtk.Window(child=picture, default_width=640, default_height=480)
window.present()
while window in list(Gtk.Window.get_toplevels()):
    GLib.MainContext.default().iteration(True)
