/* custom_loader.c: a loader for "demo:WIDTHxHEIGHT" URLs that generates the image.
 *
 *   custom_loader demo:64x48
 *
 * cc custom_loader.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>
#include <sdimage/sys.h>

static bool can_load(void *user_data, const sdimage_request *request) {
    (void)user_data;
    return !strncmp(sdimage_request_url(request, NULL), "demo:", 5);
}

static sdimage_status paint(uint32_t width, uint32_t height, sdimage_image **image, sdimage_error **error) {
    uint8_t *pixels = malloc((size_t)width * height * 3);
    if (!pixels)
        return SDIMAGE_STATUS_NO_MEMORY;
    for (size_t y = 0, i = 0; y < height; y++)
        for (size_t x = 0; x < width; x++, i += 3) {
            pixels[i] = (uint8_t)(x * 255 / width);
            pixels[i + 1] = (uint8_t)(y * 255 / height);
            pixels[i + 2] = 128;
        }
    /* The image takes ownership of the pixels and frees them with its last reference. */
    return sdimage_image_new_adopting(width, height, (size_t)width * 3, SDIMAGE_PIXEL_FORMAT_RGB8, pixels, pixels, free,
                                      image, error);
}

/* This loader finishes at once. A loader that works on another thread would reference the sink and finish it there. */
static sdimage_status load(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data;
    unsigned width = 0, height = 0;
    sdimage_image *image = NULL;
    if (sscanf(sdimage_request_url(request, NULL), "demo:%4ux%4u", &width, &height) != 2 || !width || !height)
        return SDIMAGE_STATUS_INVALID_URL;
    sdimage_status status = paint(width, height, &image, NULL);
    if (status < 0)
        return status;
    sdimage_load_sink_finish_with_image(sink, image);
    sdimage_image_unref(image);
    return SDIMAGE_STATUS_OK;
}

static int show(sdimage_manager *manager, const char *url) {
    sdimage_request *request = sdimage_request_new(url);
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_manager_load_sync(manager, request, &result, &error);
    sdimage_request_unref(request);
    if (status < 0) {
        fprintf(stderr, "custom_loader: %s: %s\n", url, sdimage_error_message(error));
        sdimage_error_unref(error);
    } else {
        const sdimage_image *image = sdimage_result_image(result);
        printf("%s %ux%u\n", sdimage_image_source_name(sdimage_result_source(result)), sdimage_image_width(image),
               sdimage_image_height(image));
    }
    sdimage_result_unref(result);
    return status < 0;
}

int main(int argc, char **argv) {
    const char *url = argc > 1 ? argv[1] : "demo:64x48";
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = can_load, .load = load};
    sdimage_loader *loader = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_status status = sdimage_loader_new_custom("demo", &table, NULL, NULL, &loader, &error);
    if (status >= 0) {
        sdimage_manager_config_set_loader(config, loader);
        status = sdimage_manager_new(config, &manager, &error);
    }
    sdimage_manager_config_unref(config);
    sdimage_loader_unref(loader);
    if (status < 0) {
        fprintf(stderr, "custom_loader: %s\n", sdimage_error_message(error));
        sdimage_error_unref(error);
        return 1;
    }
    int code = show(manager, url);
    if (code == 0) /* the second load comes from memory */
        code = show(manager, url);
    sdimage_manager_unref(manager);
    return code;
}
