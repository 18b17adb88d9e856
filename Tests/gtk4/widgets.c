/* widgets.c: tests of GtkPicture, SdimagePicture and SdimagePaintable. */
#include "display.h"

static SdimagePaintable *paintable_of(GtkWidget *picture) {
    return SDIMAGE_IS_PICTURE(picture) ? sdimage_picture_get_paintable(SDIMAGE_PICTURE(picture))
                                       : SDIMAGE_PAINTABLE(gtk_picture_get_paintable(GTK_PICTURE(picture)));
}

static uint32_t decoded_width(GtkWidget *picture) {
    sdimage_image *image = sdimage_paintable_ref_image(paintable_of(picture));
    uint32_t width = sdimage_image_width(image);
    sdimage_image_unref(image);
    return width;
}

static bool shows(GtkWidget *picture, int number) {
    return is_near(color_at(picture, 0.5, 0.5), color_of(number));
}

static bool has_state(GtkWidget *picture, SdimageState state) {
    return sdimage_picture_get_state(SDIMAGE_PICTURE(picture)) == state;
}

static GtkWidget *new_picture(const char *url) {
    GtkWidget *picture = sdimage_picture_new(url);
    g_object_set(picture, "transition", 0, NULL);
    return picture;
}

static GdkPaintable *solid_paintable(guint color) {
    guint32 pixel = color | 0xff000000u;
    GBytes *bytes = g_bytes_new(&pixel, 4);
    GdkTexture *texture = gdk_memory_texture_new(1, 1, GDK_MEMORY_DEFAULT, bytes, 4);
    g_bytes_unref(bytes);
    return GDK_PAINTABLE(texture);
}

/* --- Loading. */

static void one_line_shows_the_image(void) {
    start_display();
    GtkWidget *picture = gtk_picture_new();
    sdimage_gtk_picture_set_url(GTK_PICTURE(picture), "test:5", NULL);
    new_window(picture, 200, 200);
    UNTIL(shows(picture, 5));
}

static void an_image_in_memory_is_shown_in_the_call(void) {
    start_display();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *first = new_picture("test:5"),
              *second = new_picture(NULL);
    gtk_box_append(GTK_BOX(box), first);
    gtk_box_append(GTK_BOX(box), second);
    gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
    gtk_widget_set_hexpand(first, TRUE);
    new_window(box, 200, 100);
    UNTIL(has_state(first, SDIMAGE_STATE_READY));
    sdimage_picture_set_url(SDIMAGE_PICTURE(second), "test:5");
    CHECK(has_state(second, SDIMAGE_STATE_READY));
    CHECK_EQUAL(started_loads(), 1);
    CHECK(shows(second, 5));
}

static void images_are_decoded_at_the_size_of_the_widget(void) {
    start_display();
    GtkWidget *picture = gtk_picture_new(), *window = NULL;
    gtk_widget_set_size_request(picture, 100, 100);
    gtk_picture_set_can_shrink(GTK_PICTURE(picture), TRUE);
    sdimage_gtk_picture_set_url(GTK_PICTURE(picture), "test:6,1000", NULL);
    int scale = gtk_widget_get_scale_factor(picture);
    gtk_widget_set_halign(picture, GTK_ALIGN_START); /* the natural size is that of the file */
    gtk_widget_set_valign(picture, GTK_ALIGN_START);
    GtkWidget *fixed = gtk_fixed_new();
    gtk_fixed_put(GTK_FIXED(fixed), picture, 0, 0);
    g_object_set(picture, "overflow", GTK_OVERFLOW_HIDDEN, NULL);
    window = new_window(fixed, 400, 400);
    CHECK(window != NULL);
    UNTIL(decoded_width(picture) > 0);
    CHECK_EQUAL(decoded_width(picture), scale == 2 ? 208 : 112);
}

/* Shows a picture of 100 by 100 pixels in a window; returns the widget whose size request it has. */
static GtkWidget *show_in_frame(GtkWidget *picture) {
    GtkWidget *frame = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(frame), picture);
    gtk_widget_set_size_request(frame, 100, 100);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(frame), GTK_POLICY_EXTERNAL, GTK_POLICY_EXTERNAL);
    gtk_widget_set_halign(frame, GTK_ALIGN_START);
    gtk_widget_set_valign(frame, GTK_ALIGN_START);
    new_window(frame, 400, 400);
    return frame;
}

