/* envelope.c: the envelope of remote caches with data that servers may return: truncated, flipped, of other entries,
 * of later versions.
 *
 *   envelope [SEED [MUTANTS]]
 *
 * Built with sanitizers, from the plug-ins' own source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "envelope.h"
#include "sdpx_crc.h"

static int failures;

static void check(const char *name, bool is_fine) {
    printf("%s %s\n", is_fine ? "ok" : "not ok", name);
    failures += !is_fine;
}

static const char key[] = "https://example.org/a b.jpg";
enum { key_length = sizeof key - 1, metadata_length = 5, data_length = 300 };

/* Copies to memory of exactly that length, so that the sanitizer detects a read beyond it. */
static bool reads(const uint8_t *bytes, size_t length, const char *wanted, size_t wanted_length) {
    uint8_t *copy = malloc(length ? length : 1);
    sdremote_envelope parts;
    if (!copy)
        abort();
    if (length)
        memcpy(copy, bytes, length);
    bool is_read = sdremote_envelope_read(copy, length, wanted, wanted_length, &parts);
    volatile unsigned sum = 0;
    for (size_t i = 0; is_read && i < parts.metadata_length; i++)
        sum += parts.metadata[i];
    for (size_t i = 0; is_read && i < parts.data_length; i++)
        sum += parts.data[i];
    free(copy);
    return is_read;
}

static uint64_t state = 1;

static uint32_t drawn(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static bool all_refused(uint8_t *bytes, size_t size) {
    bool is_refused = true;
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        /* The two bytes after the version are ignored, but covered by the checksum. */
        is_refused = is_refused && !reads(bytes, size, key, key_length);
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    return is_refused;
}

static void store32(uint8_t *out, uint32_t value) {
    for (int place = 0; place < 4; place++)
        out[place] = (uint8_t)(value >> 8 * place);
}

/* Mutants with a valid checksum: only the checks of lengths prevent reads beyond the memory. */
static bool mutants_are_safe(const uint8_t *bytes, size_t size, unsigned long count) {
    uint8_t mutant[1024];
    for (unsigned long i = 0; i < count; i++) {
        size_t length = drawn() % 4 ? size : drawn() % sizeof mutant;
        memset(mutant, 0, sizeof mutant);
        memcpy(mutant, bytes, size < length ? size : length);
        for (unsigned changes = drawn() % 4; changes; changes--) {
            uint32_t value = drawn() % 3 ? drawn() : drawn() % 2 ? UINT32_MAX - drawn() % 64 : drawn() % 512;
            if (drawn() % 2)
                store32(mutant + 12 + 4 * (drawn() % 3), value);
            else
                mutant[drawn() % sizeof mutant] = (uint8_t)value;
        }
        if (length >= 8)
            store32(mutant + 4, sdpx_crc32c(0, mutant + 8, length - 8));
        reads(mutant, length, key, key_length);
    }
    return true;
}

int main(int argc, char **argv) {
    state = argc > 1 ? strtoull(argv[1], NULL, 10) | 1 : 1;
    uint8_t data[data_length], bytes[1024];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)drawn();
    /* RFC 3720, appendix B.4. */
    uint8_t zeros[32] = {0};
    check("the checksum is CRC-32C", sdpx_crc32c(0, "123456789", 9) == 0xe3069283u &&
                                         sdpx_crc32c(0, zeros, 32) == 0x8a9136aau &&
                                         sdpx_crc32c(sdpx_crc32c(0, "1234", 4), "56789", 5) == 0xe3069283u);
    size_t size = sdremote_envelope_size(key_length, metadata_length, data_length);
    sdremote_envelope_write(bytes, key, key_length, "\0\1\2\3\4", metadata_length, data, data_length);
    sdremote_envelope parts;
    bool is_read = sdremote_envelope_read(bytes, size, key, key_length, &parts);
    check("an envelope gives back what was put in",
          is_read && parts.metadata_length == metadata_length && parts.data_length == data_length &&
              !memcmp(parts.metadata, "\0\1\2\3\4", metadata_length) && !memcmp(parts.data, data, data_length));
    bool is_refused = true;
    for (size_t length = 0; length < size; length++)
        is_refused = is_refused && !reads(bytes, length, key, key_length);
    check("what is cut off anywhere is refused", is_refused && !reads(bytes, size + 1, key, key_length));
    check("every flipped bit is found", all_refused(bytes, size));
    check("another key is refused", !reads(bytes, size, "https://example.org/a_b.jpg", key_length) &&
                                        !reads(bytes, size, key, key_length - 1) && !reads(bytes, size, "", 0));
    bytes[8] = 2;
    store32(bytes + 4, sdpx_crc32c(0, bytes + 8, size - 8));
    check("a later version is refused", !reads(bytes, size, key, key_length));
    bytes[8] = 1;
    store32(bytes + 4, sdpx_crc32c(0, bytes + 8, size - 8));
    check("lengths that do not fit are refused", !sdremote_envelope_size(SIZE_MAX, 1, 1) &&
                                                     !sdremote_envelope_size(1, SIZE_MAX / 2, 1) &&
                                                     !sdremote_envelope_size(1, 1, (size_t)UINT32_MAX + 1));
    check("mutants with a right checksum do no harm",
          mutants_are_safe(bytes, size, argc > 2 ? strtoul(argv[2], NULL, 10) : 200000));
    return failures != 0;
}
