// Shows the image of a URL: gjs picture.js URL
imports.gi.versions.Gtk = '4.0';
imports.gi.versions.Sdimage = '1';
const {GLib, Gtk, Sdimage} = imports.gi;

Gtk.init();
const loop = GLib.MainLoop.new(null, false);
const picture = new Sdimage.Picture({url: ARGV[0], alternative_text: ARGV[0]});
picture.connect('notify::state', () => print(['empty', 'loading', 'ready', 'failed'][picture.state]));
const window = new Gtk.Window({child: picture, default_width: 640, default_height: 480});
window.connect('close-request', () => loop.quit());
window.present();
loop.run();
