/* progress.h: progress counters: completed units of a total.
 *
 * A target counts bytes with a counter. Several targets may share one, and a program may set it freely. Class:
 * synchronised. */
#ifndef SDIMAGE_PROGRESS_H
#define SDIMAGE_PROGRESS_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a counter of 0 of 0. NULL when memory is refused. */
SDIMAGE_API sdimage_progress *sdimage_progress_new(void);
SDIMAGE_API sdimage_progress *sdimage_progress_ref(sdimage_progress *progress);
SDIMAGE_API void sdimage_progress_unref(sdimage_progress *progress);

/* Number of bytes received. */
SDIMAGE_API int64_t sdimage_progress_completed(const sdimage_progress *progress);
/* Total number of bytes; 0 or less while it is unknown. */
SDIMAGE_API int64_t sdimage_progress_total(const sdimage_progress *progress);
/* Completed fraction, from 0 to 1; 0 while the total is unknown. */
SDIMAGE_API double sdimage_progress_fraction(const sdimage_progress *progress);

/* Sets both numbers at once; 0 and 0 is the initial state. */
SDIMAGE_API void sdimage_progress_set(sdimage_progress *progress, int64_t completed, int64_t total);

/* Called after each change, on the thread that made it: for the progress of a target, the target's dispatcher. */
typedef void (*sdimage_progress_fn)(void *user_data, sdimage_progress *progress);

/* Replaces the observer; NULL for none. `destroy(user_data)` is called once, after the observer's last call, also when
 * this call fails. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_progress_set_observer(sdimage_progress *progress, sdimage_progress_fn changed,
                                                         void *user_data, sdimage_destroy_fn destroy,
                                                         sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
