/* movie.h: the pictures of one track of a movie. */
#ifndef SDAV_MOVIE_H
#define SDAV_MOVIE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <sdimage/source.h>

#include "../../Modules/common/picture.h"
#include "../common/clock.h"

typedef struct sdav_movie {
    /* What is read: bytes, which must outlive the movie, or a source. */
    const uint8_t *bytes;
    const sdimage_source *source;
    uint64_t length, at;
    bool is_short;         /* something was to be read that lies behind the end */
    sdimage_error *broken; /* the source's own error */
    sdplug_deadline deadline;

    sdmod_wish wish;
    AVIOContext *io;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *codec; /* NULL until it was opened */
    AVPacket *packet;
    AVFrame *frame;        /* the latest picture */
    _Atomic uint64_t held; /* bytes of the pictures that the decoder and the movie hold (codec.c) */
    bool is_full;          /* they were to be more than they may */
    bool is_sequence;
    sdimage_orientation orientation;

    int64_t *times; /* of the pictures, in the units of the stream; NULL until they were counted */
    uint32_t count;
    uint32_t next; /* the picture that decoding comes to next; UINT32_MAX where that is not known */
    bool is_drained;
} sdav_movie;

/* Reads the container; to be closed, also after a failure. Pictures are decoded once sdav_codec_open (codec.h) was
 * called too. Errors: BAD_DATA, TRUNCATED, TOO_LARGE (its tables), UNSUPPORTED (no track that can be decoded), TIMEOUT,
 * NO_MEMORY, those of the source. */
sdimage_status sdav_open(sdav_movie *movie, const void *bytes, const sdimage_source *source, uint64_t length,
                         const sdmod_wish *wish, sdplug_deadline deadline, sdimage_error **error);
void sdav_close(sdav_movie *movie);

/* Finds the times of all pictures, by reading the track without decoding it; none are known after a failure. TOO_LARGE:
 * more than 10000. */
sdimage_status sdav_count(sdav_movie *movie, sdimage_error **error);

/* Milliseconds that a picture is shown, once they were counted. */
uint32_t sdav_duration_ms(const sdav_movie *movie, uint32_t index);
/* Of the whole movie, by its header or the pictures counted. */
uint64_t sdav_total_ms(const sdav_movie *movie);

/* Decodes picture `index`, once they were counted; the picture at a time; both into `frame`. Errors as above. */
sdimage_status sdav_decode_index(sdav_movie *movie, uint32_t index, sdimage_error **error);
sdimage_status sdav_decode_time(sdav_movie *movie, int64_t milliseconds, sdimage_error **error);

#endif
