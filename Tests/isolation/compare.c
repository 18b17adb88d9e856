/* compare.c: compares isolated decoding with decoding in this process.
 *
 *   compare [FOLDER|FILE…]
 *
 * Decodes each file with several options, in this process and in workers (SDIMAGE_ISOLATION_ALL): at once, in pieces,
 * frame by frame, as a header, and vector images at another size. Images, their properties and errors must be equal. No
 * file reaches the time limit, which only one of two decodes might exceed. Prints each difference and the number of
 * files. Opens all plug-ins, except with SDIMAGE_TEST_NO_PLUGINS in the environment. */
#include <ftw.h>
#include <sdimage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frames of an animation that are compared; milliseconds of a decode. */
enum { MOST_FRAMES = 12, MOST_WORK_MS = 1800000 };

static unsigned files, comparisons, differences;
static const char *current;

static void differ(const char *what, const char *choice) {
    differences++;
    printf("not ok %s: %s differs (%s)\n", current, what, choice);
}

static bool same_data(const sdimage_data *a, const sdimage_data *b) {
    size_t length = sdimage_data_length(a);
    return length == sdimage_data_length(b) &&
           (length == 0 || !memcmp(sdimage_data_bytes(a), sdimage_data_bytes(b), length));
}

static bool same_pixels(const sdimage_image *a, const sdimage_image *b) {
    uint32_t width = sdimage_image_width(a), height = sdimage_image_height(a);
    if (width != sdimage_image_width(b) || height != sdimage_image_height(b) ||
        sdimage_image_pixel_format(a) != sdimage_image_pixel_format(b))
        return false;
    size_t row = width * sdimage_pixel_format_bytes(sdimage_image_pixel_format(a));
    const char *left = sdimage_image_pixels(a), *right = sdimage_image_pixels(b);
    for (uint32_t y = 0; y < height; y++) {
        if (memcmp(left + y * sdimage_image_stride(a), right + y * sdimage_image_stride(b), row) != 0)
            return false;
    }
    return true;
}

#define SAME(function) (function(a) == function(b))

static bool same_properties(const sdimage_image *a, const sdimage_image *b) {
    sdimage_size left = sdimage_image_source_size(a), right = sdimage_image_source_size(b);
    return left.width == right.width && left.height == right.height && SAME(sdimage_image_format) &&
           SAME(sdimage_image_has_alpha) && SAME(sdimage_image_scale) && SAME(sdimage_image_orientation) &&
           SAME(sdimage_image_frame_count) && SAME(sdimage_image_loop_count) && SAME(sdimage_image_duration_ms) &&
           SAME(sdimage_image_is_incremental) && SAME(sdimage_image_is_damaged) && SAME(sdimage_image_is_transformed) &&
           SAME(sdimage_image_consumed_bytes) && SAME(sdimage_image_is_animated) && SAME(sdimage_image_is_thumbnail) &&
           SAME(sdimage_image_memory_cost) && SAME(sdimage_image_color_primaries) &&
           SAME(sdimage_image_transfer_characteristics) && SAME(sdimage_image_is_hdr) && SAME(sdimage_image_headroom) &&
           SAME(sdimage_image_content_headroom) && SAME(sdimage_image_is_vector) &&
           same_data(sdimage_image_color_profile(a), sdimage_image_color_profile(b));
}

/* The gain maps, by the images that they make. */
static bool same_gain_maps(const sdimage_image *a, const sdimage_image *b) {
    sdimage_gain_map *left = NULL, *right = NULL;
    sdimage_image_get_gain_map(a, &left);
    sdimage_image_get_gain_map(b, &right);
    bool same = !left == !right;
    if (left && right) {
        sdimage_image *one = NULL, *other = NULL;
        sdimage_status first = sdimage_image_apply_gain_map(a, 2, &one, NULL);
        sdimage_status second = sdimage_image_apply_gain_map(b, 2, &other, NULL);
        same = first == second && (first < 0 || same_pixels(one, other));
        sdimage_image_unref(one);
        sdimage_image_unref(other);
    }
    sdimage_gain_map_unref(left);
    sdimage_gain_map_unref(right);
    return same;
}

