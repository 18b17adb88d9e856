/* track.c: an open movie: its container, the times of its frames, seeking and decoding (see track.h).
 *
 * 1. sdav_open opens the container and selects a track.
 * 2. sdav_count reads all packets to learn the times of the frames. Only animations and headers need it.
 * 3. sdav_decode_index and sdav_decode_time seek the key frame before a frame, unless it is the next one, and decode up
 *    to it. */
#include "track.h"

#include <libavutil/display.h>
#include <libavutil/mathematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "input.h"
#include "packet.h"
#include "tables.h"

/* Limits: counted frames (docs/decisions.md, "Limits of one decode"), tracks, and bytes that libavformat reads at
 * once. */
enum { MOST_FRAMES = 10000, MOST_TRACKS = 32, BUFFER = 32768 };

/* Names of the permitted demuxers of libavformat. Others, such as playlists, could refer to further files. */
static const char containers[] = "mov,matroska,webm,avi";

/* --- The container. */

/* Opens the container without reading frames. On failure sdav_close frees what was opened. */
static sdimage_status open_container(sdav_movie *movie, sdimage_error **error) {
    AVDictionary *options = NULL;
    uint8_t *buffer = av_malloc(BUFFER);
    movie->io = buffer ? avio_alloc_context(buffer, BUFFER, 0, movie, sdav_read_bytes, NULL, sdav_seek_bytes) : NULL;
    /* The context owns the buffer, once it exists. */
    if (!movie->io)
        av_free(buffer);
    movie->format = avformat_alloc_context();
    if (!movie->io || !movie->format)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a decoder");
    /* Must precede avformat_open_input, which allocates memory for all announced samples. */
    sdimage_status status = sdav_check_tables(movie, error);
    if (status < 0)
        return status;
    movie->format->pb = movie->io;
    movie->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    movie->format->interrupt_callback = (AVIOInterruptCB){sdav_must_end, movie};
    movie->format->io_open = sdav_open_nothing;
    av_dict_set(&options, "format_whitelist", containers, 0);
    av_dict_set(&options, "codec_whitelist", sdav_codecs, 0);
    av_dict_set(&options, "protocol_whitelist", "none", 0);
    av_dict_set_int(&options, "max_streams", MOST_TRACKS, 0);
    /* Titles of chapters may share their bytes in the file. */
    av_dict_set_int(&options, "ignore_chapters", 1, 0);
    /* 0: an index of fragments (`mfra`), which libavformat uses in files of one encoder only, is not read. */
    av_dict_set_int(&options, "use_mfra_for", 0, 0);
    /* Otherwise libavformat makes entries for the samples of each edit. Without, only the start of the first counts. */
    if (movie->has_many_edits)
        av_dict_set_int(&options, "advanced_editlist", 0, 0);
    int code = avformat_open_input(&movie->format, NULL, NULL, &options);
    av_dict_free(&options);
    /* The allocations of libavformat depend on the tables of the file. */
    if (code == AVERROR(ENOMEM))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: no memory for the tables");
    return code < 0 ? sdav_fail(movie, code, "video: container cannot be read", error) : SDIMAGE_STATUS_OK;
}

/* Selects the largest video track that is not a cover image and can be decoded; false for none. */
static bool select_track(sdav_movie *movie) {
    int64_t most = -1;
    for (unsigned i = 0; i < movie->format->nb_streams; i++) {
        AVStream *stream = movie->format->streams[i];
        const AVCodecParameters *said = stream->codecpar;
        bool is_good = said->codec_type == AVMEDIA_TYPE_VIDEO && sdav_codec_for(said->codec_id);
        int64_t area = (int64_t)said->width * said->height;
        /* av_read_frame then skips the packets of other tracks. */
        stream->discard = AVDISCARD_ALL;
        if (is_good && !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC) && area > most)
            movie->stream = stream, most = area;
    }
    if (movie->stream)
        movie->stream->discard = AVDISCARD_DEFAULT;
    return movie->stream;
}

