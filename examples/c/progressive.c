/* progressive.c: shows an image while it arrives: prints every delivery of a load, partial and final.
 *
 *   progressive URL [MILLISECONDS-BETWEEN-PARTS]
 *
 * cc progressive.c $(pkg-config --cflags --libs sdimage) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sdimage.h>

static int failed(sdimage_error *error) {
    fprintf(stderr, "progressive: %s: %s\n", sdimage_status_name(sdimage_error_code(error)),
            sdimage_error_message(error));
    return 1;
}

/* Runs on a thread of the library. A window would show the image here; partial and final images have the same size. */
static void show(void *user_data, sdimage_task *task, sdimage_result *result) {
    const sdimage_image *image = sdimage_result_image(result);
    int64_t received = 0;
    (void)user_data;
    sdimage_task_progress(task, &received, NULL);
    if (image)
        printf("%s: %ux%u, %.0f kB by now\n",
               sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_PARTIAL ? "part" : "whole",
               sdimage_image_width(image), sdimage_image_height(image), (double)received / 1e3);
}

static int load(sdimage_manager *manager, const char *url, uint32_t interval_ms) {
    sdimage_request *request = sdimage_request_new(url);
    sdimage_load_handler handler = {.size = sizeof handler, .result = show};
    sdimage_task *task = NULL;
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_request_set_progressive(request, true);
    sdimage_request_set_progressive_interval_ms(request, interval_ms);
    sdimage_status status = sdimage_manager_load(manager, request, &handler, NULL, NULL, &task, &error);
    sdimage_request_unref(request);
    if (status >= 0)
        status = sdimage_task_wait(task, UINT32_MAX, &error);
    if (status < 0) {
        failed(error);
        sdimage_error_unref(error);
    } else {
        sdimage_task_get_result(task, &result);
        if (!sdimage_result_image(result))
            status = failed(sdimage_result_error(result)) ? SDIMAGE_STATUS_INTERNAL_ERROR : SDIMAGE_STATUS_OK;
    }
    sdimage_result_unref(result);
    sdimage_task_unref(task);
    return status < 0;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fputs("usage: progressive URL [MILLISECONDS-BETWEEN-PARTS]\n", stderr);
        return 2;
    }
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, NULL); /* no cache: every run transfers the image again */
    sdimage_status status = sdimage_manager_new(config, &manager, &error);
    sdimage_manager_config_unref(config);
    if (status < 0) {
        failed(error);
        sdimage_error_unref(error);
        return 1;
    }
    int code = load(manager, argv[1], argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
    /* Waits for the last callback too. */
    sdimage_manager_close(manager, 5000, NULL);
    sdimage_manager_unref(manager);
    return code;
}