static void an_image_is_decoded_again_when_its_widget_grows(void) {
    start_display();
    GtkWidget *picture = new_picture("test:6,1000"), *frame = show_in_frame(picture);
    int scale = gtk_widget_get_scale_factor(picture);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK_EQUAL(decoded_width(picture), scale == 2 ? 208 : 112);
    gtk_widget_set_size_request(frame, 300, 300);
    UNTIL(decoded_width(picture) == (scale == 2 ? 640 : 320));
    CHECK(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(shows(picture, 6));
    gtk_widget_set_size_request(frame, 50, 50);
    run_frames(picture, 5);
    CHECK_EQUAL(decoded_width(picture), scale == 2 ? 640 : 320);
}

static void a_larger_image_replaces_the_shown_one_when_it_is_complete(void) {
    start_display();
    GtkWidget *picture = new_picture(NULL);
    g_object_set(picture, "progressive", TRUE, "url", "rows:6,1000", NULL);
    GtkWidget *frame = show_in_frame(picture);
    int scale = gtk_widget_get_scale_factor(picture);
    UNTIL(decoded_width(picture) > 0 && held_loads() == 1); /* a part of the first one is shown */
    open_loader();
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    gtk_widget_set_size_request(frame, 300, 300);
    UNTIL(held_loads() == 1);
    run_frames(picture, 20);
    CHECK_EQUAL(decoded_width(picture), scale == 2 ? 208 : 112);
    open_loader();
    UNTIL(decoded_width(picture) == (scale == 2 ? 640 : 320));
}

/* A square image in a widget of 200 by 50 pixels. */
static void check_cover(GtkWidget *picture) {
    new_window(picture, 200, 50);
    int scale = gtk_widget_get_scale_factor(picture);
    UNTIL(decoded_width(picture) > 0);
    CHECK_EQUAL(decoded_width(picture), scale == 2 ? 112 : 64);
    g_object_set(picture, "content-fit", GTK_CONTENT_FIT_COVER, NULL);
    UNTIL(decoded_width(picture) == (scale == 2 ? 416 : 208));
    int loads = started_loads();
    g_object_set(picture, "content-fit", GTK_CONTENT_FIT_CONTAIN, NULL);
    g_object_set(picture, "content-fit", GTK_CONTENT_FIT_FILL, NULL);
    run_frames(picture, 5);
    CHECK_EQUAL(started_loads(), loads);
}

static void an_image_that_has_to_cover_its_widget_is_decoded_again(void) {
    start_display();
    GtkWidget *picture = gtk_picture_new();
    sdimage_gtk_picture_set_url(GTK_PICTURE(picture), "test:6,1000", NULL);
    check_cover(picture);
    check_cover(new_picture("test:7,1000"));
}

static void reuse_never_shows_the_image_of_another_url(void) {
    start_display();
    GtkWidget *picture = new_picture("wait:1");
    new_window(picture, 100, 100);
    UNTIL(held_loads() == 1);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "test:2");
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    UNTIL(cancelled_loads() == 1);
    open_loader();
    run_frames(picture, 5);
    CHECK(shows(picture, 2));
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "wait:3");
    CHECK(!shows(picture, 2)); /* in the next frame, before anything has arrived */
}

static void failed(GObject *picture, GAsyncResult *result, gpointer user_data) {
    CHECK(GTK_IS_PICTURE(picture));
    sdimage_gtk_picture_set_url_finish(result, user_data);
}

static void errors_and_cancellation_are_reported(void) {
    start_display();
    GtkWidget *picture = gtk_picture_new();
    GCancellable *cancellable = g_cancellable_new();
    GError *errors[5] = {NULL};
    new_window(picture, 100, 100);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "fail:1", NULL, NULL, failed, &errors[0]);
    UNTIL(errors[0]);
    CHECK(g_error_matches(errors[0], SDIMAGE_GTK_ERROR, SDIMAGE_STATUS_CONNECT_FAILED));
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "wait:1", NULL, NULL, failed, &errors[1]);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "wait:2", NULL, cancellable, failed, &errors[2]);
    UNTIL(errors[1]);
    CHECK(g_error_matches(errors[1], G_IO_ERROR, G_IO_ERROR_CANCELLED));
    CHECK(!errors[2]);
    g_cancellable_cancel(cancellable);
    UNTIL(errors[2]);
    CHECK(g_error_matches(errors[2], G_IO_ERROR, G_IO_ERROR_CANCELLED));
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "wait:3", NULL, NULL, failed, &errors[3]);
    sdimage_gtk_picture_clear(GTK_PICTURE(picture));
    UNTIL(errors[3]);
    CHECK(!gtk_picture_get_paintable(GTK_PICTURE(picture)));
    GdkPaintable *other = solid_paintable(0);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "wait:4", NULL, NULL, failed, &errors[4]);
    gtk_picture_set_paintable(GTK_PICTURE(picture), other);
    UNTIL(errors[4]);
    CHECK(gtk_picture_get_paintable(GTK_PICTURE(picture)) == other);
}

