/* packet.c: the NAL units of H.264 and H.265, and the pixel format of AV1 (see packet.h).
 *
 * libavcodec splits a packet into NAL units, and keeps 4 KiB for each, which may have 4 bytes in the packet. It also
 * keeps each message of SEI, which takes 64 times its bytes, and hands it out with the frame. For each picture
 * parameter set of H.265 it makes tables of the size of the picture. dav1d allocates pictures in the format of the
 * stream, which the track only announces. */
#include "packet.h"

#include "av1_stream.h"
#include "hevc_parameters.h"

/* Limit of the NAL units of a picture. H.265 permits 600 slices (level 6.2). */
enum { MOST_UNITS = 1 << 14 };

/* Side of the largest coding block of H.265. */
enum { LARGEST_BLOCK = 64 };

/* The NAL units of a packet, or of a configuration (avcC, hvcC). */
typedef struct units {
    enum AVCodecID codec;
    size_t count, sei_bytes; /* units; bytes of those with supplemental enhancement information (SEI) */
    uint64_t pixels;         /* the largest picture that a sequence parameter set of H.265 announces */
} units;

static void add_unit(units *self, sdcs_span unit) {
    /* nal_unit_type: H.264, table 7-1; H.265, table 7-1. */
    uint32_t head = unit.length ? unit.bytes[0] : 0, type = head >> 1 & 63;
    self->count++;
    if (self->codec == AV_CODEC_ID_H264 ? (head & 31) == 6 : type == 39 || type == 40)
        self->sei_bytes += unit.length;
    sdcs_hevc_parameters set;
    if (self->codec != AV_CODEC_ID_HEVC || !sdcs_is_hevc_parameters(unit) || !sdcs_read_hevc_parameters(unit, &set) ||
        set.width <= LARGEST_BLOCK || set.height <= LARGEST_BLOCK)
        return;
    /* The sizes are in whole blocks, of which only a part may be shown. */
    uint64_t pixels = (uint64_t)(set.width - LARGEST_BLOCK) * (set.height - LARGEST_BLOCK);
    self->pixels = pixels > self->pixels ? pixels : self->pixels;
}

/* Adds the units of a byte stream, each behind a start code (H.264 and H.265, annex B). */
static void add_byte_stream(units *self, sdcs_span bytes) {
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
static void add_prefixed(units *self, sdcs_span bytes, size_t size) {
    uint64_t length;
    while (sdcs_take(&bytes, size, &length) && length) {
        sdcs_span unit = {bytes.bytes, (size_t)length};
        if (!sdcs_skip(&bytes, unit.length))
            return;
        add_unit(self, unit);
    }
}

/* Adds the units of hvcC (ISO/IEC 14496-15, 8.3.3.1): after 22 bytes, arrays of units with lengths of 2 bytes. */
static void add_arrays(units *self, sdcs_span bytes) {
    uint64_t arrays, count, length;
    if (!sdcs_skip(&bytes, 22) || !sdcs_take(&bytes, 1, &arrays))
        return;
    for (; arrays > 0; arrays--) {
        if (!sdcs_skip(&bytes, 1) || !sdcs_take(&bytes, 2, &count))
            return;
        for (; count > 0; count--) {
            if (!sdcs_take(&bytes, 2, &length) || length > bytes.length)
                return;
            add_unit(self, (sdcs_span){bytes.bytes, (size_t)length});
            sdcs_skip(&bytes, (size_t)length);
        }
    }
}

/* Adds the units of a packet, or of a configuration without arrays. */
static void add_units(units *self, sdcs_span bytes) {
    /* libavcodec looks for start codes also between lengths. */
    add_byte_stream(self, bytes);
    /* Any packet may change the size of the lengths. Read in another size they end soon, at a 0. */
    for (size_t size = 1; size <= 4; size++)
        add_prefixed(self, bytes, size);
}

static sdimage_status check(const sdav_movie *movie, const units *units, sdimage_error **error) {
    if (units->count > MOST_UNITS)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: NAL units of a picture exceed the limit of 16384");
    if (units->sei_bytes > SDCS_BLOCK_LIMIT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: SEI of a picture exceeds the limit of 1 MiB");
    return units->pixels > movie->request.max_pixels
               ? sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows")
               : SDIMAGE_STATUS_OK;
}

/* Reports that a codec has NAL units. */
static bool has_units(enum AVCodecID codec) {
    return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC;
}

sdimage_status sdav_check_configuration(const sdav_movie *movie, const uint8_t *bytes, size_t length,
                                        sdimage_error **error) {
    units units = {.codec = movie->stream->codecpar->codec_id};
    sdcs_span span = {bytes, length};
    if (!has_units(units.codec))
        return SDIMAGE_STATUS_OK;
    add_units(&units, span);
    if (units.codec == AV_CODEC_ID_HEVC)
        add_arrays(&units, span);
    return check(movie, &units, error);
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
    units units = {.codec = movie->stream->codecpar->codec_id};
    if (!has_units(units.codec))
        return SDIMAGE_STATUS_OK;
    /* A new configuration for this packet and those that follow. */
    const uint8_t *configuration = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &changed);
    sdimage_status status = sdav_check_configuration(movie, configuration, configuration ? changed : 0, error);
    add_units(&units, (sdcs_span){packet->data, length});
    return status < 0 ? status : check(movie, &units, error);
}
