/* input.h: callbacks of libavformat, each with the movie as context, and their errors. */
#ifndef SDAV_INPUT_H
#define SDAV_INPUT_H

#include "movie.h"

/* Signatures as in avio_alloc_context. */
int sdav_read_bytes(void *opaque, uint8_t *buffer, int size);
int64_t sdav_seek_bytes(void *opaque, int64_t offset, int whence);

/* Reports that the time has passed. */
int sdav_must_end(void *opaque);

/* Refuses playlists and references to other files. */
int sdav_open_nothing(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options);

/* The error for held frames that take more bytes than allowed. */
#define SDAV_FULL "video: reference frames have more than four times max_bytes"

/* Translates an error code of the libraries: the source's own error, TIMEOUT, TOO_LARGE, NO_MEMORY, TRUNCATED;
 * otherwise BAD_DATA with `message`. */
sdimage_status sdav_fail(const sdav_movie *movie, int code, const char *message, sdimage_error **error);

#endif
