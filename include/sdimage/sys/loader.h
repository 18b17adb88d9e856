/* sys/loader.h: custom loaders.
 *
 * Class: sdimage_load_sink synchronized; written by one thread at a time. */
#ifndef SDIMAGE_SYS_LOADER_H
#define SDIMAGE_SYS_LOADER_H

#include "../base.h"
#include "../data.h"
#include "../decode.h"
#include "../error.h"
#include "../image.h"
#include "../loader.h"
#include "../request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a loader. `can_load` and `load` are required. */
typedef struct sdimage_loader_vtable {
    size_t size;

    /* Returns true if the loader accepts the request. Inline: called on any thread, must not block. */
    bool (*can_load)(void *user_data, const sdimage_request *request);

    /* Starts fetching and returns. Called on a thread of the library that may block for a while. The sink is borrowed:
     * sdimage_load_sink_ref keeps it when the work continues elsewhere. Exactly one sdimage_load_sink_finish ends the
     * load. Releasing the last reference without it is an error of the load; a negative status ends the load with that
     * status. */
    sdimage_status (*load)(void *user_data, const sdimage_request *request, sdimage_load_sink *sink);

    /* Reports that no load waits any more: stop soon, then finish the sink. May be NULL. Called on any thread, also
     * while `load` runs, and before its first statement (sdimage_load_sink_is_cancelled); never for a sink that `load`
     * does not receive. Must not block. */
    void (*cancel)(void *user_data, sdimage_load_sink *sink);

    /* Permits loads of the same URL to share one `load`. NULL permits it. Return false if the result depends on more
     * than the URL, for example on the requested size. Not called for requests with header fields, a method other than
     * GET, or options besides the key that a target adds: these are never shared. Inline. */
    bool (*can_share)(void *user_data, const sdimage_request *request);

    /* Decides if a failure of this loader is remembered, so that its URL is refused for some time
     * (sdimage_manager_config_set_failed_url_retry_after). NULL: the library decides by the error. The load hooks of
     * the manager and the request have precedence. Inline. */
    bool (*should_remember_failure)(void *user_data, const sdimage_request *request, const sdimage_error *error);
} sdimage_loader_vtable;

/* Makes a loader of functions of the host. `name` is copied. `destroy(user_data)` is called once, also when this call
 * fails, and not before each sink is finished or released. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_loader_new_custom(const char *name, const sdimage_loader_vtable *vtable,
                                                     void *user_data, sdimage_destroy_fn destroy,
                                                     sdimage_loader **loader, sdimage_error **error);

/* --- The sink, into which a custom loader writes. Class: synchronized; written by one thread at a time. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_load_sink *sdimage_load_sink_ref(const sdimage_load_sink *sink);
/* Releases a reference; NULL has no effect. The last one ends an unfinished load with an error. */
SDIMAGE_API void sdimage_load_sink_unref(sdimage_load_sink *sink);

/* Sets the number of bytes to expect, if known: for progress, and as a hint for the buffer. */
SDIMAGE_API void sdimage_load_sink_set_expected_length(sdimage_load_sink *sink, uint64_t length);
/* Returns the number of bytes to expect; 0 if it is unknown. */
SDIMAGE_API uint64_t sdimage_load_sink_expected_length(const sdimage_load_sink *sink);

/* Appends a copy of some bytes. A progressive load decodes what has arrived (sdimage_request_set_progressive). Errors:
 * CANCELLED (stop and finish), TOO_LARGE (above sdimage_request_set_max_body_bytes, or 64 MiB), NO_MEMORY,
 * INVALID_ARGUMENT after finish. After TOO_LARGE and NO_MEMORY the written bytes end the load with that error, unless
 * the source restarts. */
SDIMAGE_API sdimage_status sdimage_load_sink_write(sdimage_load_sink *sink, const void *bytes, size_t length,
                                                   sdimage_error **error);

/* Discards all bytes written so far because the source restarts; partial images restart, too. No effect after
 * finish. */
SDIMAGE_API void sdimage_load_sink_restart(sdimage_load_sink *sink);

/* Ends the load: successfully with the written bytes if `error` is NULL, otherwise with the error, which is referenced.
 * Later calls have no effect. */
SDIMAGE_API void sdimage_load_sink_finish(sdimage_load_sink *sink, sdimage_error *error);

/* Ends the load with bytes passed by reference, in place of written ones. TOO_LARGE above the limit of the request
 * (sdimage_request_set_max_body_bytes); that of written bytes does not hold for bytes that are in memory. */
SDIMAGE_API void sdimage_load_sink_finish_with_data(sdimage_load_sink *sink, sdimage_data *data);

/* Ends the load with an image, for sources without encoded bytes. It is cached in memory only. */
SDIMAGE_API void sdimage_load_sink_finish_with_image(sdimage_load_sink *sink, sdimage_image *image);

/* Ends the load with an encoded image, for sources that provide images and not bytes. A worker decodes it with
 * `options` in place of those of the request; NULL for the defaults. Cached and delivered like the image above. Has the
 * same limit. */
SDIMAGE_API void sdimage_load_sink_finish_with_encoded(sdimage_load_sink *sink, sdimage_data *data,
                                                       const sdimage_decode_options *options);

/* Delivers a placeholder for the final image as PARTIAL, whether or not the request is progressive. It is scaled and
 * transformed as the request requires, and never cached. The next one replaces an undelivered one. No effect after
 * finish. */
SDIMAGE_API void sdimage_load_sink_show(sdimage_load_sink *sink, sdimage_image *image);

/* Reports the progress of sources that write no bytes; `expected` is -1 if unknown. */
SDIMAGE_API void sdimage_load_sink_report_progress(sdimage_load_sink *sink, int64_t received, int64_t expected);

/* Permits disk caches to store the result. Default true. Set false for data that is on the user's own disk already: as
 * for file: URLs, it is then cached in memory only. */
SDIMAGE_API void sdimage_load_sink_set_storable(sdimage_load_sink *sink, bool storable);
/* Returns true if disk caches may store the result. */
SDIMAGE_API bool sdimage_load_sink_is_storable(const sdimage_load_sink *sink);

/* Returns true if no load waits any more: stop, then finish the sink. */
SDIMAGE_API bool sdimage_load_sink_is_cancelled(const sdimage_load_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