/* Returns the track's matrix as an EXIF orientation; angles other than quarter turns count as none. */
static sdimage_orientation orientation_of(const AVStream *stream) {
    /* Rows: counter-clockwise quarter turns. Columns: not mirrored, mirrored left to right before the turn. */
    static const uint8_t table[4][2] = {{1, 2}, {8, 5}, {3, 4}, {6, 7}};
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    const AVPacketSideData *found = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    const uint8_t *bytes = found && found->size >= 9 * sizeof(int32_t) ? found->data : NULL;
#else
    size_t size = 0;
    const uint8_t *bytes = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    bytes = size >= 9 * sizeof(int32_t) ? bytes : NULL;
#endif
    if (!bytes)
        return SDIMAGE_ORIENTATION_UP;
    int32_t matrix[9];
    memcpy(matrix, bytes, sizeof matrix);
    bool mirrored = (double)matrix[0] * matrix[4] - (double)matrix[1] * matrix[3] < 0;
    /* Leaves a pure rotation, whose angle is read next. */
    if (mirrored)
        av_display_matrix_flip(matrix, 1, 0);
    double angle = av_display_rotation_get(matrix);
    if (isnan(angle))
        return SDIMAGE_ORIENTATION_UP;
    /* lround gives -2 to 2 quarter turns; adding 4 makes the index positive. */
    return (sdimage_orientation)table[(unsigned)(lround(angle / 90) + 4) % 4][mirrored];
}

sdimage_status sdav_open(sdav_movie *movie, const void *bytes, const sdimage_source *source, uint64_t length,
                         const sdcs_request *request, sdcs_deadline deadline, sdimage_error **error) {
    *movie =
        (sdav_movie){.bytes = bytes, .source = source, .length = length, .deadline = deadline, .request = *request};
    sdimage_status status = open_container(movie, error);
    if (status < 0)
        return status;
    if (!select_track(movie))
        /* Data that ends before its tracks is not a file without them. */
        return movie->is_truncated && !movie->format->nb_streams
                   ? sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "video: data ends early")
                   : sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "video: no track can be decoded");
    enum AVCodecID codec = movie->stream->codecpar->codec_id;
    /* The parsers of these codecs allocate memory for each unit (NAL, OBU) of a packet, before it can be checked. */
    if (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_AV1)
        movie->format->flags |= AVFMT_FLAG_NOPARSE;
    movie->orientation = orientation_of(movie->stream);
    movie->packet = av_packet_alloc();
    movie->frame = av_frame_alloc();
    return movie->packet && movie->frame ? status
                                         : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a decoder");
}

void sdav_close(sdav_movie *movie) {
    avcodec_free_context(&movie->codec);
    av_packet_free(&movie->packet);
    av_frame_free(&movie->frame);
    avformat_close_input(&movie->format);
    if (movie->io)
        av_freep(&movie->io->buffer);
    avio_context_free(&movie->io);
    sdimage_error_unref(movie->source_error);
    free(movie->times);
    *movie = (sdav_movie){.count = 0};
}

/* --- Times. */

