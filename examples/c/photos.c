/* photos.c: loads the newest photos of a folder: the embedded thumbnail first, then the image at window size.
 *
 *   photos [FOLDER]
 *
 * cc photos.c $(pkg-config --cflags --libs sdimage-photos sdimage) */
#include <stdio.h>

#include <sdimage.h>
#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/photos_loader.h>

static int failures;

/* PARTIAL is the thumbnail of the camera or the file manager; a window shows it until FINAL arrives. */
static void loaded(void *user_data, sdimage_task *task, sdimage_result *result) {
    const sdimage_image *image = sdimage_result_image(result);
    const char *name = user_data;
    (void)task;
    if (image) {
        printf("%s: %s %ux%u\n", name, sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_PARTIAL ? "first" : "then",
               sdimage_image_width(image), sdimage_image_height(image));
    } else {
        printf("%s: %s\n", name, sdimage_error_message(sdimage_result_error(result)));
        failures++;
    }
}

/* Opens a manager for ph: URLs only. To support the built-in schemes too, use a chain of loaders (loader.h). */
static sdimage_status open_manager(sdimage_photos_library *library, sdimage_manager **manager, sdimage_error **error) {
    sdimage_photos_loader_config *loading = sdimage_photos_loader_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_loader *loader = NULL;
    sdimage_photos_loader_config_add_library(loading, library);
    sdimage_status status = sdimage_photos_loader_new(loading, &loader, error);
    if (status >= 0) {
        sdimage_manager_config_set_loader(config, loader);
        status = sdimage_manager_new(config, manager, error);
    }
    sdimage_loader_unref(loader);
    sdimage_manager_config_unref(config);
    sdimage_photos_loader_config_unref(loading);
    return status;
}

static sdimage_status show(sdimage_manager *manager, sdimage_photos_asset *asset, sdimage_error **error) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = loaded};
    sdimage_request *request = NULL;
    sdimage_task *task = NULL;
    sdimage_status status = sdimage_photos_asset_request(asset, &request, error);
    if (status < 0)
        return status;
    sdimage_request_set_thumbnail_size(request, 800, 600, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    status =
        sdimage_manager_load(manager, request, &handler, (void *)sdimage_photos_asset_name(asset), NULL, &task, error);
    if (status >= 0)
        status = sdimage_task_wait(task, 60000, error);
    sdimage_task_unref(task);
    sdimage_request_unref(request);
    return status;
}

int main(int argc, char **argv) {
    sdimage_photos_library *library = NULL;
    sdimage_photos_list *list = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    sdimage_photos_fetch_options *newest = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_media(newest, SDIMAGE_PHOTOS_MEDIA_IMAGE);
    sdimage_photos_fetch_options_set_page(newest, 0, 10);
    sdimage_status status = sdimage_photos_library_open(argc > 1 ? argv[1] : NULL, NULL, &library, &error);
    if (status >= 0)
        status = sdimage_photos_library_fetch(library, newest, &list, &error);
    if (status >= 0)
        status = open_manager(library, &manager, &error);
    for (size_t i = 0; status >= 0 && i < sdimage_photos_list_count(list); i++)
        status = show(manager, sdimage_photos_list_asset(list, i), &error);
    if (status < 0) {
        fprintf(stderr, "photos: %s\n", sdimage_error_message(error));
        sdimage_error_unref(error);
    }
    /* Waits until the last callback has returned: the callbacks use names that the list owns. */
    sdimage_manager_close(manager, 10000, NULL);
    sdimage_manager_unref(manager);
    sdimage_photos_list_unref(list);
    sdimage_photos_library_unref(library);
    sdimage_photos_fetch_options_unref(newest);
    return status < 0 || failures;
}
