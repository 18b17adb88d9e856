/* codec.c: the decoder of a track, restricted to a list of codecs, and the limit of the memory of its frames.
 *
 * libavcodec allocates frames through get_buffer, which counts them in movie->held. libdav1d allocates on its own: for
 * AV1 only the size and format of a frame are limited. */
#include "codec.h"

#include <libavutil/imgutils.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "packet.h"

/* Maximum number of threads that decode slices of one frame. */
enum { MOST_THREADS = 4 };

const char sdav_codecs[] = "hevc,h264,vp8,vp9,libdav1d,av1,mpeg4,mjpeg";

/* Compares whole names: "av1" is also a part of "libdav1d". */
static bool is_listed(const AVCodec *codec) {
    for (const char *at = sdav_codecs; codec && at; at = strchr(at, ','), at = at ? at + 1 : NULL) {
        size_t length = strcspn(at, ",");
        if (strlen(codec->name) == length && !strncmp(codec->name, at, length))
            return true;
    }
    return false;
}

/* Returns the listed decoder for a codec; libavcodec may prefer another one for it. */
const AVCodec *sdav_codec_for(enum AVCodecID id) {
    const AVCodec *codec = NULL;
    for (void *cursor = NULL; (codec = av_codec_iterate(&cursor));) {
        if (codec->id == id && av_codec_is_decoder(codec) && is_listed(codec))
            return codec;
    }
    return NULL;
}

/* --- Frames held besides the current one: reference frames, and frames that wait for their display time. */

/* Limit of the bytes of held frames: a number of bitmaps of max_bytes, and a minimum that is always allowed (16
 * reference frames in full HD). */
enum { BITMAPS = 4 };
static const uint64_t LEAST_HELD = (uint64_t)64 << 20, STANDARD_BITMAP = (uint64_t)256 << 20;

/* An AV1 decoder holds up to 8 reference frames, the frame it decodes and the frame it handed out. dav1d allocates
 * memory by itself, so only the size and format of a frame can be bounded. */
enum { AV1_FRAMES = 10 };

/* Returns the limit of the bytes of held frames. Frames are decoded at full size, whatever the size of a thumbnail: its
 * bitmap counts as at least 256 MiB. */
static uint64_t most_held(const sdcs_request *request) {
    bool shrinks = request->box.width && request->box.height;
    uint64_t bitmap = shrinks && request->max_bytes < STANDARD_BITMAP ? STANDARD_BITMAP : request->max_bytes;
    uint64_t most = bitmap < UINT64_MAX / BITMAPS ? bitmap * BITMAPS : UINT64_MAX;
    return most < LEAST_HELD ? LEAST_HELD : most;
}

/* The bytes that one frame adds to movie->held, and the buffer that libavcodec allocated for its first plane. */
typedef struct share {
    sdav_movie *movie;
    AVBufferRef *buffer;
    uint64_t bytes;
} share;

/* Called by libavutil when the last reference to the counted buffer is released. */
static void release_share(void *opaque, uint8_t *data) {
    (void)data;
    share *self = opaque;
    self->movie->held -= self->bytes;
    av_buffer_unref(&self->buffer);
    free(self);
}

/* Returns the bytes of the buffers of a frame. Padding multiplies those of narrow frames: rows of 16 pixels take 192
 * bytes in 4:2:0. */
static uint64_t bytes_of(const AVFrame *frame) {
    uint64_t bytes = 0;
    for (int i = 0; i < AV_NUM_DATA_POINTERS && frame->buf[i]; i++)
        bytes += frame->buf[i]->size;
    return bytes;
}

/* Returns ENOMEM if further bytes exceed the limit of those that the movie holds. */
static int check_room(sdav_movie *movie, uint64_t bytes) {
    if (movie->held + bytes <= most_held(&movie->request))
        return 0;
    movie->is_full = true;
    return AVERROR(ENOMEM);
}

