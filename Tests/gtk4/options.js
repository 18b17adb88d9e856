// Loads an image that needs a header field, with a request and options: gjs options.js URL AUTHORIZATION
imports.gi.versions.Gtk = '4.0';
imports.gi.versions.Sdimage = '1';
const {Gio, GLib, Gtk, Sdimage} = imports.gi;

Gio._promisify(Sdimage, 'gtk_picture_set_url_full', 'gtk_picture_set_url_finish');
Gtk.init();
const loop = GLib.MainLoop.new(null, false);
const [url, authorization] = ARGV;
const request = Sdimage.Request.new(url);
request.set_header('Authorization', authorization);
request.set_cache_policy(Sdimage.CachePolicy.MEMORY_ONLY);
const options = Sdimage.TargetOptions.new();
options.set_transition(Sdimage.Transition.NONE, 0);
const first = new Gtk.Picture({hexpand: true}), second = new Sdimage.Picture({request, url, hexpand: true});
const box = new Gtk.Box({homogeneous: true});
box.append(first);
box.append(second);
const window = new Gtk.Window({child: box, default_width: 400, default_height: 200});
window.present();

const ready = new Promise(resolve => second.connect('notify::state', () => {
    if (second.state === Sdimage.State.READY)
        resolve();
}));

// Without the header field, and without the cache, which the other picture fills.
async function isRefused() {
    const other = Sdimage.Request.new(url);
    other.set_cache_policy(Sdimage.CachePolicy.NONE);
    try {
        await Sdimage.gtk_picture_set_url_full(first, null, null, other, null, null);
    } catch (error) {
        return error.matches(Sdimage.GtkError, Sdimage.GtkError.HTTP_STATUS);
    }
    return false;
}

async function show() {
    const wasRefused = await isRefused();
    const isShown = await Sdimage.gtk_picture_set_url_full(first, null, null, request, options, null);
    await ready;
    print(wasRefused && isShown && second.request.header('Authorization') === authorization ? 'ready' : 'wrong');
}
show().catch(error => print(error.message));
loop.run();
