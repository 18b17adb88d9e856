/* dispatcher.h: where callbacks run.
 *
 * A load delivers through the dispatcher of its request, or of its manager, or else on the library's callback thread.
 * Deliveries of one load come in order and never overlap, whatever the dispatcher. Class: synchronised.
 *
 *   GUI main loop that takes posted closures   sdimage_dispatcher_new_host
 *   event loop that watches descriptors        sdimage_dispatcher_new_pollable + drain
 *   runtime that must not be called at all     sdimage_dispatcher_new_pollable + next_event
 *   program without a loop                     sdimage_dispatcher_new_library (the default)
 *   code that only hands results on            sdimage_dispatcher_new_immediate */
#ifndef SDIMAGE_DISPATCHER_H
#define SDIMAGE_DISPATCHER_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's callback thread. A slow callback delays other callbacks there, never network or decoding.
 * Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_library(sdimage_dispatcher **dispatcher, sdimage_error **error);

/* Whatever thread finishes the load, a worker where it decodes, never one that moves bytes of network or disk; progress
 * comes on the callback thread, and a memory hit before the starting call returns. Callbacks should only hand the
 * result on: while they run, nothing is decoded there. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_immediate(sdimage_dispatcher **dispatcher, sdimage_error **error);

/* How the host runs things on its own loop. */
typedef struct sdimage_host_vtable {
    size_t size;
    /* Must arrange that run(argument) is called exactly once, soon, on the host's thread. Called on library threads. */
    void (*post)(void *user_data, void (*run)(void *argument), void *argument);
    /* Whether the calling thread is the host's; may be NULL, then a memory hit is delivered by `post` too. Inline:
     * called on any thread, must not block. */
    bool (*is_current)(void *user_data);
} sdimage_host_vtable;

/* A loop of the host. `destroy(user_data)` is called once, after the last `post`, also when this call fails.
 * Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_host(const sdimage_host_vtable *vtable, void *user_data,
                                                       sdimage_destroy_fn destroy, sdimage_dispatcher **dispatcher,
                                                       sdimage_error **error);

/* A queue behind a file descriptor. Errors: IO_ERROR (no descriptor to be had), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_pollable(sdimage_dispatcher **dispatcher, sdimage_error **error);

SDIMAGE_API sdimage_dispatcher *sdimage_dispatcher_ref(sdimage_dispatcher *dispatcher);
SDIMAGE_API void sdimage_dispatcher_unref(sdimage_dispatcher *dispatcher);

/* Pollable: the descriptor to watch for reading, open as long as the dispatcher is; -1 for other kinds. Readable while
 * something is queued. Do not read from it. */
SDIMAGE_API int sdimage_dispatcher_descriptor(const sdimage_dispatcher *dispatcher);

/* Pollable: runs the callbacks that are queued now, on this thread, and returns how many deliveries that were.
 * Deliveries of loads without a handler are dropped. 0 for other kinds. */
SDIMAGE_API size_t sdimage_dispatcher_drain(sdimage_dispatcher *dispatcher);

/* Pollable: takes one delivery as an object in place of a callback, also of loads that have a handler. Returns END, and
 * leaves *event alone, when nothing is queued. *event is the caller's. Callbacks of targets and prefetchers are no
 * deliveries: this calls them on its way. */
SDIMAGE_API sdimage_status sdimage_dispatcher_next_event(sdimage_dispatcher *dispatcher, sdimage_event **event,
                                                         sdimage_error **error);

/* Pollable: says that this thread is the one that drains, so that memory hits and cancellations asked for on it are
 * delivered at once instead of through the queue. A thread stays bound until another is. */
SDIMAGE_API sdimage_status sdimage_dispatcher_bind_current_thread(sdimage_dispatcher *dispatcher,
                                                                  sdimage_error **error);

/* --- Events. Class: immutable. */

/* What an event tells. */
typedef enum SDIMAGE_ENUM sdimage_event_type {
    SDIMAGE_EVENT_TYPE_RESULT = 1,  /* see sdimage_event_result */
    SDIMAGE_EVENT_TYPE_PROGRESS = 2 /* see sdimage_event_received; only the latest one is kept */
} sdimage_event_type;

SDIMAGE_API sdimage_event *sdimage_event_ref(sdimage_event *event);
SDIMAGE_API void sdimage_event_unref(sdimage_event *event);
/* What the event tells. */
SDIMAGE_API sdimage_event_type sdimage_event_kind(const sdimage_event *event);
/* The load it belongs to. Borrowed from the event. */
SDIMAGE_API sdimage_task *sdimage_event_task(const sdimage_event *event);
/* The result; NULL for PROGRESS. Borrowed. */
SDIMAGE_API const sdimage_result *sdimage_event_result(const sdimage_event *event);
/* Bytes received and expected; -1 = unknown. 0 for RESULT. */
SDIMAGE_API int64_t sdimage_event_received(const sdimage_event *event);
SDIMAGE_API int64_t sdimage_event_expected(const sdimage_event *event);
/* The `user_data` that the load was started with. */
SDIMAGE_API void *sdimage_event_token(const sdimage_event *event);

#ifdef __cplusplus
}
#endif

#endif
