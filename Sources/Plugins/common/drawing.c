#include "drawing.h"

#include <math.h>
#include <string.h>

/* The longest side that cairo draws. */
enum { LONGEST = 32767 };

uint32_t sdplug_side(double length) {
    double side = length > 0 && length < UINT32_MAX ? round(length) : length > 0 ? UINT32_MAX : 0;
    return side < 1 ? 1 : (uint32_t)side;
}

static sdimage_status check_size(const sdmod_wish *wish, sdimage_size size, sdimage_error **error) {
    uint64_t pixels = (uint64_t)size.width * size.height;
    if (size.width > LONGEST || size.height > LONGEST || pixels > wish->max_pixels)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "more pixels than max_pixels allows");
    if (pixels > wish->max_bytes / 4)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "a bitmap of more bytes than max_bytes allows");
    return SDIMAGE_STATUS_OK;
}

/* cairo's pixels are words of alpha, red, green and blue. */
static void order_bytes(uint8_t *pixels, size_t stride, sdimage_size size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (uint32_t y = 0; y < size.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(pixels + y * stride);
        for (uint32_t x = 0; x < size.width; x++)
            row[x] = __builtin_bswap32(row[x]);
    }
#else
    (void)pixels, (void)stride, (void)size;
#endif
}

static bool draw_into(sdimage_size size, double width, double height, void *pixels, size_t stride, sdplug_draw_fn draw,
                      void *context) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, (int)size.width,
                                                                   (int)size.height, (int)stride);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, size.width / width, size.height / height);
    bool drawn = cairo_status(cairo) == CAIRO_STATUS_SUCCESS && draw(context, cairo) &&
                 cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

/* Straight, unless cairo's own kind was asked for. */
static sdimage_status finish(const sdmod_wish *wish, sdimage_image *drawn, sdimage_image **image,
                             sdimage_error **error) {
    bool keeps = wish->format == SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED ||
                 wish->format == SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED;
    if (!keeps)
        return sdimage_image_convert(drawn, SDIMAGE_PIXEL_FORMAT_RGBA8, image, error);
    *image = sdimage_image_ref(drawn);
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdplug_draw(const sdmod_wish *wish, sdimage_size size, double width, double height, sdplug_draw_fn draw,
                           void *context, sdimage_image **image, sdimage_error **error) {
    sdimage_image *drawn = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    if (!size.width || !size.height)
        size = (sdimage_size){sdplug_side(width), sdplug_side(height)};
    sdimage_status status = check_size(wish, size, error);
    if (status >= 0)
        status = sdimage_image_new_uninitialized(size.width, size.height, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED,
                                                 &drawn, &pixels, &stride, error);
    if (status < 0)
        return status;
    memset(pixels, 0, stride * size.height);
    if (draw_into(size, width, height, pixels, stride, draw, context)) {
        order_bytes(pixels, stride, size);
        status = finish(wish, drawn, image, error);
    } else {
        status = sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "a picture that could not be drawn to its end");
    }
    sdimage_image_unref(drawn);
    return status;
}

sdmod_facts sdplug_drawing_facts(sdimage_format format, double width, double height) {
    sdmod_facts facts = {.format = format, .orientation = SDIMAGE_ORIENTATION_UP, .has_alpha = true};
    facts.width = sdplug_side(width), facts.height = sdplug_side(height);
    facts.chroma = 8, facts.bits = 8, facts.frame_count = 1;
    facts.color.primaries = facts.transfer = 2;
    return facts;
}
