/* gallery.c: a gallery in GTK 4: thousands of images in a grid, with placeholders, progress, animations and errors.
 *
 *   gallery-gtk [--shot FILE] LIST
 *
 * LIST is a file with a URL on each line, optionally followed by `blurhash TEXT`. --shot writes the contents of the
 * window when the first images are there, or nearly, and exits.
 * cc gallery.c $(pkg-config --cflags --libs sdimage-gtk4) */
#include <sdimage-gtk4.h>

enum { SIDE = 180, GAP = 12, COLUMNS = 6, ROWS = 4, FRAMES = 18 }; /* frames: until images have faded in */
static guint awaited;                                              /* number of pictures in a screenshot */
static const char style[] =
    "gridview { background: #14161b; padding: 6px; } gridview > child { padding: 0; margin: 6px; background: none; }"
    ".cell { border-radius: 10px; background: #24272f; } .cell.failed { background: #402228; color: #ff9696; }"
    ".cell progress, .cell trough { min-height: 7px; margin: 0; border-radius: 0; border: none; }"
    ".cell trough { background: rgba(0, 0, 0, 0.6); } .cell progress { background: #5ea8ff; }";

/* --- An image of the list. */

typedef struct Entry {
    GObject parent;
    char **values; /* the URL, and the hash if there is one */
} Entry;
typedef GObjectClass EntryClass;
G_DEFINE_TYPE(Entry, entry, G_TYPE_OBJECT)

static void get_value(GObject *entry, guint id, GValue *value, GParamSpec *spec) {
    (void)spec;
    g_value_set_string(value, ((Entry *)entry)->values[id - 1]);
}

static void free_entry(GObject *entry) {
    g_strfreev(((Entry *)entry)->values);
    G_OBJECT_CLASS(entry_parent_class)->finalize(entry);
}

static void entry_class_init(EntryClass *class) {
    static const char *const names[] = {"url", "blurhash"};
    class->get_property = get_value;
    class->finalize = free_entry;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_object_class_install_property(class, i + 1,
                                        g_param_spec_string(names[i], NULL, NULL, NULL, G_PARAM_READABLE));
}

static void entry_init(Entry *entry) {
    (void)entry;
}

static GListStore *read_list(const char *path) {
    GListStore *list = g_list_store_new(entry_get_type());
    char *text = NULL, **lines = g_file_get_contents(path, &text, NULL, NULL) ? g_strsplit(text, "\n", -1) : NULL;
    for (char **line = lines; line && *line; line++) {
        Entry *entry = g_object_new(entry_get_type(), NULL);
        entry->values = g_strsplit(*line, " blurhash ", 2);
        if (**line)
            g_list_store_append(list, entry);
        g_object_unref(entry);
    }
    g_strfreev(lines), g_free(text);
    return list;
}

/* --- Cells: the picture of the factory, with a bar and a message over it. */

