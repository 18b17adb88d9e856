"""Loads an image that needs a header field, with a request and options: options.py URL AUTHORIZATION

Prints `ready` when a GtkPicture, an SdimagePicture and the picture of a list have shown it."""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Sdimage", "1")
from gi.repository import GLib, GObject, Gtk, Sdimage

Gtk.init()
url, authorization = sys.argv[1:]
request = Sdimage.Request.new(url)
request.set_header("Authorization", authorization)
request.set_freshness(Sdimage.Freshness.RESPECT)
request.set_cache_policy(Sdimage.CachePolicy.MEMORY_ONLY)
request.set_priority(Sdimage.Priority.HIGH)
request.set_timeout_ms(60_000)
decoding = Sdimage.DecodeOptions.new()
decoding.set_max_pixels(1 << 20)
request.set_decode_options(decoding)
options = Sdimage.TargetOptions.new()
options.set_transition(Sdimage.Transition.NONE, 0)
options.set_blurhash("LEHV6nWB2yk8pyo0adR*.7kCMdnj", -1, 32, 32)
# A copy is independent.
other = request.copy()
other.set_header("Authorization", None)
other.set_cache_policy(Sdimage.CachePolicy.NONE)
assert request.header("Authorization") == authorization and other.header("Authorization") is None
assert request.copy_decode_options().max_pixels() == 1 << 20 and request.cache_policy() == Sdimage.CachePolicy.MEMORY_ONLY

window, box = Gtk.Window(default_width=600, default_height=200), Gtk.Box(homogeneous=True)
plain, refused, picture = Gtk.Picture(), Gtk.Picture(), Sdimage.Picture(request=request, url=url)
assert picture.get_property("request").header("Authorization") == authorization
assert picture.copy_request().priority() == Sdimage.Priority.HIGH
factory = Sdimage.ListItemFactory.new(None, 100, 100)
factory.set_request(request)
pictures = []
factory.connect("bind", lambda _, item: pictures.append(Sdimage.list_item_get_picture(item)))
grid = Gtk.GridView(model=Gtk.NoSelection(model=Gtk.StringList.new([url])), factory=factory)
for widget in (plain, refused, picture, grid):
    widget.set_hexpand(True)
    box.append(widget)
window.set_child(box)
window.present()
results = {}


def finish(widget: Gtk.Picture, result: GObject.Object) -> None:
    try:
        results[widget] = Sdimage.gtk_picture_set_url_finish(result)
    except GLib.Error as error:
        assert error.matches(Sdimage.gtk_error_quark(), Sdimage.GtkError.HTTP_STATUS), (error.domain, error.code)
        assert error.domain == "sdimage-gtk-error-quark"
        results[widget] = error.message


Sdimage.gtk_picture_set_url_full(plain, None, None, request, options, None, finish)
Sdimage.gtk_picture_set_url_full(refused, url, None, other, None, None, finish)
while len(results) < 2 or not pictures or {each.get_property("state") for each in (picture, *pictures)} != {Sdimage.State.READY}:
    GLib.MainContext.default().iteration(True)
assert results[plain] is True and "401" in results[refused], results
print("ready", flush=True)