static void succeeded(GObject *picture, GAsyncResult *result, gpointer user_data) {
    CHECK(GTK_IS_PICTURE(picture));
    *(int *)user_data = sdimage_gtk_picture_set_url_finish(result, NULL) ? 1 : -1;
}

static void a_request_and_options_are_used(void) {
    start_display();
    GtkWidget *picture = gtk_picture_new();
    int outcome = 0;
    sdimage_request *request = sdimage_request_new("test:9");
    sdimage_target_options *options = sdimage_target_options_new();
    sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_RGBA8);
    sdimage_target_options_set_blurhash(options, "LEHV6nWB2yk8pyo0adR*.7kCMdnj", SDIMAGE_NUL_TERMINATED, 8, 8);
    new_window(picture, 100, 100);
    sdimage_gtk_picture_set_url_full(GTK_PICTURE(picture), NULL, NULL, request, options, NULL, succeeded, &outcome);
    sdimage_image *hash = sdimage_paintable_ref_image(paintable_of(picture));
    CHECK_EQUAL(sdimage_image_width(hash), 8);
    UNTIL(outcome != 0);
    CHECK_EQUAL(outcome, 1);
    sdimage_image *image = sdimage_paintable_ref_image(paintable_of(picture));
    CHECK_EQUAL(sdimage_image_pixel_format(image), SDIMAGE_PIXEL_FORMAT_RGBA8);
    UNTIL(shows(picture, 9)); /* after the fade */
    sdimage_image_unref(image);
    sdimage_image_unref(hash);
    sdimage_target_options_unref(options);
    sdimage_request_unref(request);
}

static void a_picture_with_a_size_request_loads_without_a_window(void) {
    start_display();
    GtkWidget *picture = g_object_ref_sink(gtk_picture_new()), *other = g_object_ref_sink(gtk_picture_new());
    int outcome = 0, waiting = 0;
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(other), "test:2", NULL, NULL, succeeded, &waiting);
    gtk_widget_set_size_request(picture, 50, 50);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "test:1", NULL, NULL, succeeded, &outcome);
    UNTIL(outcome != 0);
    CHECK(outcome == 1 && waiting == 0 && decoded_width(picture) > 0);
    CHECK_EQUAL(started_loads(), 1);
    sdimage_gtk_picture_clear(GTK_PICTURE(other));
    UNTIL(waiting == -1);
    g_object_unref(picture);
    g_object_unref(other);
}

/* --- Placeholders, progress, errors. */

static void count_notification(GObject *object, GParamSpec *spec, gpointer count) {
    (void)object, (void)spec;
    ++*(int *)count;
}

