/* library.c: the public functions of libraries of all kinds, and their table of assets (see library.h).
 *
 * A fetch refreshes the table, takes references to all assets under the lock, and selects and sorts them without it. */
#include "library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "list.h"
#include "support.h"

void *sdphoto_library_new(const sdphoto_library_kind *kind, const char *name, size_t size) {
    /* Numbers are never reused: an asset may outlive its library. */
    static atomic_ullong numbers = 1;
    sdimage_photos_library *library = sdphoto_new(SDPHOTO_LIBRARY, size);
    char *copy = library ? sdphoto_join(name, NULL, NULL) : NULL;
    if (!copy || pthread_mutex_init(&library->lock, NULL) != 0) {
        free(copy);
        free(library);
        return NULL;
    }
    library->kind = kind;
    library->name = copy;
    library->process = (int)getpid();
    library->number = atomic_fetch_add(&numbers, 1);
    library->note = "";
    return library;
}

sdimage_photos_library *sdimage_photos_library_ref(const sdimage_photos_library *library) {
    return sdphoto_ref(library, SDPHOTO_LIBRARY);
}

void sdimage_photos_library_unref(sdimage_photos_library *library) {
    if (sdphoto_unref(library, SDPHOTO_LIBRARY))
        sdphoto_library_free(library);
}

void sdphoto_library_free(sdimage_photos_library *library) {
    /* First: it ends the threads that use the table. */
    if (!library->kind->close(library))
        return;
    for (size_t i = 0; i < library->assets.capacity; i++)
        sdimage_photos_asset_unref(library->assets.slots[i].value);
    sdphoto_map_clear(&library->assets);
    pthread_mutex_destroy(&library->lock);
    free(library->name);
    free(library);
}

bool sdphoto_library_set(sdimage_photos_library *library, sdimage_photos_asset *asset) {
    size_t length = strlen(asset->identifier);
    /* The key is part of the value, so the old value is removed first. */
    sdimage_photos_asset *old = sdphoto_map_remove(&library->assets, asset->identifier, length);
    bool is_set = sdphoto_map_set(&library->assets, asset->identifier, length, asset);
    if (is_set)
        sdimage_photos_asset_ref(asset);
    sdimage_photos_asset_unref(old);
    return is_set;
}

/* The reference of the table is released under the lock; freeing an asset calls no code of the host. */
void sdphoto_library_remove(sdimage_photos_library *library, const char *identifier) {
    sdimage_photos_asset_unref(sdphoto_map_remove(&library->assets, identifier, strlen(identifier)));
}

sdimage_photos_asset *sdphoto_library_lookup(sdimage_photos_library *library, const char *identifier) {
    pthread_mutex_lock(&library->lock);
    sdimage_photos_asset *asset = sdphoto_map_find(&library->assets, identifier, strlen(identifier));
    sdimage_photos_asset_ref(asset);
    pthread_mutex_unlock(&library->lock);
    return asset;
}

bool sdphoto_library_is_forked(const sdimage_photos_library *library) {
    return library->process != (int)getpid();
}

sdimage_status sdphoto_check_library(const sdimage_photos_library *library, sdimage_error **error) {
    if (!library)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: not a library");
    if (!sdphoto_is(library, SDPHOTO_LIBRARY))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not a library");
    if (sdphoto_library_is_forked(library))
        return sdcs_fail(error, SDIMAGE_STATUS_FORKED, "photos: library was opened before the fork");
    return SDIMAGE_STATUS_OK;
}

/* Brings the table up to date; UNSUPPORTED for a host's library. */
static sdimage_status refresh(sdimage_photos_library *library, sdphoto_need need, sdphoto_progress progress,
                              sdimage_error **error) {
    if (!library->kind->refresh)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: a host library cannot list its assets");
    return library->kind->refresh(library, need, progress, error);
}

const char *sdimage_photos_library_name(const sdimage_photos_library *library) {
    return sdphoto_is(library, SDPHOTO_LIBRARY) ? library->name : "";
}

bool sdimage_photos_library_is_watching(const sdimage_photos_library *library) {
    if (sdphoto_check_library(library, NULL) < 0)
        return false;
    sdimage_photos_library *locked = (sdimage_photos_library *)(uintptr_t)library;
    pthread_mutex_lock(&locked->lock);
    bool is_watching = locked->is_watching;
    pthread_mutex_unlock(&locked->lock);
    return is_watching;
}

