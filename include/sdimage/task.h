/* task.h: tasks, which represent loads under way, and replies, with which hooks return results.
 *
 * Class: synchronised. Releasing a task does not cancel it. */
#ifndef SDIMAGE_TASK_H
#define SDIMAGE_TASK_H

#include "base.h"
#include "error.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The priority among loads that wait for each other. */
typedef enum SDIMAGE_ENUM sdimage_priority {
    SDIMAGE_PRIORITY_LOW = -1,   /* no user is waiting: prefetching */
    SDIMAGE_PRIORITY_NORMAL = 0, /* a user is waiting */
    SDIMAGE_PRIORITY_HIGH = 1    /* before all other waiting loads */
} sdimage_priority;

SDIMAGE_API sdimage_task *sdimage_task_ref(sdimage_task *task);
SDIMAGE_API void sdimage_task_unref(sdimage_task *task);

/* Requests the end of the load. Never blocks; may be called repeatedly, from any thread and from a callback. The load's
 * FINAL is CANCELLED, unless a result was being delivered already. On the dispatcher's own thread it is delivered
 * before this returns, or right after the running delivery. A callback on another thread may still occur. */
SDIMAGE_API void sdimage_task_cancel(sdimage_task *task);

/* Cancels, and returns when the last callback has returned; no callback occurs afterwards. Does not wait on the
 * dispatcher's own thread, because the callback is delivered there. If the dispatcher is not drained, waits up to
 * `timeout_ms` milliseconds, then returns TIMEOUT. WOULD_DEADLOCK on another thread of the library if the callback has
 * not returned. */
SDIMAGE_API sdimage_status sdimage_task_cancel_and_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* Waits for the final result of the load, delivered or not. Errors: TIMEOUT after `timeout_ms` milliseconds
 * (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library, always. */
SDIMAGE_API sdimage_status sdimage_task_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* True if the final result is available. */
SDIMAGE_API bool sdimage_task_is_finished(const sdimage_task *task);

/* Returns the final result, for the caller to unref; NULL while there is none. For an image in memory it is available
 * before the starting call returns, with any dispatcher. */
SDIMAGE_API void sdimage_task_get_result(const sdimage_task *task, sdimage_result **result);

/* Changes the priority of a load, for example when its image scrolls into view or out of it. Takes effect while the
 * load is queued: for a transfer that has not started, and for the decode. A load that several tasks share has the
 * highest priority of its tasks. Any other value has no effect. */
SDIMAGE_API void sdimage_task_set_priority(sdimage_task *task, sdimage_priority priority);

/* Returns the priority of the task: that of its request until it is changed. */
SDIMAGE_API sdimage_priority sdimage_task_priority(const sdimage_task *task);

/* Bytes received and expected so far; -1 = unknown. Either pointer may be NULL. */
SDIMAGE_API void sdimage_task_progress(const sdimage_task *task, int64_t *received, int64_t *expected);

/* Returns the latest response of the built-in downloader for this load, except redirects: its status and header fields
 * (hooks.h), while the body is being received and afterwards. The caller owns *response; NULL before the response
 * and if nothing was downloaded. Loads that share a transfer return equal responses. */
SDIMAGE_API void sdimage_task_get_response(const sdimage_task *task, sdimage_response **response);

/* The `user_data` with which the load was started. */
SDIMAGE_API void *sdimage_task_token(const sdimage_task *task);

/* --- Replies: the results of hooks that may wait. Class: synchronised.
 *
 * A hook receives a reply with a reference of its own and completes it once, now or later, on any thread; a second
 * completion is ignored. Releasing it uncompleted completes it with INTERNAL_ERROR. */

SDIMAGE_API sdimage_reply *sdimage_reply_ref(sdimage_reply *reply);
SDIMAGE_API void sdimage_reply_unref(sdimage_reply *reply);

/* Completes without a value: "stored", "removed", or "no such entry" for a query. */
SDIMAGE_API void sdimage_reply_complete(sdimage_reply *reply);
/* Completes with bytes. Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_data(sdimage_reply *reply, sdimage_data *data);
/* Completes with bytes and their metadata, for caches (cache_entry.h). Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_entry(sdimage_reply *reply, sdimage_cache_entry *entry);
/* Completes with an error. Referenced, not consumed; NULL counts as INTERNAL_ERROR. */
SDIMAGE_API void sdimage_reply_complete_with_error(sdimage_reply *reply, sdimage_error *error);
/* True if the result is no longer needed. */
SDIMAGE_API bool sdimage_reply_is_cancelled(const sdimage_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
