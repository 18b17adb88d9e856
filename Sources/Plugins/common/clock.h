/* clock.h: the time that a decode may take. */
#ifndef SDPLUG_CLOCK_H
#define SDPLUG_CLOCK_H

#include <sdimage/coder.h>

/* A moment of the monotonic clock, in nanoseconds. */
typedef uint64_t sdplug_deadline;

/* When work that begins now must be over: by the options, which may be NULL; and after so many milliseconds. */
sdplug_deadline sdplug_deadline_of(const sdimage_decode_options *options);
sdplug_deadline sdplug_deadline_after(uint32_t milliseconds);
bool sdplug_is_over(sdplug_deadline deadline);

/* TIMEOUT once it is over. */
sdimage_status sdplug_check_time(sdplug_deadline deadline, sdimage_error **error);

#endif
