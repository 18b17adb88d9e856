// Shows the image of a URL. valac --pkg gtk4 --pkg sdimage-gtk4 picture.vala && ./picture URL
int main (string[] args) {
    Gtk.init ();
    var loop = new MainLoop ();
    var picture = new Sdimage.Picture (args[1]) { alternative_text = args[1] };
    picture.notify["state"].connect (() => {
        stdout.printf ("%s\n", ((EnumClass) typeof (Sdimage.State).class_ref ()).get_value (picture.state).value_nick);
        stdout.flush ();
    });
    var window = new Gtk.Window () { child = picture, default_width = 640, default_height = 480 };
    window.close_request.connect (() => { loop.quit (); return false; });
    window.present ();
    loop.run ();
    return 0;
}
