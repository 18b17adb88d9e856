/* wall.c: prints the milliseconds from the window to the frame with all images, their number, and the peak memory. */
#include <sys/resource.h>

#include "wall.h"

enum { SIDE = 100 };

static guint left, shown;
static gint64 start;

void wall_finished(gboolean is_shown) {
    left--;
    shown += is_shown != FALSE;
}

static void on_painted(GdkFrameClock *clock) {
    (void)clock;
    if (left > 0)
        return;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    g_print("%.0f %u %ld\n", (double)(g_get_monotonic_time() - start) / 1000, shown, usage.ru_maxrss / 1024);
    _exit(0);
}

static gboolean keep_painting(GtkWidget *window, GdkFrameClock *clock, gpointer data) {
    (void)clock, (void)data;
    if (left == 0)
        gtk_widget_queue_draw(window);
    return G_SOURCE_CONTINUE;
}

int show_wall(int argc, char **argv, show_image show) {
    char *text = NULL;
    if (argc != 2 || !gtk_init_check() || !g_file_get_contents(argv[1], &text, NULL, NULL))
        return 2;
    char **urls = g_strsplit(g_strstrip(text), "\n", -1);
    GtkWidget *window = gtk_window_new(), *scroller = gtk_scrolled_window_new(), *box = gtk_flow_box_new();
    gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(box), 25);
    left = g_strv_length(urls);
    gtk_window_set_default_size(GTK_WINDOW(window), 1200, 800);
    gtk_window_set_child(GTK_WINDOW(window), scroller);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
    gtk_window_present(GTK_WINDOW(window));
    start = g_get_monotonic_time();
    for (char **url = urls; *url; url++) {
        GtkWidget *picture = gtk_picture_new(), *cell = gtk_overlay_new(), *space = gtk_label_new("");
        gtk_widget_set_size_request(picture, SIDE, SIDE);
        gtk_widget_set_size_request(space, SIDE, SIDE);
        gtk_overlay_set_child(GTK_OVERLAY(cell), space); /* cells of one size, whatever they show */
        gtk_overlay_add_overlay(GTK_OVERLAY(cell), picture);
        gtk_picture_set_content_fit(GTK_PICTURE(picture), GTK_CONTENT_FIT_COVER);
        gtk_flow_box_append(GTK_FLOW_BOX(box), cell);
        show(GTK_PICTURE(picture), *url);
    }
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(on_painted), NULL);
    gtk_widget_add_tick_callback(window, keep_painting, NULL, NULL);
    for (;;)
        g_main_context_iteration(NULL, TRUE);
}
