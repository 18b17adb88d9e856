/* packet.c: the units of H.264 and H.265, and the pixel format of AV1 (see packet.h).
 *
 * libavcodec splits a packet into units, and keeps 4 KiB for each, which may have 4 bytes in the packet. It also keeps
 * each message of SEI, which takes 64 times its bytes, and hands it out with the frame. dav1d allocates pictures in the
 * format of the stream, which the track only announces. */
#include "packet.h"

#include "av1_stream.h"

/* Limit of the units of a picture. H.265 permits 600 slices (level 6.2). */
enum { MOST_UNITS = 1 << 14 };

/* The units of a packet. */
typedef struct units {
    enum AVCodecID codec;
    size_t count, messages; /* units; bytes of those with supplemental enhancement information (SEI) */
} units;

static void add_unit(units *self, sdcs_span unit) {
    /* Types of units: H.264, table 7-1; H.265, table 7-1. */
    uint32_t head = unit.length ? unit.bytes[0] : 0, type = head >> 1 & 63;
    self->count++;
    if (self->codec == AV_CODEC_ID_H264 ? (head & 31) == 6 : type == 39 || type == 40)
        self->messages += unit.length;
}

/* Adds the units behind start codes (H.264 and H.265, annex B). */
static void add_coded(units *self, sdcs_span bytes) {
    size_t start = 0;
    for (size_t i = 2; i < bytes.length; i++) {
        if (bytes.bytes[i] != 1 || bytes.bytes[i - 1] || bytes.bytes[i - 2])
            continue;
        if (start)
            add_unit(self, (sdcs_span){bytes.bytes + start, i - 2 - start});
        start = i + 1;
    }
    if (start)
        add_unit(self, (sdcs_span){bytes.bytes + start, bytes.length - start});
}

/* Adds units that begin with their length in `size` bytes (ISO/IEC 14496-15). As in libavcodec, a length of 0, or one
 * that exceeds the packet, ends them. */
static void add_measured(units *self, sdcs_span bytes, size_t size) {
    uint64_t length;
    while (sdcs_take(&bytes, size, &length) && length) {
        sdcs_span unit = {bytes.bytes, (size_t)length};
        if (!sdcs_skip(&bytes, unit.length))
            return;
        add_unit(self, unit);
    }
}

sdimage_status sdav_check_units(const sdav_movie *movie, const uint8_t *bytes, size_t length, sdimage_error **error) {
    units units = {.codec = movie->stream->codecpar->codec_id};
    if (units.codec != AV_CODEC_ID_H264 && units.codec != AV_CODEC_ID_HEVC)
        return SDIMAGE_STATUS_OK;
    /* libavcodec looks for start codes also between lengths. */
    add_coded(&units, (sdcs_span){bytes, length});
    /* Any packet may change the size of the lengths. Read in another size they end soon, at a 0. */
    for (size_t size = 1; size <= 4; size++)
        add_measured(&units, (sdcs_span){bytes, length}, size);
    if (units.count > MOST_UNITS)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: units of a picture exceed the limit of 16384");
    return units.messages > SDCS_BLOCK_LIMIT
               ? sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: SEI of a picture exceeds the limit of 1 MiB")
               : SDIMAGE_STATUS_OK;
}

/* Returns the bytes of 4 pixels; `chroma` as in sdcs_info. */
static uint32_t bytes_of(uint32_t bits, uint32_t chroma) {
    return (4 + chroma) * (bits > 8 ? 2 : 1);
}

uint32_t sdav_announced_bytes(const AVCodecParameters *track) {
    const uint32_t least = bytes_of(10, 2);
    if (track->extradata_size < 4)
        return least;
    /* av1C (AV1 Codec ISO Media File Format Binding, 2.3.3): after the tier, flags for more than 8 bits, 12 bits, gray,
     * and halved columns and rows of chroma. */
    uint32_t flags = track->extradata[2];
    uint32_t chroma = flags & 16 ? 0 : !(flags & 8) ? 8 : !(flags & 4) ? 4 : 2;
    uint32_t bytes = bytes_of(flags & 64 ? 10 : 8, chroma);
    return bytes > least ? bytes : least;
}

/* Checks the sequence headers of a packet of AV1. */
static sdimage_status check_format(const sdav_movie *movie, sdcs_span bytes, sdimage_error **error) {
    sdcs_av1_stream stream = {.bits = 0};
    sdcs_read_av1_stream(bytes, &stream);
    return bytes_of(stream.bits, stream.chroma) > sdav_announced_bytes(movie->stream->codecpar)
               ? sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA,
                           "video: pixels of AV1 take more bytes than the track announces")
               : SDIMAGE_STATUS_OK;
}

sdimage_status sdav_check_packet(const sdav_movie *movie, sdimage_error **error) {
    const AVPacket *packet = movie->packet;
    size_t length = packet->size > 0 ? (size_t)packet->size : 0, changed = 0;
    if (movie->stream->codecpar->codec_id == AV_CODEC_ID_AV1)
        return check_format(movie, (sdcs_span){packet->data, length}, error);
    /* A new configuration for this packet and those that follow. */
    const uint8_t *configuration = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &changed);
    sdimage_status status = sdav_check_units(movie, configuration, configuration ? changed : 0, error);
    return status < 0 ? status : sdav_check_units(movie, packet->data, length, error);
}