static void compare_images(const sdimage_image *a, const sdimage_image *b, const char *what, const char *choice) {
    comparisons++;
    if (!same_pixels(a, b))
        differ(what, choice);
    else if (!same_properties(a, b) || !same_gain_maps(a, b))
        differ("a property of", choice);
}

/* Compares the outcomes of two calls, and releases their images. Returns true if both have an image. */
static bool compare_results(sdimage_status first, sdimage_image *a, sdimage_error *x, sdimage_status second,
                            sdimage_image *b, sdimage_error *y, const char *what, const char *choice) {
    if (first != second || (x && y && strcmp(sdimage_error_message(x), sdimage_error_message(y)) != 0)) {
        printf("# here %d %s, isolated %d %s\n", first, x ? sdimage_error_message(x) : "", second,
               y ? sdimage_error_message(y) : "");
        differ(what, choice);
    } else if (a && b)
        compare_images(a, b, what, choice);
    sdimage_error_unref(x);
    sdimage_error_unref(y);
    return a && b;
}

static void compare_frames(const sdimage_image *a, const sdimage_image *b, const char *choice) {
    uint32_t count = sdimage_image_frame_count(a);
    for (uint32_t i = 1; i < count && i < MOST_FRAMES; i++) {
        /* Backwards from the last: in any order. */
        uint32_t index = i % 2 ? i : count - i / 2;
        sdimage_image *one = NULL, *other = NULL;
        sdimage_error *x = NULL, *y = NULL;
        sdimage_status first = sdimage_image_get_frame(a, index, &one, &x);
        sdimage_status second = sdimage_image_get_frame(b, index, &other, &y);
        compare_results(first, one, x, second, other, y, "a frame", choice);
        if (sdimage_image_frame_duration_ms(a, index) != sdimage_image_frame_duration_ms(b, index))
            differ("a duration", choice);
        sdimage_image_unref(one);
        sdimage_image_unref(other);
    }
}

static void compare_drawings(const sdimage_image *a, const sdimage_image *b, const char *choice) {
    if (!sdimage_image_is_vector(a) || !sdimage_image_is_vector(b))
        return;
    sdimage_image *one = NULL, *other = NULL;
    sdimage_error *x = NULL, *y = NULL;
    sdimage_status first = sdimage_image_render(a, 70, 50, &one, &x);
    sdimage_status second = sdimage_image_render(b, 70, 50, &other, &y);
    compare_results(first, one, x, second, other, y, "the drawing", choice);
    sdimage_image_unref(one);
    sdimage_image_unref(other);
}

static void compare_whole(const char *bytes, size_t length, sdimage_decode_options *options, const char *choice) {
    sdimage_image *a = NULL, *b = NULL;
    sdimage_error *x = NULL, *y = NULL;
    sdimage_decode_options_set_isolation(options, SDIMAGE_ISOLATION_NONE);
    sdimage_status first = sdimage_decode(bytes, length, options, &a, &x);
    sdimage_decode_options_set_isolation(options, SDIMAGE_ISOLATION_ALL);
    sdimage_status second = sdimage_decode(bytes, length, options, &b, &y);
    if (compare_results(first, a, x, second, b, y, "the image", choice)) {
        compare_frames(a, b, choice);
        compare_drawings(a, b, choice);
    }
    sdimage_image_unref(a);
    sdimage_image_unref(b);
}

static void compare_pieces(const char *bytes, size_t length, sdimage_decode_options *options) {
    sdimage_decoder *decoders[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        sdimage_decode_options_set_isolation(options, i ? SDIMAGE_ISOLATION_ALL : SDIMAGE_ISOLATION_NONE);
        if (sdimage_decoder_new(options, NULL, &decoders[i], NULL) < 0)
            abort();
    }
    size_t done = 0;
    for (int piece = 1; piece <= 4; piece++) {
        size_t end = length * (size_t)piece / 4;
        sdimage_status status[2];
        sdimage_image *images[2] = {NULL, NULL};
        sdimage_error *errors[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            status[i] = sdimage_decoder_append(decoders[i], bytes + done, end - done, piece == 4, &errors[i]);
            if (status[i] >= 0)
                status[i] = sdimage_decoder_get_image(decoders[i], &images[i], &errors[i]);
        }
        if (compare_results(status[0], images[0], errors[0], status[1], images[1], errors[1], "the partial image",
                            "pieces"))
            compare_frames(images[0], images[1], "pieces");
        sdimage_image_unref(images[0]);
        sdimage_image_unref(images[1]);
        if (sdimage_decoder_frame_count(decoders[0]) != sdimage_decoder_frame_count(decoders[1]))
            differ("the frame count", "pieces");
        done = end;
    }
    sdimage_decoder_unref(decoders[0]);
    sdimage_decoder_unref(decoders[1]);
}

