/* input.c: the callbacks through which libavformat reads a movie, and the translation of its errors (see input.h).
 *
 * They run on the thread of the call that reads the movie. */
#include "input.h"

#include <string.h>

/* Reads up to `size` bytes at the current offset and returns their number. AVERROR_EOF at the end, AVERROR(EIO) for an
 * error of the source, AVERROR_EXIT after the deadline or a
 * cancellation. */
int sdav_read_bytes(void *opaque, uint8_t *buffer, int size) {
    sdav_movie *movie = opaque;
    uint64_t left = movie->at < movie->length ? movie->length - movie->at : 0;
    size_t count = size < 0 ? 0 : (uint64_t)size < left ? (size_t)size : (size_t)left, got = count;
    /* libavformat checks the interrupt callback only in its own protocols. */
    if (sdcs_must_end(movie->deadline))
        return AVERROR_EXIT;
    if (!count) {
        movie->is_truncated = true;
        return AVERROR_EOF;
    }
    /* The first error is the one to report; libavformat may read on after it. */
    sdimage_error **source_error = movie->source_error ? NULL : &movie->source_error;
    if (movie->bytes)
        memcpy(buffer, movie->bytes + movie->at, count);
    else if (sdimage_source_read(movie->source, movie->at, buffer, count, &got, source_error) < 0 || !got)
        return AVERROR(EIO);
    movie->at += got;
    return (int)got;
}

/* Moves the current offset and returns it; AVSEEK_SIZE returns the size. A target beyond the end is refused, and noted
 * as truncation. */
int64_t sdav_seek_bytes(void *opaque, int64_t offset, int whence) {
    sdav_movie *movie = opaque;
    if (whence & AVSEEK_SIZE)
        return movie->length > INT64_MAX ? AVERROR(EINVAL) : (int64_t)movie->length;
    whence &= ~AVSEEK_FORCE;
    int64_t from = whence == SEEK_CUR ? (int64_t)movie->at : whence == SEEK_END ? (int64_t)movie->length : 0;
    if ((offset > 0 && from > INT64_MAX - offset) || from + offset < 0)
        return AVERROR(EINVAL);
    if ((uint64_t)(from + offset) > movie->length) {
        movie->is_truncated = true;
        return AVERROR(EINVAL);
    }
    movie->at = (uint64_t)(from + offset);
    return from + offset;
}

int sdav_must_end(void *opaque) {
    return sdcs_must_end(((const sdav_movie *)opaque)->deadline);
}

int sdav_open_nothing(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

/* In the order of precedence: errors of the source and the deadline are the causes of later errors of the libraries. */
sdimage_status sdav_fail(const sdav_movie *movie, int code, const char *message, sdimage_error **error) {
    if (movie->source_error) {
        if (error)
            *error = sdimage_error_ref(movie->source_error);
        return sdimage_error_code(movie->source_error);
    }
    sdimage_status status = sdcs_check_deadline(movie->deadline, error);
    if (status < 0)
        return status;
    if (movie->is_full)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, SDAV_FULL);
    if (code == AVERROR(ENOMEM))
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a decoder");
    if (movie->is_truncated)
        return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "video: data ends early");
    return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, message);
}