static void a_picture_reports_progress_state_and_errors(void) {
    start_display();
    GtkWidget *picture = new_picture(NULL);
    GdkPaintable *placeholder = solid_paintable(0x123456), *failure = solid_paintable(0x654321);
    int states = 0, steps = 0;
    g_object_set(picture, "placeholder", placeholder, "error-paintable", failure, "alternative-text", "a dog", NULL);
    g_signal_connect(picture, "notify::state", G_CALLBACK(count_notification), &states);
    g_signal_connect(picture, "notify::progress", G_CALLBACK(count_notification), &steps);
    new_window(picture, 100, 100);
    CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) &&
          gtk_test_accessible_has_role(GTK_ACCESSIBLE(picture), GTK_ACCESSIBLE_ROLE_IMG));
    CHECK(!gtk_test_accessible_check_property(GTK_ACCESSIBLE(picture), GTK_ACCESSIBLE_PROPERTY_LABEL, "a dog"));
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "wait:1");
    UNTIL(sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) > 0.4 && held_loads() == 1);
    CHECK(sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) < 0.6 && steps > 0);
    CHECK(has_state(picture, SDIMAGE_STATE_LOADING) && is_near(color_at(picture, 0.5, 0.5), 0x123456));
    CHECK(!gtk_test_accessible_check_state(GTK_ACCESSIBLE(picture), GTK_ACCESSIBLE_STATE_BUSY, TRUE));
    open_loader();
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(shows(picture, 1) && states == 2 && sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) == 1);
    CHECK(!gtk_test_accessible_check_state(GTK_ACCESSIBLE(picture), GTK_ACCESSIBLE_STATE_BUSY, FALSE));
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "fail:1");
    UNTIL(has_state(picture, SDIMAGE_STATE_FAILED));
    CHECK(is_near(color_at(picture, 0.5, 0.5), 0x654321));
    CHECK_EQUAL(sdimage_picture_get_error(SDIMAGE_PICTURE(picture))->code, SDIMAGE_STATUS_CONNECT_FAILED);
    int loads = started_loads();
    sdimage_picture_retry(SDIMAGE_PICTURE(picture));
    CHECK(has_state(picture, SDIMAGE_STATE_LOADING) && !sdimage_picture_get_error(SDIMAGE_PICTURE(picture)));
    UNTIL(started_loads() == loads + 1 && has_state(picture, SDIMAGE_STATE_FAILED));
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), NULL);
    CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) && is_near(color_at(picture, 0.5, 0.5), 0x123456));
}

/* Requests cannot be compared. */
static void a_request_that_is_set_starts_the_load_again(void) {
    start_display();
    GtkWidget *picture = new_picture("test:1");
    sdimage_request *request = sdimage_request_new("");
    int requests = 0, states = 0;
    new_window(picture, 100, 100);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    g_signal_connect(picture, "notify::request", G_CALLBACK(count_notification), &requests);
    g_signal_connect(picture, "notify::state", G_CALLBACK(count_notification), &states);
    sdimage_picture_set_request(SDIMAGE_PICTURE(picture), NULL);
    CHECK(requests == 0 && states == 0); /* none is none */
    for (int count = 1; count <= 2; count++) {
        sdimage_picture_set_request(SDIMAGE_PICTURE(picture), request);
        UNTIL(has_state(picture, SDIMAGE_STATE_READY));
        CHECK(requests == count && states == 2 * count); /* loading, ready */
    }
    sdimage_picture_set_request(SDIMAGE_PICTURE(picture), NULL);
    CHECK_EQUAL(requests, 3);
    sdimage_request_unref(request);
}

static void an_image_fades_in_unless_animations_are_disabled(void) {
    start_display();
    GtkWidget *picture = sdimage_picture_new(NULL);
    g_object_set(picture, "transition", 60000, NULL);
    new_window(picture, 100, 100);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "test:3");
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(!shows(picture, 3)); /* for the first of many seconds */
    g_object_set(gtk_widget_get_settings(picture), "gtk-enable-animations", FALSE, NULL);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "test:4");
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(shows(picture, 4));
}

/* --- Animations. */

static bool is_animating(GtkWidget *picture) {
    return sdimage_paintable_is_animating(paintable_of(picture));
}

static void animations_play_while_they_are_visible(void) {
    start_display();
    GtkWidget *picture = new_picture("moving:0"), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *scroller = gtk_scrolled_window_new(), *space = gtk_label_new("");
    gtk_widget_set_size_request(picture, 100, 100);
    gtk_widget_set_size_request(space, 100, 1000);
    gtk_box_append(GTK_BOX(box), picture);
    gtk_box_append(GTK_BOX(box), space);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
    GtkWidget *window = new_window(scroller, 150, 150);
    for (int frame = 0; frame < 4; frame++)
        UNTIL(shows(picture, frame));
    UNTIL(shows(picture, 0)); /* it repeats */
    gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)), 500);
    UNTIL(!is_animating(picture));
    gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)), 0);
    UNTIL(is_animating(picture));
    gtk_widget_set_visible(window, FALSE);
    UNTIL(!is_animating(picture));
    gtk_widget_set_visible(window, TRUE);
    UNTIL(is_animating(picture));
    g_object_set(picture, "playing", FALSE, NULL);
    CHECK(!is_animating(picture));
    g_object_set(picture, "playing", TRUE, NULL);
    UNTIL(is_animating(picture));
    g_object_set(gtk_widget_get_settings(picture), "gtk-enable-animations", FALSE, NULL);
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "moving:10");
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(!is_animating(picture) && shows(picture, 10));
}