/* Allocates the buffers of a frame, if the movie may hold them. */
static int allocate(AVCodecContext *codec, AVFrame *frame, int flags) {
    /* The pixels without padding: the least that is allocated. */
    int least = av_image_get_buffer_size(frame->format, frame->width, frame->height, 1);
    int code = least < 0 ? least : check_room(codec->opaque, (uint64_t)least);
    if (code >= 0)
        code = avcodec_default_get_buffer2(codec, frame, flags);
    if (code < 0)
        return code;
    code = check_room(codec->opaque, bytes_of(frame));
    if (code < 0)
        av_frame_unref(frame);
    return code;
}

/* Allocates the memory of a frame and counts it until both the decoder and the movie have released it. */
static int get_buffer(AVCodecContext *codec, AVFrame *frame, int flags) {
    sdav_movie *movie = codec->opaque;
    share *share = malloc(sizeof *share);
    int code = share ? allocate(codec, frame, flags) : AVERROR(ENOMEM);
    if (code < 0) {
        free(share);
        return code;
    }
    *share = (struct share){movie, frame->buf[0], bytes_of(frame)};
    /* Replaces the buffer of the first plane only: a frame releases the buffers of all planes together. */
    AVBufferRef *counted = av_buffer_create(share->buffer->data, share->buffer->size, release_share, share, 0);
    if (!counted) {
        free(share);
        av_frame_unref(frame);
        return AVERROR(ENOMEM);
    }
    frame->buf[0] = counted;
    movie->held += share->bytes;
    return 0;
}

/* --- Opening. */

/* Checks the size that the container declares, before the decoder allocates anything. sdav_make_image checks the size
 * of the decoded frame again. */
static sdimage_status check_size(const sdav_movie *movie, sdimage_error **error) {
    uint64_t width = movie->stream->codecpar->width > 0 ? (uint64_t)movie->stream->codecpar->width : 0;
    uint64_t height = movie->stream->codecpar->height > 0 ? (uint64_t)movie->stream->codecpar->height : 0;
    if (width * height > movie->request.max_pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    if (movie->codec->codec_id == AV_CODEC_ID_AV1 && width * height > (uint64_t)movie->codec->max_pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, SDAV_FULL);
    return SDIMAGE_STATUS_OK;
}

/* Sets the limits of the decoder. libavcodec itself refuses frames of more than `max_pixels`. */
static void limit(sdav_movie *movie) {
    AVCodecContext *codec = movie->codec;
    uint64_t most = movie->request.max_pixels < INT64_MAX ? movie->request.max_pixels : INT64_MAX;
    if (codec->codec_id == AV_CODEC_ID_AV1) {
        uint64_t held = most_held(&movie->request) / AV1_FRAMES / sdav_announced_bytes(movie->stream->codecpar) * 4;
        most = most < held ? most : held;
        /* For dav1d: limits decoding to one frame at a time. */
        codec->flags |= AV_CODEC_FLAG_LOW_DELAY;
    }
    codec->max_pixels = (int64_t)most;
    codec->opaque = movie;
    codec->get_buffer2 = get_buffer;
    int processors = sdcs_processors();
    codec->thread_count = processors < MOST_THREADS ? processors : MOST_THREADS;
    /* Frame threads would each hold one more frame. */
    codec->thread_type = FF_THREAD_SLICE;
}

sdimage_status sdav_codec_open(sdav_movie *movie, sdimage_error **error) {
    const AVCodec *codec = sdav_codec_for(movie->stream->codecpar->codec_id);
    movie->codec = avcodec_alloc_context3(codec);
    if (!movie->codec)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a decoder");
    int code = avcodec_parameters_to_context(movie->codec, movie->stream->codecpar);
    if (code < 0)
        return sdav_fail(movie, code, "video: track cannot be read", error);
    movie->codec->pkt_timebase = movie->stream->time_base;
    limit(movie);
    sdimage_status status = check_size(movie, error);
    if (status >= 0)
        status = sdav_check_configuration(movie, movie->codec->extradata, (size_t)movie->codec->extradata_size, error);
    if (status < 0)
        return status;
    code = avcodec_open2(movie->codec, codec, NULL);
    return code < 0 ? sdav_fail(movie, code, "video: track cannot be decoded", error) : SDIMAGE_STATUS_OK;
}
