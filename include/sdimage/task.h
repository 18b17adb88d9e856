/* task.h: a load under way, and the reply that hooks answer with.
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

SDIMAGE_API sdimage_task *sdimage_task_ref(sdimage_task *task);
SDIMAGE_API void sdimage_task_unref(sdimage_task *task);

/* Asks the load to end. Never blocks; may be called again, from any thread, from a callback. The load's FINAL carries
 * CANCELLED, unless a result was on its way already; on the dispatcher's own thread it is delivered before this
 * returns, or right after the delivery that is running. A callback of another thread may still come. */
SDIMAGE_API void sdimage_task_cancel(sdimage_task *task);

/* Cancels and returns when the last callback has returned: afterwards none comes. On the dispatcher's own thread it
 * does not wait, because the callback is delivered there. A dispatcher that nobody drains makes this wait: up to
 * `timeout_ms` milliseconds, then TIMEOUT. WOULD_DEADLOCK on another thread of the library, when the callback has not
 * returned. */
SDIMAGE_API sdimage_status sdimage_task_cancel_and_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* Waits until the load has its final result, delivered or not. Errors: TIMEOUT after `timeout_ms` milliseconds
 * (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library, always. */
SDIMAGE_API sdimage_status sdimage_task_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* Whether the final result is there. */
SDIMAGE_API bool sdimage_task_is_finished(const sdimage_task *task);

/* The final result, the caller's to unref; NULL while there is none. After a memory hit it is there before the starting
 * call returns, whatever the dispatcher. */
SDIMAGE_API void sdimage_task_copy_result(const sdimage_task *task, sdimage_result **result);

/* Bytes received and expected so far; -1 = unknown. Either pointer may be NULL. */
SDIMAGE_API void sdimage_task_progress(const sdimage_task *task, int64_t *received, int64_t *expected);

/* The latest answer that the built-in downloader got for this load, redirects aside: its status and header fields
 * (hooks.h), while the body is on its way and afterwards. A copy, the caller's to unref; NULL before there is one, and
 * where nothing was downloaded. Loads that share a transfer are told the same. */
SDIMAGE_API void sdimage_task_copy_response(const sdimage_task *task, sdimage_response **response);

/* The `user_data` that the load was started with. */
SDIMAGE_API void *sdimage_task_token(const sdimage_task *task);

/* --- Replies: how a hook that may wait answers. Class: synchronised.
 *
 * A hook gets a reply with a reference of its own and completes it once, now or later, on any thread; a second
 * completion is ignored. Releasing it uncompleted is the answer INTERNAL_ERROR. */

SDIMAGE_API sdimage_reply *sdimage_reply_ref(sdimage_reply *reply);
SDIMAGE_API void sdimage_reply_unref(sdimage_reply *reply);

/* Done, with nothing to say: "stored", "removed", or "no such entry" to a query. */
SDIMAGE_API void sdimage_reply_complete(sdimage_reply *reply);
/* Here are the bytes. Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_data(sdimage_reply *reply, sdimage_data *data);
/* The same with all that belongs to them, for caches (cache_entry.h). Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_entry(sdimage_reply *reply, sdimage_cache_entry *entry);
/* It failed. Referenced, not consumed; NULL counts as INTERNAL_ERROR. */
SDIMAGE_API void sdimage_reply_complete_with_error(sdimage_reply *reply, sdimage_error *error);
/* Whether nobody waits for the answer any more. */
SDIMAGE_API bool sdimage_reply_is_cancelled(const sdimage_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
