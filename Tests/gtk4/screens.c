/* screens.c: the pixels of a window with pictures in every state, in the theme and at the scale of the environment. No
 * text is drawn, so that they do not depend on fonts. */
#include "display.h"

enum { SIDE = 100, GAP = 10, PICTURES = 5 };

static GdkPaintable *solid_paintable(guint color) {
    guint32 pixel = color | 0xff000000u;
    GBytes *bytes = g_bytes_new(&pixel, 4);
    GdkTexture *texture = gdk_memory_texture_new(1, 1, GDK_MEMORY_DEFAULT, bytes, 4);
    g_bytes_unref(bytes);
    return GDK_PAINTABLE(texture);
}

static guint color_in_cell(GtkWidget *window, int index, double x, double y) {
    double width = gtk_widget_get_width(window), height = gtk_widget_get_height(window);
    return color_at(window, (GAP + index * (SIDE + GAP) + x * SIDE) / (width - 1), (GAP + y * SIDE) / (height - 1));
}

static void a_window_has_the_expected_pixels(void) {
    start_display();
    static const char *const urls[PICTURES] = {"test:5,400", "wait:6", "fail:7", "wait:8", "moving:9"};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, GAP), *pictures[PICTURES];
    GdkPaintable *placeholder = solid_paintable(0x123456), *failure = solid_paintable(0xab1020);
    for (int i = 0; i < PICTURES; i++) {
        pictures[i] = g_object_new(SDIMAGE_TYPE_PICTURE, "url", urls[i], "transition", 0, "width-request", SIDE,
                                   "height-request", SIDE, "placeholder", placeholder, "error-paintable", failure,
                                   "blurhash", i == 3 ? "00FAzb" : NULL, "valign", GTK_ALIGN_START, NULL);
        gtk_box_append(GTK_BOX(box), pictures[i]);
    }
    gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
    g_object_set(box, "margin-start", GAP, "margin-top", GAP, "margin-bottom", GAP, "margin-end", GAP, NULL);
    GtkWidget *window = new_window(box, GAP + PICTURES * (SIDE + GAP), SIDE + 2 * GAP);
    int scale = gtk_widget_get_scale_factor(window);
    UNTIL(sdimage_picture_get_state(SDIMAGE_PICTURE(pictures[0])) == SDIMAGE_STATE_READY &&
          sdimage_picture_get_state(SDIMAGE_PICTURE(pictures[2])) == SDIMAGE_STATE_FAILED &&
          sdimage_picture_get_state(SDIMAGE_PICTURE(pictures[4])) == SDIMAGE_STATE_READY && held_loads() == 2);
    CHECK_EQUAL(scale, getenv("GDK_SCALE") ? atoi(getenv("GDK_SCALE")) : 1);
    bool is_dark = strstr(getenv("GTK_THEME") ? getenv("GTK_THEME") : "", "dark") != NULL;
    keep_screenshot(window, is_dark ? "dark" : scale == 2 ? "scale2" : "light");
    guint ground = color_at(window, 0.001, 0.001) & 255;
    CHECK(is_dark ? ground < 100 : ground > 180);
    /* The corners of each picture, and its middle; between the pictures, the window. */
    const guint expected[PICTURES - 1] = {color_of(5), 0x123456, 0xab1020, 0};
    for (int i = 0; i < PICTURES - 2; i++) {
        CHECK(is_near(color_in_cell(window, i, 0.02, 0.02), expected[i]));
        CHECK(is_near(color_in_cell(window, i, 0.5, 0.5), expected[i]));
        CHECK(is_near(color_in_cell(window, i, 0.98, 0.98), expected[i]));
        CHECK(is_near(color_in_cell(window, i, 1.05, 0.5), color_in_cell(window, i, 0.5, 1.05)));
        CHECK(!is_near(color_in_cell(window, i, 1.05, 0.5), expected[i]));
    }
    guint hash = color_in_cell(window, 3, 0.5, 0.5);
    CHECK(!is_near(hash, 0x123456) && is_near(hash, color_in_cell(window, 3, 0.1, 0.9)));
    guint frame = color_in_cell(window, 4, 0.5, 0.5);
    CHECK(is_near(frame, color_of(9)) || is_near(frame, color_of(10)) || is_near(frame, color_of(11)) ||
          is_near(frame, color_of(12)));
    sdimage_image *image = sdimage_paintable_ref_image(sdimage_picture_get_paintable(SDIMAGE_PICTURE(pictures[0])));
    CHECK_EQUAL(sdimage_image_width(image), scale == 2 ? 208 : 112);
    sdimage_image_unref(image);
}

int main(void) {
    static const test tests[] = {TEST(a_window_has_the_expected_pixels)};
    return run_tests(tests, 1);
}
