/* probe.h: recognition of a file's content from a bounded number of bytes. */
#ifndef SDPHOTO_PROBE_H
#define SDPHOTO_PROBE_H

#include <sdimage/data.h>

#include "asset.h"

/* Bytes read from the beginning of a file to recognize it: first a few, then more if necessary, at most the last
 * value. */
enum { SDPHOTO_HEAD = 64 << 10, SDPHOTO_LONG_HEAD = 1 << 20, SDPHOTO_LONGEST_HEAD = 64 << 20 };

/* Opens a regular file; returns the descriptor, or -1 with errno. */
int sdphoto_open_file(int folder, const char *name);

/* Reads up to `length` bytes at an offset, fewer only at the end of the file; -1 with errno. */
int64_t sdphoto_read_at(int descriptor, void *bytes, size_t length, int64_t offset);

/* Reads all bytes if there are at most `limit`. Errors: those of files, EMPTY_DATA, TOO_LARGE, NO_MEMORY. */
sdimage_status sdphoto_read_all(int descriptor, uint64_t limit, sdimage_data **data, sdimage_error **error);

/* Recognizes the type by the first bytes; `info->media` is 0 if it is not a photo, video or sound. */
void sdphoto_sniff(const uint8_t *bytes, size_t length, sdphoto_info *info);

/* Reads size, orientation, date and playback; false if that needs more bytes. */
bool sdphoto_describe(const uint8_t *bytes, size_t length, sdphoto_info *info);

/* Does both, and computes a digest of length, beginning and end that identifies copies. False with errno if the file
 * cannot be read. */
bool sdphoto_probe(int descriptor, uint64_t file_size, sdphoto_info *info, uint8_t digest[16]);

#endif
