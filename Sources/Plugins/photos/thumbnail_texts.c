/* thumbnail_texts.c: tEXt chunks of PNG thumbnails, read and written without decoding the image (see
 * thumbnail_texts.h). */
#include "thumbnail_texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdpx_crc.h"

/* Nanoseconds. */
enum { SECOND = 1000000000 };

/* Reads a big-endian number. */
static uint32_t big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Returns the value of a text chunk with this keyword; NULL for others. */
static const uint8_t *text_of(const uint8_t *chunk, size_t length, const char *keyword, size_t *count) {
    size_t skip = strlen(keyword) + 1;
    if (length < skip || memcmp(chunk, keyword, skip) != 0)
        return NULL;
    *count = length - skip;
    return chunk + skip;
}

/* PNG, third edition: 5.3 chunks, 11.3.3.2 tEXt. Texts after the pixels are ignored. */
bool sdphoto_thumbnail_texts(const uint8_t *bytes, size_t length, char *uri, size_t room, int64_t *seconds) {
    bool has_uri = false, has_time = false;
    if (length < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0)
        return false;
    for (size_t at = 8; length - at >= 12;) {
        /* A chunk: length, type, data, CRC. The CRC is not checked: a wrong text does not match the file. */
        size_t size = big(bytes + at), count;
        const uint8_t *chunk = bytes + at + 8, *text;
        if (size > length - at - 12 || memcmp(bytes + at + 4, "IDAT", 4) == 0)
            break;
        if (memcmp(bytes + at + 4, "tEXt", 4) == 0) {
            if ((text = text_of(chunk, size, "Thumb::URI", &count)) && count < room && !memchr(text, 0, count)) {
                memcpy(uri, text, count);
                uri[count] = 0;
                has_uri = true;
            } else if ((text = text_of(chunk, size, "Thumb::MTime", &count)) && count > 0 && count < 24) {
                char digits[24];
                memcpy(digits, text, count);
                digits[count] = 0;
                char *end = digits;
                errno = 0;
                *seconds = strtoll(digits, &end, 10);
                /* A fraction of a second is ignored. */
                has_time = errno == 0 && end != digits && (*end == 0 || *end == '.');
            }
        }
        at += 12 + size;
    }
    return has_uri && has_time;
}

int64_t sdphoto_thumbnail_seconds(int64_t nanoseconds) {
    /* Division rounds towards zero; times before 1970 need the lower second. */
    return nanoseconds / SECOND - (nanoseconds % SECOND < 0);
}

/* --- Writing. */

/* Appends bytes. A failure is noted in the buffer. */
static void put(sdphoto_buffer *buffer, const void *bytes, size_t length) {
    size_t needed;
    if (__builtin_add_overflow(buffer->length, length, &needed)) {
        buffer->has_failed = true;
        return;
    }
    if (needed > buffer->capacity) {
        /* Spare room for the short texts that follow. */
        uint8_t *grown = realloc(buffer->bytes, needed + 4096);
        if (!grown) {
            buffer->has_failed = true;
            return;
        }
        buffer->bytes = grown;
        buffer->capacity = needed + 4096;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length = needed;
}

static void put_number(sdphoto_buffer *buffer, uint32_t number) {
    uint8_t bytes[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    put(buffer, bytes, 4);
}

/* Appends a tEXt chunk. Its CRC covers the type and the data. */
static void put_text(sdphoto_buffer *buffer, const char *keyword, const char *text) {
    size_t length = strlen(keyword) + 1 + strlen(text), start = buffer->length + 4;
    put_number(buffer, (uint32_t)length);
    put(buffer, "tEXt", 4);
    put(buffer, keyword, strlen(keyword) + 1);
    put(buffer, text, strlen(text));
    if (!buffer->has_failed)
        put_number(buffer, sdpx_crc32(0, buffer->bytes + start, length + 4));
}

/* Appends a tEXt chunk with a decimal number. */
static void put_decimal(sdphoto_buffer *buffer, const char *keyword, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put_text(buffer, keyword, text);
}

/* Writes the texts after the header, which is the first chunk and 13 bytes long. */
bool sdphoto_thumbnail_put_texts(sdphoto_buffer *made, const sdimage_data *png, const sdimage_photos_asset *asset,
                                 const char *uri) {
    enum { HEAD = 8 + 12 + 13 };
    const uint8_t *bytes = sdimage_data_bytes(png);
    size_t length = sdimage_data_length(png);
    if (length < HEAD)
        return false;
    put(made, bytes, HEAD);
    /* Required: URI and time of the file. The others are optional. */
    put_text(made, "Thumb::URI", uri);
    put_decimal(made, "Thumb::MTime", sdphoto_thumbnail_seconds(asset->modified_ns));
    put_decimal(made, "Thumb::Size", (int64_t)asset->file_size);
    if (*asset->info.type)
        put_text(made, "Thumb::Mimetype", asset->info.type);
    if (asset->info.size.width) {
        put_decimal(made, "Thumb::Image::Width", asset->info.size.width);
        put_decimal(made, "Thumb::Image::Height", asset->info.size.height);
    }
    put_text(made, "Software", "libsdimage");
    put(made, bytes + HEAD, length - HEAD);
    return !made->has_failed;
}