static void show_state(SdimagePicture *picture, GParamSpec *spec, GtkWidget *cell) {
    (void)spec;
    const GError *error = sdimage_picture_get_error(picture);
    gtk_widget_set_visible(g_object_get_data(G_OBJECT(picture), "bar"),
                           sdimage_picture_get_state(picture) == SDIMAGE_STATE_LOADING);
    gtk_label_set_text(g_object_get_data(G_OBJECT(picture), "message"), error ? error->message : "");
    (error ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(cell, "failed");
}

static void set_up(GtkListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    SdimagePicture *picture = sdimage_list_item_get_picture(item);
    GtkWidget *cell = gtk_overlay_new(), *bar = gtk_progress_bar_new(), *message = gtk_label_new("");
    gtk_list_item_set_child(item, NULL); /* the item keeps the picture */
    gtk_overlay_set_child(GTK_OVERLAY(cell), GTK_WIDGET(picture));
    gtk_overlay_add_overlay(GTK_OVERLAY(cell), bar);
    gtk_overlay_add_overlay(GTK_OVERLAY(cell), message);
    g_object_set(bar, "valign", GTK_ALIGN_END, "margin-bottom", 15, "margin-start", 15, "margin-end", 15, NULL);
    g_object_set(message, "wrap", TRUE, "max-width-chars", 16, "justify", GTK_JUSTIFY_CENTER, NULL);
    g_object_set(cell, "overflow", GTK_OVERFLOW_HIDDEN, "css-classes", (const char *[]){"cell", NULL}, NULL);
    g_object_set(picture, "progressive", TRUE, NULL);
    g_object_bind_property(picture, "progress", bar, "fraction", G_BINDING_SYNC_CREATE);
    g_object_set_data(G_OBJECT(picture), "bar", bar);
    g_object_set_data(G_OBJECT(picture), "message", message);
    g_signal_connect_object(picture, "notify::state", G_CALLBACK(show_state), cell, 0);
    gtk_list_item_set_child(item, cell);
}

/* --- The screenshot, and the window. */

/* Counts the mapped pictures below a widget that are there, or nearly: a screenshot does not wait for the rest. */
static int count_shown(GtkWidget *widget) {
    int count = 0;
    if (SDIMAGE_IS_PICTURE(widget))
        return gtk_widget_get_mapped(widget) && (sdimage_picture_get_progress(SDIMAGE_PICTURE(widget)) >= 0.45 ||
                                                 sdimage_picture_get_error(SDIMAGE_PICTURE(widget)));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
        count += count_shown(child);
    return count;
}

static void shoot(GdkFrameClock *clock, const char *path) {
    static int frames = 0;
    GtkWidget *window = g_list_model_get_item(gtk_window_get_toplevels(), 0);
    gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT);
    if (window && (guint)count_shown(window) >= awaited && ++frames == FRAMES) {
        GtkSnapshot *snapshot = gtk_snapshot_new();
        GTK_WIDGET_GET_CLASS(window)->snapshot(window, snapshot);
        GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
        GdkTexture *texture = gsk_renderer_render_texture(gtk_native_get_renderer(GTK_NATIVE(window)), node, NULL);
        if (!gdk_texture_save_to_png(texture, path))
            g_printerr("gallery-gtk: %s cannot be written\n", path);
        g_object_unref(texture), gsk_render_node_unref(node);
        gtk_window_destroy(GTK_WINDOW(window));
    }
    g_clear_object(&window);
}

int main(int argc, char **argv) {
    const char *shot = argc == 4 && g_str_equal(argv[1], "--shot") ? argv[2] : NULL;
    GListModel *entries = argc == 2 || shot ? G_LIST_MODEL(read_list(argv[argc - 1])) : NULL;
    awaited = entries ? MIN(g_list_model_get_n_items(entries), COLUMNS * ROWS) : 0;
    if (!awaited || !gtk_init_check()) {
        g_printerr("usage: gallery-gtk [--shot FILE] LIST; needs a display, and a list with at least one URL\n");
        return 2;
    }
    GtkListItemFactory *factory = sdimage_list_item_factory_new("url", SIDE, SIDE);
    sdimage_list_item_factory_set_blurhash_property(SDIMAGE_LIST_ITEM_FACTORY(factory), "blurhash");
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    GtkWidget *grid = gtk_grid_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(entries)), factory);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(grid), COLUMNS);
    GtkWidget *scroller = g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", grid, NULL);
    GtkWidget *window = g_object_new(GTK_TYPE_WINDOW, "child", scroller, "decorated", !shot, NULL);
    GtkCssProvider *css = gtk_css_provider_new();
    gtk_css_provider_load_from_data(css, style, -1);
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(css), 600);
    gtk_window_set_default_size(GTK_WINDOW(window), COLUMNS * (SIDE + GAP) + GAP, ROWS * (SIDE + GAP) + GAP);
    gtk_window_present(GTK_WINDOW(window));
    if (shot)
        g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(shoot), (gpointer)shot);
    while (g_list_model_get_n_items(gtk_window_get_toplevels()) > 0)
        g_main_context_iteration(NULL, TRUE);
    return 0;
}
