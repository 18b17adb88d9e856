// Loads an image that needs a header field, with a request and options: options URL AUTHORIZATION
async void show (string url, Gtk.Picture first, Sdimage.Picture second, Sdimage.Request request) {
    var options = new Sdimage.TargetOptions ();
    options.set_transition (Sdimage.Transition.NONE, 0);
    // Without the header field, and without the cache, which the other picture fills.
    var other = new Sdimage.Request (url);
    other.set_cache_policy (Sdimage.CachePolicy.NONE);
    var was_refused = false;
    try {
        yield Sdimage.gtk_picture_set_url_full (first, null, null, other, null, null);
    } catch (Sdimage.GtkError.HTTP_STATUS error) {
        was_refused = true;
    } catch (Error error) {
        stderr.printf ("%s\n", error.message);
    }
    try {
        var is_shown = yield Sdimage.gtk_picture_set_url_full (first, null, null, request, options, null);
        while (second.state != Sdimage.State.READY) {
            var handler = second.notify["state"].connect (() => { Idle.add (show.callback); });
            yield;
            second.disconnect (handler);
        }
        stdout.printf (was_refused && is_shown ? "ready\n" : "wrong\n");
    } catch (Error error) {
        stdout.printf ("%s\n", error.message);
    }
    stdout.flush ();
}

int main (string[] args) {
    Gtk.init ();
    var request = new Sdimage.Request (args[1]);
    request.set_header ("Authorization", args[2]);
    request.set_cache_policy (Sdimage.CachePolicy.MEMORY_ONLY);
    var first = new Gtk.Picture () { hexpand = true };
    var second = new Sdimage.Picture (null) { request = request, url = args[1], hexpand = true };
    var box = new Gtk.Box (Gtk.Orientation.HORIZONTAL, 0) { homogeneous = true };
    box.append (first);
    box.append (second);
    var window = new Gtk.Window () { child = box, default_width = 400, default_height = 200 };
    window.present ();
    show.begin (args[1], first, second, request);
    new MainLoop ().run ();
    return 0;
}
