#include "worker.h"

/* Decoding of images or of thumbnails. */

static void *encoded;
static size_t encoded_length;
static sdimage_decode_options *decode_options;

static long run_decode(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *image = NULL;
        sdimage_error *error = NULL;
        if (sdimage_decode(encoded, encoded_length, decode_options, &image, &error) < 0)
            fail("decode", error);
        touched += *(const uint8_t *)sdimage_image_pixels(image);
        sdimage_image_unref(image);
    }
    return count;
}

int serve_decode(uint32_t box) {
    if (number_of("workers", 1))
        hold_workers();
    encoded = read_file(text_of("file", ""), &encoded_length);
    decode_options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(decode_options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    sdimage_decode_options_set_thumbnail_size(decode_options, box, box, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    return serve(run_decode);
}

/* Decoding of animations. */

static sdimage_image *animation;

static void open_animation(void) {
    sdimage_error *error = NULL;
    if (sdimage_decode(encoded, encoded_length, decode_options, &animation, &error) < 0)
        fail("decode", error);
}

/* Like a display, holds the frame shown until the next one is ready. */
static sdimage_image *on_show;
static bool shows;

static void show_frame(uint32_t index) {
    sdimage_image *frame = NULL;
    sdimage_error *error = NULL;
    if (sdimage_image_get_frame(animation, index, &frame, &error) < 0)
        fail("frame", error);
    touched += *(const uint8_t *)sdimage_image_pixels(frame);
    sdimage_image_unref(on_show);
    on_show = shows ? sdimage_image_ref(frame) : NULL;
    sdimage_image_unref(frame);
}

static long run_anim(long count) {
    for (long i = 0; i < count; i++) {
        open_animation();
        for (uint32_t frame = 0; frame < sdimage_image_frame_count(animation); frame++)
            show_frame(frame);
        sdimage_image_unref(animation);
    }
    return count;
}

static long run_anim_seek(long count) {
    static uint32_t random = 17;
    for (long i = 0; i < count; i++) {
        random = (random * 1103515245 + 12345) & 0x7fffffff;
        show_frame((random >> 8) % sdimage_image_frame_count(animation));
    }
    return count;
}

int serve_anim(bool seeks) {
    if (number_of("workers", 1))
        hold_workers();
    encoded = read_file(text_of("file", ""), &encoded_length);
    decode_options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(decode_options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    shows = number_of("shows", 0);
    if (!seeks)
        return serve(run_anim);
    open_animation();
    return serve(run_anim_seek);
}
