/* envelope.c: reading and writing of envelopes (see envelope.h). Pure functions on bytes, called on any thread. */
#include "envelope.h"

#include <string.h>

#include "sdpx_crc.h"

static const uint8_t magic[4] = {'S', 'D', 'I', 'E'};
enum { version = 1 };

/* Little-endian, at any alignment. */
static uint32_t load32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store32(uint8_t *out, size_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

size_t sdremote_envelope_size(size_t key_length, size_t metadata_length, size_t data_length) {
    /* Each fits 31 bits, so that the sum of all three fits 64. */
    if (key_length > INT32_MAX || metadata_length > INT32_MAX || data_length > INT32_MAX)
        return 0;
    return SDREMOTE_ENVELOPE_HEADER + key_length + metadata_length + data_length;
}

/* Copies bytes to *out and advances it. `bytes` may be NULL if there are none. */
static void append(uint8_t **out, const void *bytes, size_t length) {
    if (length)
        memcpy(*out, bytes, length);
    *out += length;
}

void sdremote_envelope_write(uint8_t *out, const void *key, size_t key_length, const void *metadata,
                             size_t metadata_length, const void *data, size_t data_length) {
    memcpy(out, magic, sizeof magic);
    store32(out + 8, version);
    store32(out + 12, key_length);
    store32(out + 16, metadata_length);
    store32(out + 20, data_length);
    uint8_t *end = out + SDREMOTE_ENVELOPE_HEADER;
    append(&end, key, key_length);
    append(&end, metadata, metadata_length);
    append(&end, data, data_length);
    /* The checksum covers everything after itself; so it is written last. */
    store32(out + 4, sdpx_crc32c(0, out + 8, (size_t)(end - out) - 8));
}

bool sdremote_envelope_read(const void *bytes, size_t length, const void *key, size_t key_length,
                            sdremote_envelope *envelope) {
    const uint8_t *start = bytes;
    if (length < SDREMOTE_ENVELOPE_HEADER || memcmp(start, magic, sizeof magic) || load32(start + 8) != version)
        return false;
    uint64_t kept_key = load32(start + 12), metadata = load32(start + 16), data = load32(start + 20);
    /* Compared in 64 bits: the lengths are those of an unknown writer. */
    if (SDREMOTE_ENVELOPE_HEADER + kept_key + metadata + data != length || kept_key != key_length)
        return false;
    const uint8_t *body = start + SDREMOTE_ENVELOPE_HEADER;
    if ((key_length && memcmp(body, key, key_length)) || load32(start + 4) != sdpx_crc32c(0, start + 8, length - 8))
        return false;
    *envelope = (sdremote_envelope){body + kept_key, body + kept_key + metadata, (size_t)metadata, (size_t)data};
    return true;
}