static void a_paintable_without_a_picture_plays_while_it_is_drawn(void) {
    start_display();
    GtkWidget *source = new_picture("moving:0"), *view = gtk_image_new();
    gtk_widget_set_size_request(source, 50, 50);
    GtkWidget *window = new_window(source, 100, 100);
    UNTIL(has_state(source, SDIMAGE_STATE_READY));
    sdimage_request *request = sdimage_request_new("moving:0");
    sdimage_result *result = NULL;
    sdimage_manager *manager = sdimage_gtk_get_manager(NULL);
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    SdimagePaintable *paintable = sdimage_paintable_new();
    sdimage_paintable_set_image(paintable, sdimage_result_image(result));
    gtk_image_set_from_paintable(GTK_IMAGE(view), GDK_PAINTABLE(paintable));
    gtk_image_set_pixel_size(GTK_IMAGE(view), 64);
    gtk_window_set_child(GTK_WINDOW(window), view);
    for (int frame = 0; frame < 4; frame++)
        UNTIL(shows(view, frame));
    gtk_window_set_child(GTK_WINDOW(window), gtk_label_new("nothing"));
    UNTIL(!sdimage_paintable_is_animating(paintable));
    gtk_image_set_from_paintable(GTK_IMAGE(view = gtk_image_new()), GDK_PAINTABLE(paintable));
    gtk_window_set_child(GTK_WINDOW(window), view);
    UNTIL(sdimage_paintable_is_animating(paintable));
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    g_object_unref(paintable);
}

/* --- Life of a widget. */

static bool is_busy(GtkWidget *picture) {
    return !gtk_test_accessible_check_state(GTK_ACCESSIBLE(picture), GTK_ACCESSIBLE_STATE_BUSY, TRUE);
}

static void a_picture_without_a_window_releases_its_image(void) {
    start_display();
    GtkWidget *picture = new_picture("test:1"), *window = new_window(picture, 100, 100);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    g_object_ref(picture);
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    CHECK_EQUAL(decoded_width(picture), 0);
    CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) && sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) == 0);
    gtk_window_set_child(GTK_WINDOW(window), picture);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(decoded_width(picture) > 0);
    CHECK_EQUAL(started_loads(), 1); /* again from memory */
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "wait:1");
    UNTIL(held_loads() == 1 && sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) > 0);
    CHECK(is_busy(picture));
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) && !is_busy(picture));
    UNTIL(cancelled_loads() == 1);
    open_loader();
    gtk_window_set_child(GTK_WINDOW(window), picture);
    CHECK(has_state(picture, SDIMAGE_STATE_LOADING) && is_busy(picture));
    UNTIL(held_loads() == 1);
    open_loader();
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    sdimage_picture_set_url(SDIMAGE_PICTURE(picture), "fail:1");
    UNTIL(has_state(picture, SDIMAGE_STATE_FAILED));
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) && !sdimage_picture_get_error(SDIMAGE_PICTURE(picture)));
    gtk_window_set_child(GTK_WINDOW(window), picture);
    UNTIL(has_state(picture, SDIMAGE_STATE_FAILED));
    g_object_unref(picture);
}

/* The notifications of a picture that is removed, and the URL that it gets in the first one. */
typedef struct Removal {
    int notifications;
    const char *next;
} Removal;

/* Both properties have their values in the notification of either. */
static void on_removed(GtkWidget *picture, GParamSpec *spec, gpointer user_data) {
    (void)spec;
    Removal *removal = user_data;
    if (!has_state(picture, SDIMAGE_STATE_LOADING))
        CHECK(has_state(picture, SDIMAGE_STATE_EMPTY) && sdimage_picture_get_progress(SDIMAGE_PICTURE(picture)) == 0);
    removal->notifications++;
    if (removal->next)
        sdimage_picture_set_url(SDIMAGE_PICTURE(picture), g_steal_pointer(&removal->next));
}

static void load_another(GObject *picture, GAsyncResult *result, gpointer user_data) {
    gtk_widget_set_size_request(GTK_WIDGET(picture), 50, 50);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "test:2", NULL, NULL, succeeded, user_data);
    CHECK(!sdimage_gtk_picture_set_url_finish(result, NULL));
}

static gboolean remove_child(gpointer window) {
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    return G_SOURCE_REMOVE;
}

