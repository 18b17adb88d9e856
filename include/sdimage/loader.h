/* loader.h: who fetches bytes: the built-in loaders, chains of loaders, and loaders of one's own.
 *
 * A loader neither caches nor decodes. Class: synchronised. */
#ifndef SDIMAGE_LOADER_H
#define SDIMAGE_LOADER_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

SDIMAGE_API sdimage_loader *sdimage_loader_ref(sdimage_loader *loader);
SDIMAGE_API void sdimage_loader_unref(sdimage_loader *loader);

/* "http", "file", "data", "chain", or the name a custom loader was made with. Borrowed. */
SDIMAGE_API const char *sdimage_loader_name(const sdimage_loader *loader);

/* Loads file: URLs (RFC 8089) of regular files, and data: URLs (RFC 2397). */
SDIMAGE_API sdimage_status sdimage_loader_new_file(sdimage_loader **loader, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_loader_new_data_url(sdimage_loader **loader, sdimage_error **error);

/* Asks the last added loader first; each URL goes to the first that can load it. */
SDIMAGE_API sdimage_status sdimage_loader_new_chain(sdimage_loader **chain, sdimage_error **error);
/* Adds a loader, to be asked before the others. Errors: INVALID_ARGUMENT when `chain` is no chain. */
SDIMAGE_API sdimage_status sdimage_loader_chain_add(sdimage_loader *chain, sdimage_loader *loader,
                                                    sdimage_error **error);
/* Takes a loader out. NOT_FOUND when it is not in the chain. */
SDIMAGE_API sdimage_status sdimage_loader_chain_remove(sdimage_loader *chain, const sdimage_loader *loader,
                                                       sdimage_error **error);

/* --- Loaders of one's own. */

/* The functions of a loader. Both `can_load` and `load` are required. */
typedef struct sdimage_loader_vtable {
    size_t size;

    /* Whether this loader takes the request. Inline: called on any thread, must not block. */
    bool (*can_load)(void *user_data, const sdimage_request *request);

    /* Starts fetching and returns; on a thread of the library that may block for a while. The sink is lent:
     * sdimage_load_sink_ref keeps it when the work goes on elsewhere. Exactly one sdimage_load_sink_finish ends the
     * load; releasing the last reference without it is an error of the load. Returning a negative status ends the load
     * with it. */
    sdimage_status (*load)(void *user_data, const sdimage_request *request, sdimage_load_sink *sink);

    /* Nobody waits any more: stop soon, then finish the sink. May be NULL. Any thread; must not block. */
    void (*cancel)(void *user_data, sdimage_load_sink *sink);

    /* Whether loads of one URL may be given the outcome of one `load`. NULL: they may, unless one of them has options
     * of the host or header fields. False for a loader whose outcome depends on more than the URL, as on the size that
     * is wanted. Inline. */
    bool (*can_share)(void *user_data, const sdimage_request *request);
} sdimage_loader_vtable;

/* A loader made of the host's functions. `name` is copied. `destroy(user_data)` is called once, also when this call
 * fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_loader_new_custom(const char *name, const sdimage_loader_vtable *vtable,
                                                     void *user_data, sdimage_destroy_fn destroy,
                                                     sdimage_loader **loader, sdimage_error **error);

/* --- The sink that a custom loader writes into. Class: synchronised; written by one thread at a time. */

SDIMAGE_API sdimage_load_sink *sdimage_load_sink_ref(sdimage_load_sink *sink);
SDIMAGE_API void sdimage_load_sink_unref(sdimage_load_sink *sink);

/* How many bytes will come, when known: for progress, and as a hint for the buffer. */
SDIMAGE_API void sdimage_load_sink_set_expected_length(sdimage_load_sink *sink, uint64_t length);

/* Appends bytes; copied. A progressive load shows what can be shown of them (sdimage_request_set_progressive).
 * Errors: CANCELLED (stop and finish), TOO_LARGE, NO_MEMORY, INVALID_ARGUMENT after finish. */
SDIMAGE_API sdimage_status sdimage_load_sink_write(sdimage_load_sink *sink, const void *bytes, size_t length,
                                                   sdimage_error **error);

/* Takes back all that was written, because the source begins anew; pictures of parts begin anew too. Nothing after
   finish. */
SDIMAGE_API void sdimage_load_sink_start_anew(sdimage_load_sink *sink);

/* Ends the load: with what was written when `error` is NULL, or else with the error, which is referenced. Later calls
 * do nothing. */
SDIMAGE_API void sdimage_load_sink_finish(sdimage_load_sink *sink, sdimage_error *error);

/* Ends the load with bytes that move by reference, in place of written ones. */
SDIMAGE_API void sdimage_load_sink_finish_with_data(sdimage_load_sink *sink, sdimage_data *data);

/* Ends the load with a picture, for sources that have no bytes. It is kept in memory only. */
SDIMAGE_API void sdimage_load_sink_finish_with_image(sdimage_load_sink *sink, sdimage_image *image);

/* Ends the load with a picture that is still encoded, for sources that give pictures and not bytes: it is decoded on a
 * worker, with `options` in place of those of the request, NULL for the defaults. Kept and delivered like the one
 * above. */
SDIMAGE_API void sdimage_load_sink_finish_with_encoded(sdimage_load_sink *sink, sdimage_data *data,
                                                       const sdimage_decode_options *options);

/* Shows a picture that stands for the final one until that is there: a PARTIAL delivery, whether or not the request is
 * progressive, shrunk and transformed as the request says, never kept. One that was not taken yet is replaced by the
 * next. Nothing after finish. */
SDIMAGE_API void sdimage_load_sink_show(sdimage_load_sink *sink, sdimage_image *image);

/* How far the load is, for sources that write no bytes; `expected` is -1 when it is not known. */
SDIMAGE_API void sdimage_load_sink_report_progress(sdimage_load_sink *sink, int64_t received, int64_t expected);

/* Whether a disk cache may keep it. Default true. False for what is on the user's own disk already: as of file: URLs,
 * memory keeps it and no disk cache. */
SDIMAGE_API void sdimage_load_sink_set_storable(sdimage_load_sink *sink, bool storable);

/* Whether nobody waits any more: stop, then finish the sink. */
SDIMAGE_API bool sdimage_load_sink_is_cancelled(const sdimage_load_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