/* For qsort: times in ascending order. */
static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Appends a time. Errors: TOO_LARGE beyond MOST_FRAMES, NO_MEMORY. */
static sdimage_status add_time(sdav_movie *movie, int64_t time, sdimage_error **error) {
    if (movie->count == MOST_FRAMES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: frames exceed the limit of 10000");
    /* The array is full when the count is 0 or a power of two. */
    if ((movie->count & (movie->count - 1)) == 0) {
        int64_t *more = realloc(movie->times, (movie->count ? (size_t)movie->count * 2 : 1) * sizeof *more);
        if (!more)
            return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for frames");
        movie->times = more;
    }
    movie->times[movie->count++] = time;
    return SDIMAGE_STATUS_OK;
}

/* Limits a time so that sums of a few of them do not overflow. */
static int64_t bounded(int64_t time) {
    const int64_t most = INT64_MAX / 16;
    return time > most ? most : time < -most ? -most : time;
}

/* Returns the time of the first frame: counted, or as the track declares it. */
static int64_t start_of(const sdav_movie *movie) {
    if (movie->count)
        return movie->times[0];
    return movie->stream->start_time == AV_NOPTS_VALUE ? 0 : bounded(movie->stream->start_time);
}

/* Seeks to the key frame at or before a time; false if the container cannot. Clears earlier errors. */
static bool seek_to(sdav_movie *movie, int64_t time) {
    sdimage_error_unref(movie->source_error);
    movie->source_error = NULL;
    bool found = av_seek_frame(movie->format, movie->stream->index, time, AVSEEK_FLAG_BACKWARD) >= 0;
    if (movie->codec)
        avcodec_flush_buffers(movie->codec);
    movie->next = UINT32_MAX;
    movie->is_drained = movie->is_truncated = movie->is_full = false;
    return found;
}

/* Seeks to the first frame. Containers differ in the times they accept: tries the start, the earliest position, then
 * any position at all. */
static void rewind_movie(sdav_movie *movie) {
    int64_t start = start_of(movie);
    if (!seek_to(movie, start) && !seek_to(movie, INT64_MIN))
        avformat_seek_file(movie->format, movie->stream->index, INT64_MIN, start, INT64_MAX, 0);
    movie->next = 0;
}

/* Adds the time of every packet of the track, in decoding order. */
static sdimage_status read_times(sdav_movie *movie, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    int code = 0;
    while (status >= 0 && (code = av_read_frame(movie->format, movie->packet)) >= 0) {
        int64_t time = movie->packet->pts != AV_NOPTS_VALUE ? movie->packet->pts : movie->packet->dts;
        /* Packets outside of the edit list are decoded but not shown. Times near the limits of int64 are
         * implausible. */
        bool shown = !(movie->packet->flags & AV_PKT_FLAG_DISCARD) && time != AV_NOPTS_VALUE && time == bounded(time);
        if (movie->packet->stream_index == movie->stream->index && shown)
            status = add_time(movie, time, error);
        av_packet_unref(movie->packet);
        if (status >= 0)
            status = sdcs_check_deadline(movie->deadline, error);
    }
    /* A truncated file has the frames before its end; a source that failed may have more than were read. */
    if (status >= 0 && (!movie->count || movie->source_error))
        status = sdav_fail(movie, code, "video: track has no frames", error);
    return status;
}

sdimage_status sdav_count(sdav_movie *movie, sdimage_error **error) {
    if (movie->times)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = read_times(movie, error);
    if (status < 0) {
        free(movie->times);
        movie->times = NULL;
        movie->count = 0;
        return status;
    }
    /* Packets arrive in decoding order; frames are numbered in the order of display. */
    qsort(movie->times, movie->count, sizeof *movie->times, compare);
    rewind_movie(movie);
    return status;
}

/* Converts a span in units of the track; negative spans are 0. */
static uint32_t milliseconds(const sdav_movie *movie, int64_t ticks) {
    int64_t ms = ticks > 0 ? av_rescale_q(ticks, movie->stream->time_base, (AVRational){1, 1000}) : 0;
    return ms < 0 ? 0 : ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}

/* Returns the time at which a frame after the last one would begin. */
static int64_t end_of(const sdav_movie *movie) {
    int64_t last = movie->times[movie->count - 1], whole = bounded(movie->stream->duration);
    if (movie->stream->duration > 0 && start_of(movie) + whole > last)
        return start_of(movie) + whole;
    /* Without a duration the last frame lasts as long as the one before it. */
    return movie->count > 1 ? 2 * last - movie->times[movie->count - 2] : last;
}

uint32_t sdav_duration_ms(const sdav_movie *movie, uint32_t index) {
    if (index >= movie->count)
        return 0;
    /* Begin and end are rounded separately, so that the sum of the durations stays exact. */
    int64_t first = movie->times[0];
    int64_t end = index + 1 < movie->count ? movie->times[index + 1] : end_of(movie);
    return milliseconds(movie, end - first) - milliseconds(movie, movie->times[index] - first);
}

uint64_t sdav_total_ms(const sdav_movie *movie) {
    if (movie->count)
        return milliseconds(movie, end_of(movie) - movie->times[0]);
    if (movie->stream->duration > 0)
        return milliseconds(movie, movie->stream->duration);
    return movie->format->duration > 0 ? (uint64_t)movie->format->duration / 1000 : 0;
}

/* --- Decoding. */

/* Decodes the next frame in presentation order; END after the last. */
static sdimage_status decode_next(sdav_movie *movie, sdimage_error **error) {
    for (;;) {
        sdimage_status status = sdcs_check_deadline(movie->deadline, error);
        if (status < 0)
            return status;
        /* Frames first: the decoder may refuse packets while it has frames to return. */
        int code = avcodec_receive_frame(movie->codec, movie->frame);
        if (code >= 0)
            return SDIMAGE_STATUS_OK;
        if (code == AVERROR_EOF)
            return SDIMAGE_STATUS_END;
        if (code != AVERROR(EAGAIN))
            return sdav_fail(movie, code, "video: frame cannot be decoded", error);
        code = av_read_frame(movie->format, movie->packet);
        if (code == AVERROR_EXIT)
            return sdav_fail(movie, code, "", error);
        /* Any read error counts as the end: the frames before it remain usable. */
        bool is_end = code < 0, is_other = code >= 0 && movie->packet->stream_index != movie->stream->index;
        if (is_end && movie->is_drained)
            return SDIMAGE_STATUS_END;
        movie->is_drained = movie->is_drained || is_end;
        status = is_end || is_other ? SDIMAGE_STATUS_OK : sdav_check_packet(movie, error);
        if (status < 0) {
            av_packet_unref(movie->packet);
            return status;
        }
        /* NULL asks the decoder for the frames that it still holds. */
        if (!is_other)
            code = avcodec_send_packet(movie->codec, is_end ? NULL : movie->packet);
        av_packet_unref(movie->packet);
        /* Damage of one frame need not affect the next. */
        if (!is_other && (code == AVERROR(ENOMEM) || movie->is_full))
            return sdav_fail(movie, code, "", error);
    }
}

/* Returns the display time; AV_NOPTS_VALUE if the decoder cannot tell. */
static int64_t time_of(const AVFrame *frame) {
    return frame->best_effort_timestamp;
}

/* Decodes up to the frame that is shown at a time; the last frame if the time is later. */
static sdimage_status decode_until(sdav_movie *movie, int64_t time, sdimage_error **error) {
    AVFrame *candidate = av_frame_alloc();
    sdimage_status status =
        candidate ? SDIMAGE_STATUS_OK : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a frame");
    bool has_candidate = false;
    while (status >= 0) {
        status = decode_next(movie, error);
        if (status != SDIMAGE_STATUS_OK)
            break;
        int64_t now = time_of(movie->frame);
        /* A frame without a time, or the first of a movie that begins later, is the best match. */
        if (now == AV_NOPTS_VALUE || now == time || (now > time && !has_candidate))
            break;
        /* The frame before covers the time. */
        if (now > time) {
            av_frame_unref(movie->frame);
            av_frame_move_ref(movie->frame, candidate);
            break;
        }
        av_frame_unref(candidate);
        av_frame_move_ref(candidate, movie->frame);
        has_candidate = true;
    }
    /* After a read error of the source, the frames that would follow are unknown. */
    if (status == SDIMAGE_STATUS_END && has_candidate && !movie->source_error) {
        av_frame_move_ref(movie->frame, candidate);
        status = SDIMAGE_STATUS_OK;
    } else if (status == SDIMAGE_STATUS_END) {
        status = sdav_fail(movie, 0, "video: no frame can be decoded", error);
    }
    av_frame_free(&candidate);
    return status;
}

/* Seeks the frame that is shown at a time. Leading frames of a key frame can be decoded only from the key frame before
 * it. If the first frame after the seek is too late, the search repeats from further back, finally from the start. */
static sdimage_status find(sdav_movie *movie, int64_t time, sdimage_error **error) {
    int64_t start = start_of(movie), back = 0;
    /* Two seconds in units of the track; quadrupled after each search that begins too late. */
    int64_t step = bounded(av_rescale_q(2, (AVRational){1, 1}, movie->stream->time_base));
    for (;;) {
        bool is_start = time - start <= back || !seek_to(movie, time - back);
        if (is_start)
            rewind_movie(movie);
        /* Errors count only from the start: an earlier key frame may help. */
        sdimage_status status = decode_until(movie, time, is_start ? error : NULL);
        if (is_start || (status >= 0 && time_of(movie->frame) <= time))
            return status;
        status = sdcs_check_deadline(movie->deadline, error);
        if (status < 0)
            return status;
        back = bounded(back ? back * 4 : step < 1 ? 1 : step);
    }
}

sdimage_status sdav_decode_index(sdav_movie *movie, uint32_t index, sdimage_error **error) {
    if (index >= movie->count)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "video: frame index is out of range");
    int64_t time = movie->times[index];
    sdimage_status status = index == movie->next ? decode_next(movie, error) : SDIMAGE_STATUS_END;
    /* Also if a frame was left out: finds the frame that is shown in its place. */
    if (status == SDIMAGE_STATUS_END || (status >= 0 && time_of(movie->frame) != time))
        status = find(movie, time, error);
    /* If another frame stands for the requested one, the position of the decoder is unknown. */
    movie->next = status >= 0 && time_of(movie->frame) == time ? index + 1 : UINT32_MAX;
    return status;
}

sdimage_status sdav_decode_time(sdav_movie *movie, int64_t ms, sdimage_error **error) {
    int64_t start = start_of(movie);
    /* Rounded down: the frame shown has begun. */
    AVRational unit = movie->stream->time_base, thousandth = {1, 1000};
    int64_t time = ms > 0 ? bounded(av_rescale_q_rnd(ms, thousandth, unit, AV_ROUND_DOWN)) : 0;
    /* The first frame follows the header: no seek is necessary. */
    if (!time && movie->next == 0)
        return decode_until(movie, start, error);
    return find(movie, bounded(start + time), error);
}
