/* gtk.c: the gallery in GTK 4.
 *
 *   gallery-gtk [--cell POINTS] [--size WIDTHxHEIGHT] [--cache FOLDER] [--script COMMANDS] [--list FILE] [URL...]
 *
 * Wheel, arrows, Page Up and Down, Home and End scroll; Escape quits. The library's descriptor is a source of GLib's
 * main loop.
 *
 * cc gtk.c snapshot.c wall.c cell.c list.c script.c $(pkg-config --cflags --libs sdimage gtk4) */
#include <gtk/gtk.h>
#include <glib-unix.h>

#include "script.h"
#include "snapshot.h"
#include "wall.h"

enum { STATUS_LINE = 28 };

/* A widget that draws the whole wall. */
#define GALLERY_TYPE_AREA (gallery_area_get_type())
G_DECLARE_FINAL_TYPE(GalleryArea, gallery_area, GALLERY, AREA, GtkWidget)

struct _GalleryArea {
    GtkWidget parent;
    wall wall;
    script script;
    guint ticks, source; /* the clock of fades and scripts; the source of the library's descriptor */
    GMainLoop *loop;
};

G_DEFINE_TYPE(GalleryArea, gallery_area, GTK_TYPE_WIDGET)

/* --- Drawing. */

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
    snapshot_wall(widget, snapshot, &GALLERY_AREA(widget)->wall, STATUS_LINE);
}

/* Writes the contents of the window to an image file, at the window's pixel size. */
static void shoot(GalleryArea *area, const char *path) {
    GtkWidget *widget = GTK_WIDGET(area);
    float scale = (float)gtk_widget_get_scale_factor(widget);
    graphene_rect_t place = GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget) * scale,
                                               (float)gtk_widget_get_height(widget) * scale);
    GtkSnapshot *drawing = gtk_snapshot_new();
    gtk_snapshot_scale(drawing, scale, scale);
    snapshot(widget, drawing);
    GskRenderNode *node = gtk_snapshot_free_to_node(drawing);
    GdkTexture *texture =
        gsk_renderer_render_texture(gtk_native_get_renderer(gtk_widget_get_native(widget)), node, &place);
    if (!gdk_texture_save_to_png(texture, path))
        script_fail(&area->script, path, "it cannot be written");
    g_object_unref(texture);
    gsk_render_node_unref(node);
}

/* --- Events. */

static gboolean on_descriptor(gint descriptor, GIOCondition condition, gpointer area) {
    (void)descriptor, (void)condition;
    sdimage_dispatcher_drain(((GalleryArea *)area)->wall.loop);
    return G_SOURCE_CONTINUE;
}

/* Runs once per screen refresh while a cell fades or a script runs. */
static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data) {
    (void)clock, (void)user_data;
    GalleryArea *area = GALLERY_AREA(widget);
    script_act act = SCRIPT_WAIT;
    while (area->wall.columns > 0 && (act = script_step(&area->script, &area->wall)) == SCRIPT_SHOT)
        shoot(area, area->script.argument);
    if (act == SCRIPT_END)
        g_main_loop_quit(area->loop);
    bool is_fading = wall_is_fading(&area->wall);
    if (is_fading)
        gtk_widget_queue_draw(widget);
    if (is_fading || area->script.is_scripted)
        return G_SOURCE_CONTINUE;
    area->ticks = 0;
    return G_SOURCE_REMOVE;
}

static void changed(void *window) {
    GalleryArea *area = window;
    gtk_widget_queue_draw(GTK_WIDGET(area));
    if (area->ticks == 0)
        area->ticks = gtk_widget_add_tick_callback(GTK_WIDGET(area), on_tick, NULL, NULL);
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline) {
    (void)baseline;
    int wall_height = MAX(height - STATUS_LINE, 1);
    wall_resize(&GALLERY_AREA(widget)->wall, (uint32_t)MAX(width, 1), (uint32_t)wall_height,
                gtk_widget_get_scale_factor(widget));
}

