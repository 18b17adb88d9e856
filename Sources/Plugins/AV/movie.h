/* movie.h: the state of an open movie. track.c fills it and describes its use; one thread at a time has it. */
#ifndef SDAV_MOVIE_H
#define SDAV_MOVIE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <sdimage/sys/source.h>

#include "image.h"
#include "deadline.h"

/* A movie and its decoder. Times are in units of the track (AVStream.time_base) unless their name ends with `_ms`. */
typedef struct sdav_movie {
    /* The input: bytes, which must outlive the movie, or a source. */
    const uint8_t *bytes;
    const sdimage_source *source;
    uint64_t length, at;         /* bytes: the size of the input, and the offset of the next read */
    bool is_truncated;           /* a read went beyond the end */
    bool has_many_edits;         /* edit lists could repeat too many samples (tables.c) */
    sdimage_error *source_error; /* the source's own error */
    sdcs_deadline deadline;      /* deadline of the running call */

    sdcs_request request;
    AVIOContext *io; /* buffered input that calls input.c */
    AVFormatContext *format;
    AVStream *stream;                /* the selected track; NULL until found */
    AVCodecContext *codec;           /* NULL until opened */
    AVPacket *packet;                /* reused for every packet that is read */
    AVFrame *frame;                  /* the latest frame */
    _Atomic uint64_t held;           /* bytes of the frames that the decoder and the movie hold (codec.c) */
    bool is_full;                    /* they would exceed the limit */
    bool is_sequence;                /* a HEIC sequence; false: a video */
    sdimage_orientation orientation; /* by the matrix of the track */

    int64_t *times;  /* times of the frames, in the units of the stream; NULL until counted */
    uint32_t count;  /* entries of `times` */
    uint32_t next;   /* index of the frame that is decoded next; UINT32_MAX if unknown */
    bool is_drained; /* no packets are left: the decoder returns its last frames */
} sdav_movie;

#endif