static void a_load_that_begins_when_its_picture_is_removed_goes_on(void) {
    start_display();
    GtkWidget *picture = new_picture("test:1"), *window = new_window(picture, 100, 100);
    Removal removal = {0, NULL};
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    g_object_ref(picture);
    gulong state = g_signal_connect(picture, "notify::state", G_CALLBACK(on_removed), &removal);
    gulong progress = g_signal_connect(picture, "notify::progress", G_CALLBACK(on_removed), &removal);
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    CHECK_EQUAL(removal.notifications, 2);
    g_signal_handler_block(picture, state);
    g_signal_handler_block(picture, progress);
    gtk_window_set_child(GTK_WINDOW(window), picture);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    g_signal_handler_unblock(picture, state);
    removal.next = "test:2";
    gtk_window_set_child(GTK_WINDOW(window), NULL);
    CHECK(!removal.next && has_state(picture, SDIMAGE_STATE_LOADING));
    g_signal_handler_block(picture, state);
    gtk_window_set_child(GTK_WINDOW(window), picture);
    UNTIL(has_state(picture, SDIMAGE_STATE_READY));
    CHECK(shows(picture, 2));
    g_object_unref(picture);
}

/* The callback of one load starts the next while the picture is removed: GTask calls it at once in a source of the
 * loop. */
static void check_cancellation(bool is_started) {
    GtkWidget *picture = g_object_ref_sink(gtk_picture_new()), *window = gtk_window_new();
    int outcome = 0;
    if (is_started)
        gtk_widget_set_size_request(picture, 50, 50);
    gtk_window_set_child(GTK_WINDOW(window), picture);
    sdimage_gtk_picture_set_url_async(GTK_PICTURE(picture), "wait:1", NULL, NULL, load_another, &outcome);
    UNTIL(held_loads() == is_started);
    g_idle_add(remove_child, window);
    UNTIL(outcome != 0);
    CHECK_EQUAL(outcome, 1);
    CHECK(decoded_width(picture) > 0);
    gtk_window_destroy(GTK_WINDOW(window));
    g_object_unref(picture);
}

static void a_load_that_begins_when_another_is_cancelled_goes_on(void) {
    start_display();
    check_cancellation(false);
    check_cancellation(true);
    open_loader();
}

/* --- Parts. */

