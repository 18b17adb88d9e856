/* lifetimes.c: widgets that end at any point of a load. Also built with the library's glue under AddressSanitizer. */
#include "display.h"

/* Rounds of a test; the main loop runs a number of iterations that grows with the round. */
enum { ROUNDS = 40 };

static const char *const urls[] = {"test:%d", "wait:%d", "fail:%d", "moving:%d", "slow:%d", "test:%d,700"};

static void run_iterations(int count) {
    for (int i = 0; i < count; i++)
        g_main_context_iteration(NULL, FALSE);
}

/* Shows every kind of load in a picture, and destroys it after some iterations. */
static void destroy_after(GtkWidget *(*new_picture)(const char *url), bool is_reused) {
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    new_window(box, 300, 100);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t kind = 0; kind < G_N_ELEMENTS(urls); kind++) {
            char *url = g_strdup_printf(urls[kind], round);
            GtkWidget *picture = new_picture(url);
            gtk_widget_set_size_request(picture, 40 + round, 40);
            gtk_box_append(GTK_BOX(box), picture);
            run_iterations(round);
            if (is_reused && SDIMAGE_IS_PICTURE(picture))
                sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "test:1");
            gtk_box_remove(GTK_BOX(box), picture);
            g_free(url);
        }
        if (round % 4 == 0)
            open_loader();
    }
    open_loader();
    sdimage_manager *manager = sdimage_gtk_get_manager(NULL);
    UNTIL(sdimage_manager_running_count(manager) == 0);
    sdimage_manager_unref(manager);
}

static GtkWidget *new_gtk_picture(const char *url) {
    GtkWidget *picture = gtk_picture_new();
    sdimage_gtk_picture_set_url(GTK_PICTURE(picture), url, NULL);
    return picture;
}

static void pictures_are_destroyed_at_any_point(void) {
    start_display();
    destroy_after(sdimage_picture_new, false);
    destroy_after(sdimage_picture_new, true);
}

static void gtk_pictures_are_destroyed_at_any_point(void) {
    start_display();
    destroy_after(new_gtk_picture, false);
}

static void destroy(GtkWidget *picture, GParamSpec *spec, gpointer box) {
    (void)spec;
    if (gtk_widget_get_parent(picture))
        gtk_box_remove(box, picture);
}

static void a_picture_is_destroyed_by_its_own_signals(void) {
    start_display();
    static const char *const signals[] = {"notify::state", "notify::progress"};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    new_window(box, 300, 100);
    for (size_t kind = 0; kind < G_N_ELEMENTS(urls); kind++) {
        for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
            char *url = g_strdup_printf(urls[kind], (int)i);
            GtkWidget *picture = sdimage_picture_new(NULL);
            gtk_widget_set_size_request(picture, 50, 50);
            gtk_box_append(GTK_BOX(box), picture);
            run_iterations(10);
            gpointer gone = picture;
            g_object_add_weak_pointer(G_OBJECT(picture), &gone);
            sdimage_picture_set_url(SDIMAGE_PICTURE(picture), url); /* not in this call: its state is LOADING first */
            g_signal_connect(picture, signals[i], G_CALLBACK(destroy), box);
            for (gint64 end = g_get_monotonic_time() + LONGEST_WAIT_US; gone && g_get_monotonic_time() < end;
                 run_once())
                open_loader();
            CHECK(!gone || i == 1); /* a failed load has no progress */
            if (gone)
                gtk_box_remove(GTK_BOX(box), picture);
            g_free(url);
            if (kind == 2)
                break;
        }
    }
}

static void replace(GtkWidget *picture, GParamSpec *spec, gpointer count) {
    (void)spec;
    if (sdimage_picture_get_state(SDIMAGE_PICTURE(picture)) == SDIMAGE_STATE_LOADING || ++*(int *)count > 6)
        return;
    char *url = g_strdup_printf(*(int *)count % 2 ? "test:%d" : "fail:%d", 10 + *(int *)count);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), url);
    g_free(url);
}

static void a_picture_is_reused_by_its_own_signals(void) {
    start_display();
    GtkWidget *picture = sdimage_picture_new(NULL);
    int count = 0;
    new_window(picture, 100, 100);
    g_signal_connect(picture, "notify::state", G_CALLBACK(replace), &count);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "test:1");
    UNTIL(count >= 6);
}

static void an_animation_outlives_its_picture(void) {
    start_display();
    GtkWidget *picture = sdimage_picture_new("moving:1"), *window = new_window(picture, 100, 100);
    SdimagePaintable *paintable = g_object_ref(sdimage_picture_get_paintable(SDIMAGE_PICTURE(picture)));
    UNTIL(sdimage_paintable_is_animating(paintable));
    gtk_window_destroy(GTK_WINDOW(window));
    run_iterations(20);
    CHECK(!sdimage_paintable_is_animating(paintable));
    g_object_unref(paintable);
    run_iterations(20);
}

int main(void) {
    static const test tests[] = {
        TEST(pictures_are_destroyed_at_any_point),       TEST(gtk_pictures_are_destroyed_at_any_point),
        TEST(a_picture_is_destroyed_by_its_own_signals), TEST(a_picture_is_reused_by_its_own_signals),
        TEST(an_animation_outlives_its_picture),
    };
    return run_tests(tests, G_N_ELEMENTS(tests));
}
