/* support.h: common functions of the plug-in: errors of files, text, growing arrays, times. */
#ifndef SDPHOTO_SUPPORT_H
#define SDPHOTO_SUPPORT_H

#include <sdimage/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "fail.h"

/* Return the status for the errno of a file, and the same with an error. */
sdimage_status sdphoto_status_of(int number);
sdimage_status sdphoto_fail_file(sdimage_error **error, int number);

/* Concatenates up to three texts. NULL if memory is exhausted or the length overflows. A NULL argument counts as "". */
char *sdphoto_join(const char *a, const char *b, const char *c);

/* Reports that a path is in a folder, at any depth; everything is below "". */
bool sdphoto_is_below(const char *path, const char *folder);

/* Makes room for one more element of `size` bytes in the array that `*array` points to; false if memory is
 * exhausted. */
bool sdphoto_grow(void *array, size_t count, size_t *capacity, size_t size);

/* Returns the time of the system clock, in nanoseconds since 1970. */
int64_t sdphoto_now_ns(void);
/* Converts a time since 1970 to nanoseconds, clamped to the range (a file may have any year). */
int64_t sdphoto_nanoseconds(struct timespec time);

#endif
