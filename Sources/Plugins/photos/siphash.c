/* siphash.c: see siphash.h. The names are those of the paper. */
#include "siphash.h"

#include <string.h>

static uint64_t rotated(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

/* SipRound, `count` times. */
static void mix(uint64_t v[4], int count) {
    for (int i = 0; i < count; i++) {
        v[0] += v[1];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[0] = rotated(v[0], 32);
        v[2] += v[3];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[2] = rotated(v[2], 32);
    }
}

uint64_t sdphoto_siphash(const uint64_t key[2], const void *bytes, size_t length) {
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
                     key[1] ^ 0x7465646279746573u};
    const uint8_t *from = bytes;
    /* Words of eight bytes; the last one has the rest, and the length in its highest byte. */
    for (size_t left = length;; left -= 8, from += 8) {
        uint64_t m = left < 8 ? (uint64_t)length << 56 : 0, word = 0;
        memcpy(&word, from, left < 8 ? left : 8);
        m |= word;
        v[3] ^= m;
        mix(v, 2);
        v[0] ^= m;
        if (left < 8)
            break;
    }
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
