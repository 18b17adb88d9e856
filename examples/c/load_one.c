/* load_one.c: loads one image from a URL or a file and writes it as a PPM.
 *
 *   load_one URL-or-FILE [OUT.ppm]
 *
 * cc load_one.c $(pkg-config --cflags --libs sdimage) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>

static int failed(const char *what, sdimage_error *error) {
    fprintf(stderr, "load_one: %s: %s: %s\n", what, sdimage_status_name(sdimage_error_code(error)),
            sdimage_error_message(error));
    sdimage_error_unref(error);
    return 1;
}

/* Rows are `stride` bytes apart: writes each row without its padding. */
static int write_ppm(const sdimage_image *image, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "load_one: %s: %s\n", path, strerror(errno));
        return 1;
    }
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    const uint8_t *row = sdimage_image_pixels(image);
    fprintf(file, "P6\n%u %u\n255\n", width, height);
    for (uint32_t y = 0; y < height; y++, row += sdimage_image_stride(image))
        fwrite(row, 3, width, file);
    int bad = ferror(file);
    if (fclose(file) || bad) {
        fprintf(stderr, "load_one: %s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}

/* Decodes a file on the calling thread, without a cache and without other threads. */
static sdimage_status from_file(const char *path, const sdimage_decode_options *options, sdimage_image **image,
                                sdimage_error **error) {
    return sdimage_decode_file(path, options, image, error);
}

/* Loads a URL through a manager, which looks into its caches first. */
static sdimage_status from_url(const char *url, const sdimage_decode_options *options, sdimage_image **image,
                               sdimage_error **error) {
    sdimage_manager *manager = NULL;
    sdimage_status status = sdimage_manager_new(NULL, &manager, error);
    if (status < 0)
        return status;
    sdimage_request *request = sdimage_request_new(url);
    sdimage_request_set_decode_options(request, options);
    sdimage_result *result = NULL;
    status = sdimage_manager_load_sync(manager, request, &result, error);
    if (status >= 0)
        *image = sdimage_image_ref(sdimage_result_image(result));
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fputs("usage: load_one URL-or-FILE [OUT.ppm]\n", stderr);
        return 2;
    }
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_RGB8);
    bool is_url = strstr(argv[1], "://") || !strncmp(argv[1], "data:", 5);
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = (is_url ? from_url : from_file)(argv[1], options, &image, &error);
    sdimage_decode_options_unref(options);
    if (status < 0)
        return failed(argv[1], error);

    sdimage_size source = sdimage_image_source_size(image);
    printf("%s %ux%u\n", sdimage_format_name(sdimage_image_format(image)), source.width, source.height);
    int code = argc == 3 ? write_ppm(image, argv[2]) : 0;
    sdimage_image_unref(image);
    return code;
}
