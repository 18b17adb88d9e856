/* custom_coder.c: a coder for farbfeld, a format without built-in support: "farbfeld", width, height, then rows of
 * RGBA with 16 bits a sample, all big-endian (https://tools.suckless.org/farbfeld).
 *
 *   custom_coder PICTURE.ff [SIDE]
 *
 * The library scales to SIDE; the coder always decodes at full size.
 *
 * cc custom_coder.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>
#include <sdimage/sys.h>

enum { HEADER = 16, PIXEL = 8 };

static bool is_farbfeld(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length >= HEADER && !memcmp(bytes, "farbfeld", 8);
}

static uint32_t big_endian(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static sdimage_status fail(sdimage_status status, const char *message, sdimage_error **error) {
    if (error)
        *error = sdimage_error_new(status, message);
    return status;
}

/* A request may select this coder by name, which skips detection: check the header again. */
static sdimage_status info(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error) {
    const uint8_t *from = bytes;
    if (!is_farbfeld(user_data, bytes, length))
        return fail(SDIMAGE_STATUS_NOT_AN_IMAGE, "farbfeld: no header", error);
    sdimage_metadata_set_source_size(metadata, big_endian(from + 8), big_endian(from + 12));
    sdimage_metadata_set_has_alpha(metadata, true);
    sdimage_metadata_set_bits_per_channel(metadata, 16);
    return SDIMAGE_STATUS_OK;
}

static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    const uint8_t *from = bytes;
    if (!is_farbfeld(user_data, bytes, length))
        return fail(SDIMAGE_STATUS_NOT_AN_IMAGE, "farbfeld: no header", error);
    uint32_t width = big_endian(from + 8), height = big_endian(from + 12);
    if (!width || !height)
        return fail(SDIMAGE_STATUS_BAD_DATA, "farbfeld: no pixels", error);
    if ((uint64_t)width * height > sdimage_decode_options_max_pixels(options))
        return fail(SDIMAGE_STATUS_TOO_LARGE, "farbfeld: more pixels than allowed", error);
    if ((length - HEADER) / PIXEL < (uint64_t)width * height)
        return fail(SDIMAGE_STATUS_TRUNCATED, "farbfeld: pixels are missing", error);

    void *pixels = NULL;
    size_t stride = 0;
    sdimage_status status =
        sdimage_image_new_uninitialized(width, height, SDIMAGE_PIXEL_FORMAT_RGBA16, image, &pixels, &stride, error);
    if (status < 0)
        return status;
    from += HEADER;
    for (uint32_t y = 0; y < height; y++) {
        uint16_t *row = (uint16_t *)((char *)pixels + y * stride);
        for (size_t i = 0; i < (size_t)width * 4; i++, from += 2)
            row[i] = (uint16_t)(from[0] << 8 | from[1]);
    }
    return SDIMAGE_STATUS_OK;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fprintf(stderr, "usage: custom_coder PICTURE.ff [SIDE]\n"), 2;
    sdimage_coder_vtable table = {.size = sizeof table, .can_decode = is_farbfeld, .decode = decode, .info = info};
    sdimage_coder *coder = NULL;
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    uint32_t side = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, side, side, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_status status = sdimage_coder_new_custom("farbfeld", &table, NULL, NULL, &coder, &error);
    if (status >= 0)
        status = sdimage_coder_register(coder, &error);
    if (status >= 0) /* from now on every decode and load of this process supports the format */
        status = sdimage_decode_file(argv[1], options, &image, &error);
    if (status >= 0)
        printf("%ux%u %s\n", sdimage_image_width(image), sdimage_image_height(image),
               sdimage_pixel_format_name(sdimage_image_pixel_format(image)));
    else
        fprintf(stderr, "custom_coder: %s\n", sdimage_error_message(error));
    sdimage_error_unref(error);
    sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
    sdimage_coder_unref(coder);
    return status < 0;
}