static void compare_headers(const char *bytes, size_t length, sdimage_decode_options *options) {
    sdimage_data *json[2] = {NULL, NULL};
    sdimage_status status[2];
    for (int i = 0; i < 2; i++) {
        sdimage_info *info = NULL;
        sdimage_decode_options_set_isolation(options, i ? SDIMAGE_ISOLATION_ALL : SDIMAGE_ISOLATION_NONE);
        status[i] = sdimage_info_new(bytes, length, options, &info, NULL);
        if (status[i] >= 0)
            sdimage_info_to_json(info, &json[i], NULL);
        sdimage_info_unref(info);
    }
    if (status[0] != status[1] || !same_data(json[0], json[1]))
        differ("the header", "info");
    comparisons++;
    sdimage_data_unref(json[0]);
    sdimage_data_unref(json[1]);
}

static sdimage_decode_options *new_options(void) {
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_max_work_ms(options, MOST_WORK_MS);
    return options;
}

static void compare_choices(const char *bytes, size_t length) {
    sdimage_decode_options *options = new_options();
    compare_headers(bytes, length, options);
    compare_whole(bytes, length, options, "defaults");
    compare_pieces(bytes, length, options);
    sdimage_decode_options_set_thumbnail_size(options, 40, 40, SDIMAGE_SCALE_MODE_ASPECT_FILL);
    compare_whole(bytes, length, options, "thumbnail");
    sdimage_decode_options_set_thumbnail_size(options, 0, 0, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_NATIVE);
    sdimage_decode_options_set_apply_orientation(options, false);
    sdimage_decode_options_set_convert_to_srgb(options, false);
    sdimage_decode_options_set_keep_gain_map(options, true);
    compare_whole(bytes, length, options, "as stored");
    sdimage_decode_options_set_accept_partial(options, true);
    compare_whole(bytes, length / 2, options, "half of the bytes");
    sdimage_decode_options_unref(options);
    options = new_options();
    sdimage_decode_options_set_dynamic_range(options, SDIMAGE_DYNAMIC_RANGE_HDR);
    sdimage_decode_options_set_limit_bytes(options, 1 << 20);
    compare_whole(bytes, length, options, "HDR within 1 MiB");
    sdimage_decode_options_set_transfer_characteristics(options, SDIMAGE_TRANSFER_CHARACTERISTICS_PQ);
    sdimage_decode_options_set_first_frame_only(options, true);
    compare_whole(bytes, length, options, "PQ");
    sdimage_decode_options_unref(options);
}

static int compare_file(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)walk;
    /* Larger files take minutes in a build without optimization. */
    if (kind != FTW_F || status->st_size == 0 || status->st_size > 16 << 20)
        return 0;
    char *bytes = malloc((size_t)status->st_size);
    FILE *file = fopen(path, "rb");
    size_t length = bytes && file ? fread(bytes, 1, (size_t)status->st_size, file) : 0;
    if (file)
        fclose(file);
    current = path;
    files++;
    if (length > 0)
        compare_choices(bytes, length);
    free(bytes);
    return 0;
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!getenv("SDIMAGE_TEST_NO_PLUGINS"))
        sdimage_plugins_load_all(NULL, NULL);
    for (int i = 1; i < count; i++)
        nftw(arguments[i], compare_file, 16, FTW_PHYS);
    sdimage_isolation_statistics used = {.size = sizeof used};
    sdimage_isolation_get_statistics(&used, NULL);
    printf(
        "# %u files, %u comparisons, %u differences; workers: %llu started, %llu calls, %llu crashes, %llu timeouts\n",
        files, comparisons, differences, (unsigned long long)used.started, (unsigned long long)used.calls,
        (unsigned long long)used.crashes, (unsigned long long)used.timeouts);
    if (differences == 0)
        printf("ok isolated decoding equals decoding in this process (%u comparisons)\n", comparisons);
    return differences > 0;
}
