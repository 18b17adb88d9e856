/* input.h: what libavformat calls, each with the movie; and what went wrong. */
#ifndef SDAV_INPUT_H
#define SDAV_INPUT_H

#include "movie.h"

/* As avio_alloc_context wants them. */
int sdav_read_bytes(void *opaque, uint8_t *buffer, int size);
int64_t sdav_seek_bytes(void *opaque, int64_t offset, int whence);

/* Whether the time is over. */
int sdav_is_over(void *opaque);

/* Playlists and references to other files lead nowhere. */
int sdav_open_nothing(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options);

/* Pictures that are held take more than they may. */
#define SDAV_FULL "pictures that refer to each other of more bytes than four times max_bytes"

/* What a library's code means: the source's own error, TIMEOUT, TOO_LARGE, NO_MEMORY, TRUNCATED; else BAD_DATA, with
 * that message. */
sdimage_status sdav_fail(const sdav_movie *movie, int code, const char *message, sdimage_error **error);

#endif
