/* movie.h: the state of an open movie. track.c fills it. */
#ifndef SDAV_MOVIE_H
#define SDAV_MOVIE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <sdimage/sys/source.h>

#include "image.h"
#include "deadline.h"

typedef struct sdav_movie {
    /* The input: bytes, which must outlive the movie, or a source. */
    const uint8_t *bytes;
    const sdimage_source *source;
    uint64_t length, at;
    bool is_truncated;           /* a read went beyond the end */
    sdimage_error *source_error; /* the source's own error */
    sdcs_deadline deadline;

    sdcs_request request;
    AVIOContext *io;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *codec; /* NULL until opened */
    AVPacket *packet;
    AVFrame *frame;        /* the latest frame */
    _Atomic uint64_t held; /* bytes of the frames that the decoder and the movie hold (codec.c) */
    bool is_full;          /* they would exceed the limit */
    bool is_sequence;
    sdimage_orientation orientation;

    int64_t *times; /* times of the frames, in the units of the stream; NULL until counted */
    uint32_t count;
    uint32_t next; /* index of the frame that is decoded next; UINT32_MAX if unknown */
    bool is_drained;
} sdav_movie;

#endif
