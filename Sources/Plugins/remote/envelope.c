/* envelope.c: see envelope.h. */
#include "envelope.h"

#include <pthread.h>
#include <string.h>

static const uint8_t magic[4] = {'S', 'D', 'I', 'E'};
enum { version = 1 };

/* --- CRC-32C, eight bytes at a time. */

static uint32_t crc_table[8][256];
static bool has_instruction;

static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
        crc_table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int i = 1; i < 8; i++)
            crc_table[i][byte] = crc_table[i - 1][byte] >> 8 ^ crc_table[0][crc_table[i - 1][byte] & 255];
    }
#if defined(__x86_64__)
    has_instruction = __builtin_cpu_supports("sse4.2");
#endif
}

static uint32_t load32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *bytes,
                                                                     size_t length) {
    uint64_t wide = crc;
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; length; bytes++, length--)
        crc = __builtin_ia32_crc32qi(crc, *bytes);
    return crc;
}
#endif

static uint32_t crc_by_table(uint32_t crc, const uint8_t *bytes, size_t length) {
    for (; length >= 8; bytes += 8, length -= 8) {
        uint32_t low = load32(bytes) ^ crc, high = load32(bytes + 4);
        crc = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
              crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
              crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    for (; length; bytes++, length--)
        crc = crc >> 8 ^ crc_table[0][(crc ^ *bytes) & 255];
    return crc;
}

uint32_t sdremote_crc32c(uint32_t before, const void *bytes, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_table);
#if defined(__x86_64__)
    if (has_instruction)
        return ~crc_by_instruction(~before, bytes, length);
#endif
    return ~crc_by_table(~before, bytes, length);
}

/* --- The envelope. */

static void store32(uint8_t *out, size_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

size_t sdremote_envelope_size(size_t key_length, size_t metadata_length, size_t data_length) {
    if (key_length > INT32_MAX || metadata_length > INT32_MAX || data_length > INT32_MAX)
        return 0;
    return SDREMOTE_ENVELOPE_HEADER + key_length + metadata_length + data_length;
}

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
    store32(out + 4, sdremote_crc32c(0, out + 8, (size_t)(end - out) - 8));
}

bool sdremote_envelope_read(const void *bytes, size_t length, const void *key, size_t key_length,
                            sdremote_envelope *envelope) {
    const uint8_t *start = bytes;
    if (length < SDREMOTE_ENVELOPE_HEADER || memcmp(start, magic, sizeof magic) || load32(start + 8) != version)
        return false;
    uint64_t kept_key = load32(start + 12), metadata = load32(start + 16), data = load32(start + 20);
    if (SDREMOTE_ENVELOPE_HEADER + kept_key + metadata + data != length || kept_key != key_length)
        return false;
    const uint8_t *body = start + SDREMOTE_ENVELOPE_HEADER;
    if ((key_length && memcmp(body, key, key_length)) || load32(start + 4) != sdremote_crc32c(0, start + 8, length - 8))
        return false;
    *envelope = (sdremote_envelope){body + kept_key, body + kept_key + metadata, (size_t)metadata, (size_t)data};
    return true;
}