const char *sdimage_photos_library_note(const sdimage_photos_library *library) {
    if (sdphoto_check_library(library, NULL) < 0)
        return "";
    sdimage_photos_library *locked = (sdimage_photos_library *)(uintptr_t)library;
    pthread_mutex_lock(&locked->lock);
    const char *note = locked->note;
    pthread_mutex_unlock(&locked->lock);
    return note;
}

sdimage_status sdimage_photos_library_scan(sdimage_photos_library *library, const sdimage_photos_scan_handler *handler,
                                           void *user_data, sdimage_destroy_fn destroy, sdimage_error **error) {
    sdimage_status status = sdphoto_check_library(library, error);
    if (status >= 0 && handler && handler->size < sizeof *handler)
        status = sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: table of another size");
    if (status >= 0) {
        sdphoto_progress progress = {handler ? handler->progress : NULL, user_data};
        status = refresh(library, SDPHOTO_NEED_NOW, progress, error);
    }
    if (destroy)
        destroy(user_data);
    return status;
}

/* Returns all assets, each referenced; released with `drop`. NULL if memory is exhausted. */
static sdimage_photos_asset **snapshot(sdimage_photos_library *library, size_t *count) {
    pthread_mutex_lock(&library->lock);
    /* One more: NULL for an empty table would look like a failure. */
    sdimage_photos_asset **assets = calloc(library->assets.count + 1, sizeof(sdimage_photos_asset *));
    *count = 0;
    for (size_t i = 0; assets && i < library->assets.capacity; i++)
        if (library->assets.slots[i].value)
            assets[(*count)++] = sdimage_photos_asset_ref(library->assets.slots[i].value);
    pthread_mutex_unlock(&library->lock);
    return assets;
}

sdimage_status sdimage_photos_library_fetch(sdimage_photos_library *library,
                                            const sdimage_photos_fetch_options *options, sdimage_photos_list **list,
                                            sdimage_error **error) {
    sdimage_status status = sdphoto_check_library(library, error);
    if (status < 0)
        return status;
    if (!list)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: result pointer is NULL");
    status = refresh(library, SDPHOTO_NEED_INDEX, (sdphoto_progress){NULL, NULL}, error);
    if (status < 0)
        return status;
    /* A snapshot, because the filter of the host must run without the lock. */
    size_t count;
    sdimage_photos_asset **assets = snapshot(library, &count);
    if (!assets)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a list");
    status = sdphoto_list_new(assets, count, options, list, error);
    for (size_t i = 0; i < count; i++)
        sdimage_photos_asset_unref(assets[i]);
    free(assets);
    return status;
}

sdimage_status sdimage_photos_library_find(sdimage_photos_library *library, const char *identifier,
                                           const sdimage_photos_fetch_options *options, sdimage_photos_asset **asset,
                                           sdimage_error **error) {
    sdimage_status status = sdphoto_check_library(library, error);
    if (status < 0)
        return status;
    if (!identifier || !asset)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: identifier or result pointer is NULL");
    /* Without a refresh if the asset is known: a look-up then reads no disk. */
    sdimage_photos_asset *found = library->kind->refresh ? sdphoto_library_lookup(library, identifier) : NULL;
    if (!found) {
        status = refresh(library, SDPHOTO_NEED_INDEX, (sdphoto_progress){NULL, NULL}, error);
        if (status < 0)
            return status;
        found = sdphoto_library_lookup(library, identifier);
    }
    if (found && sdimage_photos_fetch_options_should_include(options, found)) {
        *asset = found;
        return SDIMAGE_STATUS_OK;
    }
    sdimage_photos_asset_unref(found);
    return sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "photos: no photo has this identifier");
}

sdimage_status sdimage_photos_library_set_handler(sdimage_photos_library *library,
                                                  const sdimage_photos_library_handler *vtable, void *user_data,
                                                  sdimage_destroy_fn destroy, sdimage_error **error) {
    sdimage_status status = sdphoto_check_library(library, error);
    if (status >= 0 && vtable && vtable->size < sizeof(size_t))
        status = sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: table size is too small");
    if (status >= 0 && !library->kind->set_observer)
        status = sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "photos: only folder libraries can be observed");
    if (status >= 0)
        return library->kind->set_observer(library, vtable, user_data, destroy, error);
    if (destroy)
        destroy(user_data);
    return status;
}

void sdimage_photos_library_cancel_loads(sdimage_photos_library *library) {
    if (sdphoto_check_library(library, NULL) < 0)
        return;
    /* Loads compare the number with that at the time when they asked the library. */
    atomic_fetch_add(&library->cancellations, 1);
    if (library->kind->cancel_loads)
        library->kind->cancel_loads(library, NULL);
}
