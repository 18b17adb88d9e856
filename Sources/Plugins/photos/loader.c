/* loader.c: the loader for ph: URLs: from an identifier to an asset, and from an asset to an image or bytes.
 *
 * 1. `start` makes a load on a thread that may block. An asset that the request carries needs no look-up.
 * 2. query_libraries asks one library after the other for the identifier. Trees and databases reply at once.
 * 3. A library of the host replies later, on its own thread, in `fetched`; the search continues there. So does a tree
 *    whose first scan has not ended, in `resume`.
 * 4. Assets that are files are loaded by file.c, others by the functions of the host.
 *
 * Each path ends with one finish of the sink and with sdphoto_load_free. */
#include <stdlib.h>

#include "fail.h"
#include "file.h"
#include "host.h"
#include "uri.h"

/* --- Assets from hosts. */

/* Passes the load to the host, which finishes the sink. Runs on the thread of the host's library. */
static void load_from_host(sdphoto_load *load, sdimage_photos_asset *asset) {
    void *user_data = NULL;
    const sdimage_photos_library_vtable *table = sdphoto_host_table(load->library, &user_data);
    sdimage_status status;
    if (load->mode == SDPHOTO_AS_DATA && table->bytes) {
        status = table->bytes(user_data, asset, load->sink);
    } else {
        sdphoto_bounds bounds = sdphoto_bounds_of(load->decode, load->request_options, asset->info.size);
        sdimage_photos_request_options *options = sdimage_photos_request_options_new();
        /* A copy of the request's options, with the fit that follows from its thumbnail size. */
        if (options && load->request_options) {
            sdphoto_object object = {options->object.kind, 1};
            *options = *load->request_options;
            options->object = object;
        }
        if (options)
            options->content = bounds.content;
        status = options ? table->image(user_data, asset, bounds.box, options, load->sink) : SDIMAGE_STATUS_NO_MEMORY;
        sdimage_photos_request_options_unref(options);
    }
    if (status < 0)
        sdphoto_load_fail(load, status, NULL);
}

static void query_libraries(sdphoto_load *load);

/* Receives the reply of a library that did not reply at once. Called on its thread. */
static void fetched(void *user_data, sdimage_photos_asset *asset, sdimage_status status, sdimage_error *error) {
    sdphoto_load *load = user_data;
    if (asset) {
        void (*load_asset)(sdphoto_load *, sdimage_photos_asset *) =
            sdphoto_is_host(load->library) ? load_from_host : sdphoto_load_file;
        if (sdphoto_load_is_cancelled(load))
            sdphoto_load_fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
        else if (sdphoto_load_accepts(load, asset))
            load_asset(load, asset);
        sdphoto_load_free(load);
        return;
    }
    if (status == SDIMAGE_STATUS_CANCELLED) {
        sdphoto_load_fail(load, status, NULL);
        sdphoto_load_free(load);
        return;
    }
    /* An error of one library counts only if no other one has the asset. */
    if (status != SDIMAGE_STATUS_PHOTOS_NOT_FOUND && !load->refusal)
        load->refusal =
            error ? sdimage_error_ref(error) : sdimage_error_new(status, "photos: library could not look up the photo");
    load->library = NULL;
    query_libraries(load);
}

/* Continues with the result of the first scan of a tree, on its thread: another scan would find no more. CANCELLED ends
 * the load, on the thread of the cancellation. */
static void resume(sdphoto_load *load, sdimage_status status) {
    sdimage_photos_asset *asset =
        status == SDIMAGE_STATUS_CANCELLED ? NULL : sdphoto_library_lookup(load->library, load->identifier);
    bool is_found = asset && sdimage_photos_fetch_options_should_include(load->fetch_options, asset);
    fetched(load, is_found ? asset : NULL, status < 0 ? status : SDIMAGE_STATUS_PHOTOS_NOT_FOUND, NULL);
    sdimage_photos_asset_unref(asset);
}

/* --- From the URL to the asset. */

/* Ends a load whose asset no library has, with the first error, if any. */
static void end_without_asset(sdphoto_load *load) {
    if (load->refusal)
        sdphoto_load_fail(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, sdimage_error_ref(load->refusal));
    else
        sdphoto_load_fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "photos: no photo has this identifier");
    sdphoto_load_free(load);
}