static void check_texture(sdimage_pixel_format format) {
    static const uint8_t pixels[] = {10, 20, 30, 255, 40, 50, 60, 255};
    sdimage_image *image = NULL, *converted = NULL;
    CHECK_EQUAL(sdimage_image_new(2, 1, 8, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_convert(image, format, &converted, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    GdkTexture *texture = sdimage_gtk_texture(converted);
    guint32 result[2] = {0};
    gdk_texture_download(texture, (guchar *)result, 8);
    bool is_gray = format == SDIMAGE_PIXEL_FORMAT_GRAY8 || format == SDIMAGE_PIXEL_FORMAT_GRAY16;
    CHECK(is_gray ? (result[1] & 255) == (result[1] >> 8 & 255)
                  : is_near(result[0], 0x0a141e) && is_near(result[1], 0x28323c));
    sdimage_image_unref(converted);
    gdk_texture_download(texture, (guchar *)result, 8); /* it owns the pixels */
    g_object_unref(texture);
}

static void textures_have_the_pixels_of_every_format(void) {
    start_display();
    for (int format = SDIMAGE_PIXEL_FORMAT_GRAY8; format <= SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT; format++)
        check_texture((sdimage_pixel_format)format);
    CHECK(!sdimage_gtk_texture(NULL));
}

/* GDK has no color state for linear light before 4.16: 16 bits of sRGB, tone-mapped. */
static void an_hdr_image_becomes_a_texture_of_16_bits(void) {
    start_display();
    sdimage_image *image = NULL, *mapped = NULL, *saved = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_dynamic_range(options, SDIMAGE_DYNAMIC_RANGE_HDR);
    CHECK_EQUAL(sdimage_decode_file("Tests/fixtures/hdr/sunset.jpg", options, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK(sdimage_image_is_hdr(image));
    CHECK_EQUAL(sdimage_image_convert(image, SDIMAGE_PIXEL_FORMAT_RGBA16, &mapped, NULL), SDIMAGE_STATUS_OK);
    GdkTexture *texture = sdimage_gtk_texture(image);
    GBytes *png = gdk_texture_save_to_png_bytes(texture);
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_RGBA16);
    sdimage_decode_options_set_dynamic_range(options, SDIMAGE_DYNAMIC_RANGE_SDR);
    CHECK_EQUAL(sdimage_decode(g_bytes_get_data(png, NULL), g_bytes_get_size(png), options, &saved, NULL),
                SDIMAGE_STATUS_OK);
    const uint16_t *samples = sdimage_image_pixels(saved), *expected = sdimage_image_pixels(mapped);
    size_t count = (size_t)sdimage_image_width(image) * sdimage_image_height(image) * 4, fine = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(samples[i], expected[i]);
        fine += samples[i] % 257 != 0; /* no value of 8 bits */
    }
    CHECK(fine > count / 4);
    g_bytes_unref(png);
    g_object_unref(texture);
    sdimage_image_unref(saved);
    sdimage_image_unref(mapped);
    sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
}

static void a_texture_copies_no_pixels(void) {
    start_display();
    uint8_t *pixels = g_malloc0((gsize)2000 * 2000 * 4);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_image_new(2000, 2000, 8000, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, pixels, &image, NULL),
                SDIMAGE_STATUS_OK);
    g_free(pixels);
    long before = live_pixel_bytes();
    GdkTexture *texture = sdimage_gtk_texture(image);
    CHECK_EQUAL(live_pixel_bytes(), before);
    sdimage_image_unref(image);
    CHECK_EQUAL(live_pixel_bytes(), before);
    g_object_unref(texture);
    CHECK(live_pixel_bytes() < before);
}

static void on_thread(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    CHECK(sdimage_result_image(result) != NULL);
    *(GThread **)user_data = g_thread_self();
}

static gpointer run_thread(gpointer data) {
    GMainContext *context = g_main_context_new();
    GThread *thread = NULL;
    (void)data;
    sdimage_loader *loader = NULL;
    sdimage_manager *main_manager = sdimage_gtk_get_manager(NULL), *manager;
    sdimage_manager_get_loader(main_manager, &loader);
    sdimage_dispatcher *dispatcher = sdimage_gtk_dispatcher_new(context, NULL);
    sdimage_gtk_set_manager(context, manager = new_manager(dispatcher, loader, true));
    sdimage_dispatcher_unref(dispatcher);
    sdimage_loader_unref(loader);
    sdimage_manager_unref(main_manager);
    sdimage_manager_unref(manager);
    manager = sdimage_gtk_get_manager(context);
    sdimage_request *request = sdimage_request_new("test:1");
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_thread};
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, &thread, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    while (!thread)
        g_main_context_iteration(context, TRUE);
    CHECK(thread == g_thread_self());
    thread = NULL;
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, &thread, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    CHECK(thread == g_thread_self()); /* in the call, from memory */
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_gtk_set_manager(context, NULL);
    g_main_context_unref(context);
    return NULL;
}

static void every_main_context_has_a_manager(void) {
    start_display();
    g_thread_join(g_thread_new("context", run_thread, NULL));
}

int main(void) {
    static const test tests[] = {
        TEST(one_line_shows_the_image),
        TEST(an_image_in_memory_is_shown_in_the_call),
        TEST(images_are_decoded_at_the_size_of_the_widget),
        TEST(an_image_is_decoded_again_when_its_widget_grows),
        TEST(a_larger_image_replaces_the_shown_one_when_it_is_complete),
        TEST(an_image_that_has_to_cover_its_widget_is_decoded_again),
        TEST(reuse_never_shows_the_image_of_another_url),
        TEST(errors_and_cancellation_are_reported),
        TEST(a_request_and_options_are_used),
        TEST(a_picture_with_a_size_request_loads_without_a_window),
        TEST(a_picture_reports_progress_state_and_errors),
        TEST(a_request_that_is_set_starts_the_load_again),
        TEST(an_image_fades_in_unless_animations_are_disabled),
        TEST(animations_play_while_they_are_visible),
        TEST(a_paintable_without_a_picture_plays_while_it_is_drawn),
        TEST(a_picture_without_a_window_releases_its_image),
        TEST(a_load_that_begins_when_its_picture_is_removed_goes_on),
        TEST(a_load_that_begins_when_another_is_cancelled_goes_on),
        TEST(textures_have_the_pixels_of_every_format),
        TEST(an_hdr_image_becomes_a_texture_of_16_bits),
        TEST(a_texture_copies_no_pixels),
        TEST(every_main_context_has_a_manager),
    };
    return run_tests(tests, G_N_ELEMENTS(tests));
}
