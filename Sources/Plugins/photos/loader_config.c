/* loader_config.c: the setters and getters of a loader's configuration, and its copy (see loader_config.h). */
#include "loader_config.h"

#include <stdlib.h>

/* Default limit of a file in bytes. */
static const uint64_t FILE_LIMIT = (uint64_t)256 << 20;

sdimage_photos_loader_config *sdimage_photos_loader_config_new(void) {
    sdimage_photos_loader_config *config = sdphoto_new(SDPHOTO_LOADER_CONFIG, sizeof *config);
    if (config)
        config->file_limit = FILE_LIMIT;
    return config;
}

sdimage_photos_loader_config *sdimage_photos_loader_config_ref(const sdimage_photos_loader_config *config) {
    return sdphoto_ref(config, SDPHOTO_LOADER_CONFIG);
}

void sdimage_photos_loader_config_unref(sdimage_photos_loader_config *config) {
    if (!sdphoto_unref(config, SDPHOTO_LOADER_CONFIG))
        return;
    for (size_t i = 0; i < config->count; i++)
        sdimage_photos_library_unref(config->libraries[i]);
    sdimage_photos_fetch_options_unref(config->fetch_options);
    sdimage_photos_request_options_unref(config->request_options);
    free(config);
}

static bool is_config(const sdimage_photos_loader_config *config) {
    return sdphoto_is(config, SDPHOTO_LOADER_CONFIG);
}

bool sdimage_photos_loader_config_add_library(sdimage_photos_loader_config *config, sdimage_photos_library *library) {
    if (!is_config(config) || !sdphoto_is(library, SDPHOTO_LIBRARY) || config->count == SDPHOTO_LIBRARY_LIMIT)
        return false;
    config->libraries[config->count++] = sdimage_photos_library_ref(library);
    return true;
}

void sdimage_photos_loader_config_set_fetch_options(sdimage_photos_loader_config *config,
                                                    sdimage_photos_fetch_options *options) {
    if (!is_config(config))
        return;
    /* Referenced before the old ones are released: both may be the same object. */
    sdimage_photos_fetch_options *before = config->fetch_options;
    config->fetch_options = sdimage_photos_fetch_options_ref(options);
    sdimage_photos_fetch_options_unref(before);
}

void sdimage_photos_loader_config_set_request_options(sdimage_photos_loader_config *config,
                                                      sdimage_photos_request_options *options) {
    if (!is_config(config))
        return;
    sdimage_photos_request_options *before = config->request_options;
    config->request_options = sdimage_photos_request_options_ref(options);
    sdimage_photos_request_options_unref(before);
}

void sdimage_photos_loader_config_set_images_only(sdimage_photos_loader_config *config, bool images_only) {
    if (is_config(config))
        config->takes_all = !images_only;
}

void sdimage_photos_loader_config_set_max_file_bytes(sdimage_photos_loader_config *config, uint64_t bytes) {
    if (is_config(config))
        config->file_limit = bytes ? bytes : FILE_LIMIT;
}

size_t sdimage_photos_loader_config_library_count(const sdimage_photos_loader_config *config) {
    return is_config(config) ? config->count : 0;
}

void sdimage_photos_loader_config_get_library(const sdimage_photos_loader_config *config, size_t index,
                                              sdimage_photos_library **library) {
    if (library)
        *library =
            is_config(config) && index < config->count ? sdimage_photos_library_ref(config->libraries[index]) : NULL;
}

void sdimage_photos_loader_config_get_fetch_options(const sdimage_photos_loader_config *config,
                                                    sdimage_photos_fetch_options **options) {
    if (options)
        *options = is_config(config) ? sdimage_photos_fetch_options_ref(config->fetch_options) : NULL;
}

void sdimage_photos_loader_config_get_request_options(const sdimage_photos_loader_config *config,
                                                      sdimage_photos_request_options **options) {
    if (options)
        *options = is_config(config) ? sdimage_photos_request_options_ref(config->request_options) : NULL;
}

bool sdimage_photos_loader_config_is_images_only(const sdimage_photos_loader_config *config) {
    return is_config(config) && !config->takes_all;
}

uint64_t sdimage_photos_loader_config_max_file_bytes(const sdimage_photos_loader_config *config) {
    return is_config(config) ? config->file_limit : 0;
}

sdimage_photos_loader_config *sdphoto_loader_config_copy(const sdimage_photos_loader_config *config) {
    sdimage_photos_loader_config *copy = sdimage_photos_loader_config_new();
    if (!copy)
        return NULL;
    for (size_t i = 0; i < config->count; i++)
        sdimage_photos_loader_config_add_library(copy, config->libraries[i]);
    sdimage_photos_loader_config_set_fetch_options(copy, config->fetch_options);
    sdimage_photos_loader_config_set_request_options(copy, config->request_options);
    copy->takes_all = config->takes_all;
    copy->file_limit = config->file_limit;
    return copy;
}
