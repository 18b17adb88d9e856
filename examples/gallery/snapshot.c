/* snapshot.c: draws the gallery with GTK. A decoded image becomes a texture without a copy. */
#include "snapshot.h"

enum { RADIUS = 10 };

static const GdkRGBA BACKGROUND = {0.08f, 0.086f, 0.106f, 1}, TILE = {0.14f, 0.153f, 0.184f, 1},
                     DIM = {0.55f, 0.58f, 0.643f, 1}, ACCENT = {0.369f, 0.659f, 1, 1}, SHADE = {0, 0, 0, 0.59f},
                     WHITE = {1, 1, 1, 1}, FAULT = {0.25f, 0.133f, 0.157f, 1}, FAULT_TEXT = {1, 0.588f, 0.588f, 1};

static void fill(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double width, double height) {
    graphene_rect_t place = GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height);
    gtk_snapshot_append_color(snapshot, color, &place);
}

/* Draws a text with its upper left corner at a point, optionally on a shade, or centred in a square. */
static void draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, const GdkRGBA *color, double x,
                      double y, double side, const GdkRGBA *shade) {
    PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
    int width = 0, height = 0;
    pango_layout_get_pixel_size(layout, &width, &height);
    if (side > 0) {
        x += (side - width) / 2;
        y += (side - height) / 2;
    }
    if (shade)
        fill(snapshot, shade, x - 4, y, width + 8, height);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_append_layout(snapshot, layout, color);
    gtk_snapshot_restore(snapshot);
    g_object_unref(layout);
}

static void free_image(gpointer image) {
    sdimage_image_unref(image);
}

/* The texture uses the image's own memory and holds a reference to it. */
static GdkTexture *texture_of(wall_picture *picture) {
    if (picture->is_stale)
        g_clear_object((GdkTexture **)&picture->drawn);
    picture->is_stale = false;
    sdimage_image *image = picture->image;
    if (picture->drawn || !image)
        return picture->drawn;
    gsize stride = sdimage_image_stride(image), length = stride * sdimage_image_height(image);
    GBytes *bytes =
        g_bytes_new_with_free_func(sdimage_image_pixels(image), length, free_image, sdimage_image_ref(image));
    picture->drawn = gdk_memory_texture_new((int)sdimage_image_width(image), (int)sdimage_image_height(image),
                                            GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, stride);
    g_bytes_unref(bytes);
    return picture->drawn;
}

static void draw_picture(GtkSnapshot *snapshot, wall_picture *picture, double alpha, double x, double y, double side) {
    GdkTexture *texture = texture_of(picture);
    if (!texture)
        return;
    /* The cell's clip cuts off everything outside the square. */
    sdimage_rect crop = cell_crop(picture->image);
    double scale = side / crop.width;
    graphene_rect_t place = GRAPHENE_RECT_INIT((float)(x - crop.x * scale), (float)(y - crop.y * scale),
                                               (float)(gdk_texture_get_width(texture) * scale),
                                               (float)(gdk_texture_get_height(texture) * scale));
    if (alpha < 1)
        gtk_snapshot_push_opacity(snapshot, alpha);
    gtk_snapshot_append_texture(snapshot, texture, &place);
    if (alpha < 1)
        gtk_snapshot_pop(snapshot);
}

static void draw_cell(GtkWidget *widget, GtkSnapshot *snapshot, wall_cell *cell, double x, double y) {
    double side = cell->wall->side, edge = side / 12, bar = side / 30 + 1;
    GskRoundedRect outline;
    gsk_rounded_rect_init_from_rect(&outline, &GRAPHENE_RECT_INIT((float)x, (float)y, (float)side, (float)side),
                                    RADIUS);
    gtk_snapshot_push_rounded_clip(snapshot, &outline);
    fill(snapshot, cell->state == WALL_FAILED ? &FAULT : &TILE, x, y, side, side);
    if (cell->state == WALL_FAILED) {
        draw_text(widget, snapshot, sdimage_status_name(cell->error), &FAULT_TEXT, x, y, side, NULL);
    } else {
        draw_picture(snapshot, &cell->before, 1, x, y, side);
        draw_picture(snapshot, &cell->now, cell_fade(cell), x, y, side);
    }
    if (cell->state == WALL_LOADING && cell->progress >= 0) {
        double top = y + side - edge - bar;
        fill(snapshot, &SHADE, x + edge, top, side - 2 * edge, bar);
        fill(snapshot, &ACCENT, x + edge, top, (side - 2 * edge) * cell->progress, bar);
    }
    if (cell->badge[0])
        draw_text(widget, snapshot, cell->badge, &WHITE, x + 12, y + 7, 0, &SHADE);
    gtk_snapshot_pop(snapshot);
}

void snapshot_wall(GtkWidget *widget, GtkSnapshot *snapshot, const wall *wall, int line_height) {
    double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    char text[128];
    fill(snapshot, &BACKGROUND, 0, 0, width, height);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)wall->height));
    for (size_t i = 0; i < wall->cell_count; i++) {
        int64_t x, y;
        if (wall_place(wall, wall->cells[i], &x, &y))
            draw_cell(widget, snapshot, wall->cells[i], (double)x, (double)y);
    }
    gtk_snapshot_pop(snapshot);
    wall_describe(wall, text, sizeof text);
    draw_text(widget, snapshot, text, &DIM, WALL_GAP, height - line_height + 4, 0, NULL);
}

void snapshot_end(const wall *wall) {
    for (size_t i = 0; i < wall->cell_count; i++) {
        g_clear_object((GdkTexture **)&wall->cells[i]->now.drawn);
        g_clear_object((GdkTexture **)&wall->cells[i]->before.drawn);
    }
}