/* Asks the libraries one after the other. Some reply later, and then the next library is asked. */
static void query_libraries(sdphoto_load *load) {
    while (load->next < load->config->count) {
        sdimage_photos_library *library = load->config->libraries[load->next++];
        sdimage_photos_asset *asset = NULL;
        sdimage_error *error = NULL;
        sdphoto_load_adopt(load, library);
        if (!sdphoto_library_is_forked(library) && library->kind->defer && library->kind->defer(library, load))
            return;
        /* The load belongs to the host's thread after an accepted request. */
        if (sdphoto_is_host(library)) {
            sdimage_status status =
                sdphoto_host_fetch(library, load->identifier, load->fetch_options, load->sink, fetched, load);
            if (status >= 0)
                return;
            load->refusal = load->refusal
                                ? load->refusal
                                : sdimage_error_new(status, "photos: host library did not accept the request");
            continue;
        }
        sdimage_status status =
            sdimage_photos_library_find(library, load->identifier, load->fetch_options, &asset, &error);
        if (status >= 0) {
            /* Accepts or fails: in both cases the sink is finished. */
            if (sdphoto_load_accepts(load, asset))
                sdphoto_load_file(load, asset);
            sdimage_photos_asset_unref(asset);
            sdphoto_load_free(load);
            return;
        }
        if (status != SDIMAGE_STATUS_PHOTOS_NOT_FOUND && !load->refusal)
            load->refusal = error;
        else
            sdimage_error_unref(error);
        load->library = NULL;
    }
    end_without_asset(load);
}

/* Returns the host's library of an asset; the first one if the asset names none. */
static sdimage_photos_library *host_of(const sdphoto_load *load, const sdimage_photos_asset *asset) {
    for (size_t i = 0; i < load->config->count; i++) {
        sdimage_photos_library *library = load->config->libraries[i];
        if (sdphoto_is_host(library) && (!asset->library || asset->library == library->number))
            return library;
    }
    return NULL;
}

/* Uses an asset that came with the request, without a look-up. */
static void take_asset(sdphoto_load *load, sdimage_photos_asset *asset) {
    sdimage_photos_library *library = *asset->path ? NULL : host_of(load, asset);
    /* A file is loaded here; any other asset comes from its host. */
    if (*asset->path) {
        if (sdphoto_load_accepts(load, asset))
            sdphoto_load_file(load, asset);
    } else if (!library) {
        sdphoto_load_fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND,
                               "photos: library of the asset does not belong to the loader");
    } else {
        sdphoto_load_adopt(load, library);
        sdimage_status status = sdphoto_host_take(library, asset, load->sink, fetched, load);
        if (status >= 0)
            return;
        sdphoto_load_fail(load, status, NULL);
    }
    sdphoto_load_free(load);
}

/* Entry of sdimage_loader_vtable: accepts the scheme, whatever follows it. */
static bool can_load(void *user_data, const sdimage_request *request) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    (void)user_data;
    return sdphoto_is_ph(url, length);
}

/* Entry of sdimage_loader_vtable. Called on a thread that may block. After OK the load finishes the sink. */
static sdimage_status start(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    char *identifier = sdimage_photos_identifier_of_url(url, length);
    if (!identifier) {
        sdimage_error *error = sdimage_error_new(SDIMAGE_STATUS_INVALID_URL, "photos: URL has no photo identifier");
        sdimage_load_sink_finish(sink, error);
        sdimage_error_unref(error);
        return SDIMAGE_STATUS_OK;
    }
    sdphoto_load *load = sdphoto_load_new(user_data, request, sink);
    if (!load) {
        free(identifier);
        return SDIMAGE_STATUS_NO_MEMORY;
    }
    /* An asset of the request has precedence over the identifier of the URL. */
    load->identifier = identifier;
    load->resume = resume;
    sdimage_photos_asset *asset = sdimage_photos_asset_ref(sdimage_photos_asset_of_request(request));
    if (asset)
        take_asset(load, asset);
    else
        query_libraries(load);
    sdimage_photos_asset_unref(asset);
    return SDIMAGE_STATUS_OK;
}

/* Only waiting requests need a signal: loads of files are short and check for cancellation. */
static void cancel(void *user_data, sdimage_load_sink *sink) {
    const sdimage_photos_loader_config *config = user_data;
    for (size_t i = 0; i < config->count; i++) {
        sdimage_photos_library *library = config->libraries[i];
        /* No load waits in a forked process, and the lock may be held. */
        if (sdphoto_library_is_forked(library))
            continue;
        if (library->kind->cancel_loads)
            library->kind->cancel_loads(library, sink);
        if (!sdphoto_is_host(library))
            continue;
        void *host = NULL;
        const sdimage_photos_library_vtable *table = sdphoto_host_table(library, &host);
        if (table->cancel)
            table->cancel(host, sink);
    }
}

/* False: the result depends on the requested size. */
static bool can_share(void *user_data, const sdimage_request *request) {
    (void)user_data;
    (void)request;
    return false;
}

/* Called once when the loader is freed. */
static void destroy(void *user_data) {
    sdimage_photos_loader_config_unref(user_data);
}

sdimage_status sdimage_photos_loader_new(const sdimage_photos_loader_config *config, sdimage_loader **loader,
                                         sdimage_error **error) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = start, .cancel = cancel, .can_share = can_share};
    if (config && !sdphoto_is(config, SDPHOTO_LOADER_CONFIG))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not a loader configuration");
    if (!config || !config->count || !loader)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT,
                         "photos: library is missing or result pointer is NULL");
    sdimage_photos_loader_config *copy = sdphoto_loader_config_copy(config);
    if (!copy)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a loader");
    return sdimage_loader_new_custom("photos", &table, copy, destroy, loader, error);
}
