/* text.c: recognition and decompression of SVG text, by zlib (see text.h). */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Limits: bytes of text, and bytes checked to recognize SVG (the same number as in SVGSniffer). */
enum { MOST_TEXT = 32 << 20, HEAD = 4096 };

/* Recognizes gzip: its two bytes of identification, and more than the 18 bytes of header and trailer. */
static bool is_gzip(const uint8_t *bytes, size_t length) {
    return length > 18 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

/* Inflates up to `room` bytes; false if the stream is damaged. */
static bool inflate_some(const uint8_t *bytes, size_t length, uint8_t *to, size_t room, size_t *got, bool *ended) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)(length < UINT32_MAX ? length : UINT32_MAX)};
    stream.next_out = to, stream.avail_out = (uInt)room;
    /* 16: expects the gzip header, and checks its checksum. */
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        return false;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    *got = room - stream.avail_out;
    *ended = status == Z_STREAM_END;
    inflateEnd(&stream);
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

bool sdsvg_is_text(const void *bytes, size_t length) {
    uint8_t head[HEAD];
    size_t got = 0;
    bool ended;
    /* Compressed bytes are recognized by the beginning of their text. */
    if (!is_gzip(bytes, length))
        return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_SVG;
    return inflate_some(bytes, length, head, sizeof head, &got, &ended) &&
           sdimage_sniff(head, got) == SDIMAGE_FORMAT_SVG;
}

/* Inflates the whole text. Each attempt has eight times the room of the one before, up to MOST_TEXT. */
static sdimage_status inflate_text(const void *bytes, size_t length, sdsvg_text *text, sdimage_error **error) {
    bool ended = false;
    for (size_t room = 1 << 16;; room *= 8) {
        free(text->bytes);
        text->bytes = malloc(room);
        if (!text->bytes)
            return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for the text");
        if (!inflate_some(bytes, length, text->bytes, room, &text->length, &ended))
            return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "svg: compressed data is damaged");
        if (ended)
            return SDIMAGE_STATUS_OK;
        /* Room was left, but the input ended before the stream. */
        if (text->length < room)
            return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "svg: data ends early");
        if (room >= MOST_TEXT)
            return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "svg: text exceeds the limit of 32 MiB");
    }
}

sdimage_status sdsvg_text_of(const void *bytes, size_t length, sdsvg_text *text, sdimage_error **error) {
    *text = (sdsvg_text){NULL, 0};
    if (is_gzip(bytes, length))
        return inflate_text(bytes, length, text, error);
    if (length > MOST_TEXT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "svg: text exceeds the limit of 32 MiB");
    text->bytes = malloc(length ? length : 1);
    if (!text->bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for the text");
    memcpy(text->bytes, bytes, length);
    text->length = length;
    return SDIMAGE_STATUS_OK;
}
