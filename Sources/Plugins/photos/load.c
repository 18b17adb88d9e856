/* load.c: the state of one load of a ph: URL, and its errors (see load.h). */
#include "load.h"

#include <stdlib.h>

void sdphoto_load_free(sdphoto_load *load) {
    sdimage_load_sink_unref(load->sink);
    sdimage_decode_options_unref(load->decode);
    sdimage_photos_fetch_options_unref(load->fetch_options);
    sdimage_photos_request_options_unref(load->request_options);
    sdimage_error_unref(load->refusal);
    sdimage_photos_loader_config_unref(load->config);
    free(load->identifier);
    free(load);
}

void sdphoto_load_fail(sdphoto_load *load, sdimage_status status, sdimage_error *error) {
    /* NULL: the caller has only a status, or had no memory for an error. */
    if (!error)
        error = sdimage_error_new(status, status == SDIMAGE_STATUS_CANCELLED ? "task: cancelled"
                                                                             : "photos: photo could not be loaded");
    sdimage_load_sink_finish(load->sink, error);
    sdimage_error_unref(error);
}

void sdphoto_load_fail_with(sdphoto_load *load, sdimage_status status, const char *message) {
    sdphoto_load_fail(load, status, sdimage_error_new(status, message));
}

bool sdphoto_load_is_cancelled(const sdphoto_load *load) {
    return sdimage_load_sink_is_cancelled(load->sink) ||
           (load->library && atomic_load(&load->library->cancellations) != load->cancellations);
}

/* Returns a pointer from a bag if it is of this kind. */
static void *in_bag(const sdimage_options *bag, const char *name, sdphoto_kind kind) {
    void *value = bag ? sdimage_options_pointer(bag, name) : NULL;
    return sdphoto_is(value, kind) ? value : NULL;
}

sdphoto_load *sdphoto_load_new(sdimage_photos_loader_config *config, const sdimage_request *request,
                               sdimage_load_sink *sink) {
    const sdimage_options *bag = sdimage_request_options(request);
    sdimage_photos_fetch_options *fetch = in_bag(bag, SDIMAGE_PHOTOS_FETCH_OPTIONS, SDPHOTO_FETCH_OPTIONS);
    sdimage_photos_request_options *wanted = in_bag(bag, SDIMAGE_PHOTOS_REQUEST_OPTIONS, SDPHOTO_REQUEST_OPTIONS);
    sdphoto_load *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->config = sdimage_photos_loader_config_ref(config);
    made->sink = sdimage_load_sink_ref(sink);
    /* Referenced: the request may be freed before the load ends. */
    made->fetch_options = sdimage_photos_fetch_options_ref(fetch ? fetch : config->fetch_options);
    made->request_options = sdimage_photos_request_options_ref(wanted ? wanted : config->request_options);
    sdimage_request_copy_decode_options(request, &made->decode);
    /* Otherwise the asset decides (sdphoto_load_accepts). */
    if (bag && sdimage_options_has(bag, SDIMAGE_PHOTOS_REQUEST_DATA))
        made->mode =
            sdimage_options_is_true(bag, SDIMAGE_PHOTOS_REQUEST_DATA, false) ? SDPHOTO_AS_DATA : SDPHOTO_AS_IMAGE;
    return made;
}

void sdphoto_load_adopt(sdphoto_load *load, sdimage_photos_library *library) {
    load->library = library;
    load->cancellations = atomic_load(&library->cancellations);
}

bool sdphoto_load_accepts(sdphoto_load *load, const sdimage_photos_asset *asset) {
    if (asset->info.media != SDIMAGE_PHOTOS_MEDIA_IMAGE && !load->config->takes_all) {
        sdphoto_load_fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE, "photos: asset is not an image");
        return false;
    }
    if (load->mode == SDPHOTO_BY_ASSET)
        load->mode = asset->info.playback == SDIMAGE_PHOTOS_PLAYBACK_ANIMATED ? SDPHOTO_AS_DATA : SDPHOTO_AS_IMAGE;
    return true;
}
