/* probe.h: what a file is, by a bounded look at it. */
#ifndef SDPHOTO_PROBE_H
#define SDPHOTO_PROBE_H

#include <sdimage/data.h>

#include "asset.h"

/* How much of the beginning of a file is read to know it, at most: first a little, then more where that does not do. */
enum { SDPHOTO_HEAD = 64 << 10, SDPHOTO_LONG_HEAD = 1 << 20, SDPHOTO_LONGEST_HEAD = 64 << 20 };

/* Opens a regular file; the descriptor, or -1 with errno. */
int sdphoto_open_file(int folder, const char *name);

/* Reads up to `length` bytes at an offset; fewer only at the end of the file; -1 with errno. */
int64_t sdphoto_read_at(int descriptor, void *bytes, size_t length, int64_t offset);

/* All bytes, as long as there are no more than `limit`. Errors: those of files, EMPTY_DATA, TOO_LARGE, NO_MEMORY. */
sdimage_status sdphoto_read_all(int descriptor, uint64_t limit, sdimage_data **data, sdimage_error **error);

/* What the first bytes say; `facts->media` is 0 for what is no photo, video or sound. */
void sdphoto_sniff(const uint8_t *bytes, size_t length, sdphoto_facts *facts);

/* Size, orientation, date, and whether it moves; false where that needs more bytes. */
bool sdphoto_describe(const uint8_t *bytes, size_t length, sdphoto_facts *facts);

/* All that, and a digest of length, beginning and end, by which a copy is known again. False with errno
 * where the file cannot be read. */
bool sdphoto_probe(int descriptor, uint64_t file_size, sdphoto_facts *facts, uint8_t digest[16]);

#endif
