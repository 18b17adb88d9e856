/* animated.c: plays an animation without a display: composes each frame and prints its duration.
 *
 *   animated FILE [BOX]
 *
 * cc animated.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>

#include <sdimage.h>

static int failed(const char *what, sdimage_error *error) {
    fprintf(stderr, "animated: %s: %s: %s\n", what, sdimage_status_name(sdimage_error_code(error)),
            sdimage_error_message(error));
    sdimage_error_unref(error);
    return 1;
}

/* Mean alpha in percent: in rgba8 every fourth byte is alpha. */
static unsigned coverage(const sdimage_image *image) {
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    const uint8_t *row = sdimage_image_pixels(image);
    uint64_t sum = 0;
    for (uint32_t y = 0; y < height; y++, row += sdimage_image_stride(image))
        for (uint32_t x = 0; x < width; x++)
            sum += row[4 * x + 3];
    return (unsigned)(sum * 100 / ((uint64_t)255 * width * height));
}

/* All frames come from one open image, which holds the encoded bytes and a few canvases, not all frames. */
static int play(const sdimage_image *animation) {
    uint64_t time = 0;
    for (uint32_t i = 0; i < sdimage_image_frame_count(animation); i++) {
        sdimage_image *frame = NULL;
        sdimage_error *error = NULL;
        if (sdimage_image_get_frame(animation, i, &frame, &error) < 0)
            return failed("a frame", error);
        uint32_t duration = sdimage_image_frame_duration_ms(animation, i);
        printf("%3u  at %6llu ms for %5u ms  %ux%u  %3u %% painted\n", i, (unsigned long long)time, duration,
               sdimage_image_width(frame), sdimage_image_height(frame), coverage(frame));
        time += duration;
        sdimage_image_unref(frame);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fputs("usage: animated FILE [BOX]\n", stderr);
        return 2;
    }
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    if (argc == 3) {
        uint32_t box = (uint32_t)strtoul(argv[2], NULL, 10);
        sdimage_decode_options_set_thumbnail_size(options, box, box, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    }
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_decode_file(argv[1], options, &image, &error);
    sdimage_decode_options_unref(options);
    if (status < 0)
        return failed(argv[1], error);

    printf("%s, %u frames, %llu ms, plays %u times (0: for ever)\n", sdimage_format_name(sdimage_image_format(image)),
           sdimage_image_frame_count(image), (unsigned long long)sdimage_image_duration_ms(image),
           sdimage_image_loop_count(image));
    int code = play(image);
    sdimage_image_unref(image);
    return code;
}