static gboolean on_scroll(GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data) {
    (void)controller, (void)dx;
    wall *wall = user_data;
    wall_scroll(wall, wall->top + (int64_t)(dy * 60));
    return TRUE;
}

static gboolean on_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                       gpointer user_data) {
    (void)controller, (void)code, (void)state;
    GalleryArea *area = user_data;
    wall *wall = &area->wall;
    int64_t row = wall_row_height(wall), page = (int64_t)wall->height;
    int64_t step = key == GDK_KEY_Down        ? row
                   : key == GDK_KEY_Up        ? -row
                   : key == GDK_KEY_Page_Down ? page
                   : key == GDK_KEY_Page_Up   ? -page
                                              : 0;
    if (key == GDK_KEY_Escape)
        g_main_loop_quit(area->loop);
    else if (key == GDK_KEY_Home || key == GDK_KEY_End)
        wall_scroll(wall, key == GDK_KEY_Home ? 0 : INT64_MAX);
    else if (step != 0)
        wall_scroll(wall, wall->top + step);
    else
        return FALSE;
    return TRUE;
}

static void set_mapped(GtkWidget *widget, bool is_mapped) {
    GtkWidgetClass *parent = GTK_WIDGET_CLASS(gallery_area_parent_class);
    (is_mapped ? parent->map : parent->unmap)(widget);
    wall_set_shown(&GALLERY_AREA(widget)->wall, is_mapped);
}

static void map(GtkWidget *widget) {
    set_mapped(widget, true);
}

static void unmap(GtkWidget *widget) {
    set_mapped(widget, false);
}

/* --- Beginning and end. */

static void gallery_area_class_init(GalleryAreaClass *class) {
    GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
    widget->snapshot = snapshot;
    widget->size_allocate = size_allocate;
    widget->map = map;
    widget->unmap = unmap;
}

static void gallery_area_init(GalleryArea *area) {
    GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    g_signal_connect(wheel, "scroll", G_CALLBACK(on_scroll), &area->wall);
    gtk_widget_add_controller(GTK_WIDGET(area), wheel);
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), area);
    gtk_widget_add_controller(GTK_WIDGET(area), keys);
    gtk_widget_set_focusable(GTK_WIDGET(area), TRUE);
    area->wall.pixel_format = SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED;
    area->wall.changed = changed;
    area->wall.window = area;
}

static void run(GalleryArea *area) {
    GtkWidget *window = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window), "sdimage");
    gtk_window_set_decorated(GTK_WINDOW(window), !area->script.is_scripted); /* the window has the size of the wall */
    gtk_window_set_default_size(GTK_WINDOW(window), (int)area->script.width, (int)area->script.height);
    gtk_window_set_child(GTK_WINDOW(window), GTK_WIDGET(area));
    area->loop = g_main_loop_new(NULL, FALSE);
    g_signal_connect_swapped(window, "close-request", G_CALLBACK(g_main_loop_quit), area->loop);
    area->source = g_unix_fd_add(sdimage_dispatcher_descriptor(area->wall.loop), G_IO_IN, on_descriptor, area);
    gtk_window_present(GTK_WINDOW(window));
    gtk_widget_grab_focus(GTK_WIDGET(area));
    g_main_loop_run(area->loop);
    g_source_remove(area->source);
    gtk_window_destroy(GTK_WINDOW(window));
    g_main_loop_unref(area->loop);
}

int main(int argc, char **argv) {
    if (!gtk_init_check()) {
        fputs("gallery-gtk: there is no display\n", stderr);
        return 1;
    }
    GalleryArea *area = g_object_ref_sink(g_object_new(GALLERY_TYPE_AREA, NULL));
    script *script = &area->script;
    if (script_begin(script, &area->wall, argc, argv)) {
        if (wall_open(&area->wall, script->folder) < 0)
            script_fail(script, "the library", sdimage_error_message(area->wall.error));
        else
            run(area);
    }
    snapshot_end(&area->wall);
    int code = script->exit_status;
    wall_close(&area->wall);
    g_object_unref(area);
    return code;
}
