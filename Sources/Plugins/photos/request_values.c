/* request_values.c: the values that a request carries for the loader: an asset, and options. Stored in its
 * sdimage_options as pointers with a reference. */
#include <sdimage/plugins/photos_loader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset.h"
#include "fail.h"
#include "support.h"

/* --- Options in the bag of a request. */

/* Destroy functions for values of the bag. */
static void drop_request_options(void *value) {
    sdimage_photos_request_options_unref(value);
}
static void drop_fetch_options(void *value) {
    sdimage_photos_fetch_options_unref(value);
}
static void drop_asset(void *value) {
    sdimage_photos_asset_unref(value);
}

/* Stores a value, whose reference passes to the bag; NULL removes it. */
static void put(sdimage_options *bag, const char *name, void *value, sdimage_destroy_fn drop) {
    if (value)
        sdimage_options_set_pointer(bag, name, value, drop);
    else
        sdimage_options_remove(bag, name);
}

void sdimage_photos_set_request_options(sdimage_options *bag, sdimage_photos_request_options *options) {
    put(bag, SDIMAGE_PHOTOS_REQUEST_OPTIONS, sdimage_photos_request_options_ref(options), drop_request_options);
}

void sdimage_photos_set_fetch_options(sdimage_options *bag, sdimage_photos_fetch_options *options) {
    put(bag, SDIMAGE_PHOTOS_FETCH_OPTIONS, sdimage_photos_fetch_options_ref(options), drop_fetch_options);
}

void sdimage_photos_set_asset(sdimage_options *bag, sdimage_photos_asset *asset) {
    put(bag, SDIMAGE_PHOTOS_ASSET, sdimage_photos_asset_ref(asset), drop_asset);
}

/* Returns the value of a name; NULL for none. */
static void *value_of(const sdimage_options *bag, const char *name) {
    return bag ? sdimage_options_pointer(bag, name) : NULL;
}

void sdimage_photos_get_request_options(const sdimage_options *bag, sdimage_photos_request_options **options) {
    if (options)
        *options = sdimage_photos_request_options_ref(value_of(bag, SDIMAGE_PHOTOS_REQUEST_OPTIONS));
}

void sdimage_photos_get_fetch_options(const sdimage_options *bag, sdimage_photos_fetch_options **options) {
    if (options)
        *options = sdimage_photos_fetch_options_ref(value_of(bag, SDIMAGE_PHOTOS_FETCH_OPTIONS));
}

void sdimage_photos_get_asset(const sdimage_options *bag, sdimage_photos_asset **asset) {
    if (asset)
        *asset = sdimage_photos_asset_ref(value_of(bag, SDIMAGE_PHOTOS_ASSET));
}

sdimage_status sdimage_photos_asset_request(sdimage_photos_asset *asset, sdimage_request **request,
                                            sdimage_error **error) {
    if (!asset || !request)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: asset or result pointer is NULL");
    if (!sdphoto_is(asset, SDPHOTO_ASSET))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not an asset");
    char *url = sdimage_photos_url_of_asset(asset), stamp[32];
    /* The cache key contains the time of the file, so that an edited photo has another key. */
    snprintf(stamp, sizeof stamp, "#%lld", (long long)asset->modified_ns);
    char *key = url ? sdphoto_join(url, stamp, NULL) : NULL;
    sdimage_request *made = key ? sdimage_request_new(url) : NULL;
    sdimage_options *bag = made ? sdimage_options_new() : NULL;
    if (bag) {
        sdimage_photos_set_asset(bag, asset);
        sdimage_request_set_cache_key(made, key, strlen(key));
        sdimage_request_set_options(made, bag);
    }
    free(url);
    free(key);
    /* One check for all: each step is NULL after a failure of the one before. */
    if (!bag) {
        sdimage_request_unref(made);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a request");
    }
    sdimage_options_unref(bag);
    *request = made;
    return SDIMAGE_STATUS_OK;
}

sdimage_photos_asset *sdimage_photos_asset_of_request(const sdimage_request *request) {
    void *asset = value_of(sdimage_request_options(request), SDIMAGE_PHOTOS_ASSET);
    return sdphoto_is(asset, SDPHOTO_ASSET) ? asset : NULL;
}
