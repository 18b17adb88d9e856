/* untrusted.c: decodes images of strangers in sandboxed worker processes, within limits, and counts what they did.
 *
 *   untrusted FILE…
 *
 * cc untrusted.c $(pkg-config --cflags --libs sdimage) */
#include <inttypes.h>
#include <stdio.h>

#include <sdimage.h>

/* Prints the size of an image, or why there is none. Returns false if the file is to be examined. */
static bool show(const char *path, const sdimage_decode_options *options) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    if (sdimage_decode_file(path, options, &image, &error) >= 0) {
        printf("%s: %ux%u\n", path, sdimage_image_width(image), sdimage_image_height(image));
        sdimage_image_unref(image);
        return true;
    }
    sdimage_status status = sdimage_error_code(error);
    printf("%s: %s (%s)\n", path, sdimage_status_name(status), sdimage_error_message(error));
    sdimage_error_unref(error);
    /* A crash may be an attack. TIMEOUT and TOO_LARGE may be large images. */
    return status != SDIMAGE_STATUS_DECODER_CRASHED;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fprintf(stderr, "usage: untrusted FILE...\n"), 2;
    /* Before plug-ins are loaded, so that this process does not open their libraries. ALL also isolates JPEG, PNG, GIF
     * and WebP, whose decoders are smaller and better tested than those of modules and plug-ins. */
    sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
    sdimage_plugins_load_all(NULL, NULL);

    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_max_pixels(options, 50000000);
    sdimage_decode_options_set_max_work_ms(options, 2000);
    sdimage_decode_options_set_thumbnail_size(options, 1024, 1024, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    bool is_fine = true;
    for (int i = 1; i < argc; i++)
        is_fine = show(argv[i], options) && is_fine;
    sdimage_decode_options_unref(options);

    sdimage_isolation_statistics counts = {.size = sizeof counts};
    if (sdimage_isolation_get_statistics(&counts, NULL) >= 0)
        printf("%" PRIu64 " workers, %" PRIu64 " crashes, %" PRIu64 " timeouts\n", counts.started, counts.crashes,
               counts.timeouts);
    return is_fine ? 0 : 1;
}
