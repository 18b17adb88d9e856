#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* One operation on raw pixels, into a new image. */

typedef sdimage_status (*pixel_operation)(const sdimage_image *image, sdimage_image **result, sdimage_error **error);

static sdimage_image *picture;
static sdimage_transformer *transformer;
static pixel_operation operation;

static sdimage_status by_transformer(const sdimage_image *image, sdimage_image **result, sdimage_error **error) {
    return sdimage_image_transform(image, transformer, result, error);
}

static sdimage_status premultiply(const sdimage_image *image, sdimage_image **result, sdimage_error **error) {
    return sdimage_image_convert(image, SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED, result, error);
}

static long run_pixels(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *result = NULL;
        sdimage_error *error = NULL;
        if (operation(picture, &result, &error) < 0)
            fail("pixels", error);
        touched += *(const uint8_t *)sdimage_image_pixels(result);
        sdimage_image_unref(result);
    }
    return count;
}

static sdimage_status make_transformer(const char *kind, sdimage_error **error) {
    if (!strcmp(kind, "resize")) {
        bool is_area = !strcmp(text_of("filter", "lanczos"), "area");
        return sdimage_transformer_new_resample(
            (double)number_of("dw", 300), (double)number_of("dh", 225), SDIMAGE_SCALE_MODE_FILL,
            is_area ? SDIMAGE_RESAMPLING_AREA : SDIMAGE_RESAMPLING_LANCZOS, false, &transformer, error);
    }
    if (!strcmp(kind, "blur"))
        return sdimage_transformer_new_blur((double)number_of("sigma", 10), &transformer, error);
    if (!strcmp(kind, "rotate90"))
        return sdimage_transformer_new_rotate(-1.5707963267948966, true, &transformer, error);
    if (!strcmp(kind, "flip"))
        return sdimage_transformer_new_flip(true, false, &transformer, error);
    skip("no such kind");
}

int serve_pixels(const char *kind) {
    size_t length;
    uint32_t width = (uint32_t)number_of("w", 0), height = (uint32_t)number_of("h", 0);
    bool is_conversion = !strcmp(kind, "premultiply");
    /* The libraries compared that respect alpha receive premultiplied pixels, too. */
    sdimage_pixel_format format = is_conversion ? SDIMAGE_PIXEL_FORMAT_RGBA8 : SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED;
    sdimage_error *error = NULL;
    operation = is_conversion ? premultiply : by_transformer;
    if (!is_conversion && make_transformer(kind, &error) < 0)
        fail(kind, error);
    void *pixels = read_file(text_of("file", ""), &length);
    if (length != (size_t)width * height * 4)
        skip("file of another size");
    if (sdimage_image_new(width, height, (size_t)width * 4, format, pixels, &picture, &error) < 0)
        fail("image", error);
    free(pixels);
    if (number_of("workers", 1))
        hold_workers();
    return serve(run_pixels);
}
