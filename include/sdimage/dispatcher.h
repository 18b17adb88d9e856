/* dispatcher.h: dispatchers, which run the callbacks.
 *
 * A load delivers through the dispatcher of its request, else of its manager, else on the library's callback thread.
 * With every dispatcher, deliveries of one load are in order and never overlap. Class: synchronized.
 *
 *   GUI main loop that takes posted closures   sdimage_dispatcher_new_custom
 *   event loop that watches descriptors        sdimage_dispatcher_new_pollable + drain
 *   runtime that permits no callbacks          sdimage_dispatcher_new_pollable + next_event
 *   program without a loop                     sdimage_dispatcher_new_library (the default)
 *   code that only forwards results            sdimage_dispatcher_new_immediate */
#ifndef SDIMAGE_DISPATCHER_H
#define SDIMAGE_DISPATCHER_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a dispatcher for the library's callback thread. A slow callback delays other callbacks there, never network
 * or decoding. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_library(sdimage_dispatcher **dispatcher, sdimage_error **error);

/* Creates a dispatcher that runs callbacks on the thread that finishes the load: a worker if the load decodes, never a
 * thread of network or disk I/O. Progress is delivered on the callback thread, and a memory hit before the starting
 * call returns. Callbacks should only forward the result: while they run, this thread does not decode. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_immediate(sdimage_dispatcher **dispatcher, sdimage_error **error);

/* The functions through which the host runs calls on its own loop. */
typedef struct sdimage_dispatcher_vtable {
    size_t size;
    /* Arranges that run(argument) is called exactly once, soon, on the host's thread. Called on library threads. */
    void (*post)(void *user_data, void (*run)(void *argument), void *argument);
    /* Returns true on the host's thread; may be NULL, then a memory hit is delivered by `post` too. Called inline on
     * any thread; must not block. */
    bool (*is_current)(void *user_data);
} sdimage_dispatcher_vtable;

/* Creates a dispatcher for a loop of the host. `destroy(user_data)` is called once, after the last `post`, also when
 * this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_custom(const sdimage_dispatcher_vtable *vtable, void *user_data,
                                                         sdimage_destroy_fn destroy, sdimage_dispatcher **dispatcher,
                                                         sdimage_error **error);

/* Creates a queue with a file descriptor. Errors: IO_ERROR (no descriptor available), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_dispatcher_new_pollable(sdimage_dispatcher **dispatcher, sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_dispatcher *sdimage_dispatcher_ref(const sdimage_dispatcher *dispatcher);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_dispatcher_unref(sdimage_dispatcher *dispatcher);

/* Pollable: returns the descriptor to watch for reading, open as long as the dispatcher exists; -1 for other kinds. It
 * is readable while something is queued. Do not read from it. */
SDIMAGE_API int sdimage_dispatcher_descriptor(const sdimage_dispatcher *dispatcher);

/* Pollable: runs the callbacks queued now, on this thread, and returns the number of their deliveries. Deliveries of
 * loads without a handler are dropped. 0 for other kinds. */
SDIMAGE_API size_t sdimage_dispatcher_drain(sdimage_dispatcher *dispatcher);

/* Pollable: takes one delivery as an object instead of a callback, also for loads with a handler. The caller owns
 * *event. A load with a handler whose `progress` is NULL has no events of progress. Returns END, without writing
 * *event, when nothing is queued. Callbacks of targets and prefetchers are not deliveries: this function runs those
 * that it finds in the queue before the delivery. Errors: INVALID_ARGUMENT (not pollable), FORKED. */
SDIMAGE_API sdimage_status sdimage_dispatcher_next_event(sdimage_dispatcher *dispatcher, sdimage_event **event,
                                                         sdimage_error **error);

/* Pollable: marks this thread as the one that drains. Memory hits, and cancellations requested on it, are then
 * delivered at once instead of through the queue. The thread stays bound until another one is. Errors: as above. */
SDIMAGE_API sdimage_status sdimage_dispatcher_bind_current_thread(sdimage_dispatcher *dispatcher,
                                                                  sdimage_error **error);

/* --- Events. Class: immutable. */

/* The callback of a load handler that an event stands for. */
typedef enum SDIMAGE_ENUM sdimage_callback_kind {
    SDIMAGE_CALLBACK_KIND_NONE = 0,    /* no event */
    SDIMAGE_CALLBACK_KIND_RESULT = 1,  /* see sdimage_event_result */
    SDIMAGE_CALLBACK_KIND_PROGRESS = 2 /* see sdimage_event_received; only the latest one is queued */
} sdimage_callback_kind;

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_event *sdimage_event_ref(const sdimage_event *event);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_event_unref(sdimage_event *event);
/* Returns the kind of the event. */
SDIMAGE_API sdimage_callback_kind sdimage_event_callback_kind(const sdimage_event *event);
/* Returns the load of the event. Borrowed from the event. */
SDIMAGE_API sdimage_task *sdimage_event_task(const sdimage_event *event);
/* Returns the result; NULL for PROGRESS. Borrowed. */
SDIMAGE_API const sdimage_result *sdimage_event_result(const sdimage_event *event);
/* Returns the bytes received; 0 for RESULT. */
SDIMAGE_API int64_t sdimage_event_received(const sdimage_event *event);
/* Returns the bytes expected; -1 = unknown. 0 for RESULT. */
SDIMAGE_API int64_t sdimage_event_expected(const sdimage_event *event);
/* Returns the `user_data` with which the load was started. Its `destroy` is not called before the event is freed. */
SDIMAGE_API void *sdimage_event_token(const sdimage_event *event);

#ifdef __cplusplus
}
#endif

#endif
