/* packet.c: the units of H.264 and H.265 (see packet.h). libavcodec splits a packet into units, and keeps 4 KiB for
 * each, which may have 4 bytes in the packet. */
#include "packet.h"

#include "span.h"

/* Limit of the units of a picture. H.265 permits 600 slices (level 6.2). */
enum { MOST_UNITS = 1 << 14 };

/* Counts the start codes (H.264 and H.265, annex B). */
static size_t count_codes(sdcs_span bytes) {
    size_t count = 0;
    for (size_t i = 2; i < bytes.length; i++)
        count += bytes.bytes[i] == 1 && !bytes.bytes[i - 1] && !bytes.bytes[i - 2];
    return count;
}

/* Counts units that begin with their length in `size` bytes (ISO/IEC 14496-15). As in libavcodec, a length of 0, or one
 * that exceeds the packet, ends them. */
static size_t count_lengths(sdcs_span bytes, size_t size) {
    size_t count = 0;
    uint64_t length;
    while (sdcs_take(&bytes, size, &length) && length && sdcs_skip(&bytes, (size_t)length))
        count++;
    return count;
}

sdimage_status sdav_check_units(const sdav_movie *movie, const uint8_t *bytes, size_t length, sdimage_error **error) {
    enum AVCodecID codec = movie->stream->codecpar->codec_id;
    if (codec != AV_CODEC_ID_H264 && codec != AV_CODEC_ID_HEVC)
        return SDIMAGE_STATUS_OK;
    sdcs_span span = {bytes, length};
    /* libavcodec looks for start codes also between lengths. */
    size_t units = count_codes(span);
    /* Any packet may change the size of the lengths. Read in another size they end soon, at a 0. */
    for (size_t size = 1; size <= 4; size++)
        units += count_lengths(span, size);
    return units > MOST_UNITS
               ? sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: units of a picture exceed the limit of 16384")
               : SDIMAGE_STATUS_OK;
}

sdimage_status sdav_check_packet(const sdav_movie *movie, sdimage_error **error) {
    const AVPacket *packet = movie->packet;
    size_t length = packet->size > 0 ? (size_t)packet->size : 0, changed = 0;
    /* A new configuration for this packet and those that follow. */
    const uint8_t *configuration = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &changed);
    sdimage_status status = sdav_check_units(movie, configuration, configuration ? changed : 0, error);
    return status < 0 ? status : sdav_check_units(movie, packet->data, length, error);
}
