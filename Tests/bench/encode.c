#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* Encodes raw RGBA to a file in memory. */

static sdimage_image *picture;
static sdimage_format format;
static sdimage_encode_options *options;

static long run_encode(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_data *data = NULL;
        sdimage_error *error = NULL;
        if (sdimage_encode(picture, format, options, &data, &error) < 0)
            fail("encode", error);
        touched += *(const uint8_t *)sdimage_data_bytes(data);
        sdimage_data_unref(data);
    }
    return count;
}

static void choose_options(void) {
    options = sdimage_encode_options_new();
    sdimage_encode_options_set_quality(options, (double)number_of("q", 85) / 100);
    sdimage_encode_options_set_restart_markers(options, number_of("restart", 0) != 0);
    sdimage_encode_options_set_lossless(options, number_of("lossless", 0) != 0);
    if (number_of("level", 0) > 0)
        sdimage_encode_options_set_effort(options, (uint32_t)number_of("level", 0));
    if (number_of("method", -1) >= 0)
        sdimage_encode_options_set_webp(options, SDIMAGE_WEBP_PARAMETER_METHOD, (double)number_of("method", 4));
}

/* Marks the image opaque, because the libraries compared treat photographs as opaque without scanning alpha. */
static void tell_opaque(void) {
    sdimage_metadata *metadata = NULL;
    sdimage_image *opaque = NULL;
    sdimage_error *error = NULL;
    if (sdimage_image_copy_metadata(picture, &metadata, &error) < 0)
        fail("metadata", error);
    sdimage_metadata_set_has_alpha(metadata, false);
    if (sdimage_image_with_metadata(picture, metadata, &opaque, &error) < 0)
        fail("metadata", error);
    sdimage_metadata_unref(metadata);
    sdimage_image_unref(picture);
    picture = opaque;
}

int serve_encode(void) {
    size_t length;
    uint32_t width = (uint32_t)number_of("w", 0), height = (uint32_t)number_of("h", 0);
    sdimage_error *error = NULL;
    char name[32] = "x.";
    strncat(name, text_of("fmt", ""), sizeof name - 3);
    format = sdimage_format_of_name(name);
    if (!sdimage_can_encode(format))
        skip("no such format");
    void *pixels = read_file(text_of("file", ""), &length);
    if (length != (size_t)width * height * 4)
        skip("file of another size");
    if (sdimage_image_new(width, height, (size_t)width * 4, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &picture, &error) < 0)
        fail("image", error);
    free(pixels);
    if (!number_of("alpha", 0))
        tell_opaque();
    choose_options();
    if (number_of("workers", 1))
        hold_workers();
    return serve(run_encode);
}
