/* hash.c: two hashes of 64 bits: a fast one for contents, and a keyed one for tables. The fast one depends on the byte
   order of the machine for short inputs, so it is for use within a process. */
#include "sdpx_hash.h"

#include "kernel.h"

/* Folded 64 x 64 -> 128 multiplication, the mixing step of the wyhash family. */
INLINE uint64_t mix(uint64_t a, uint64_t b) {
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Loads four bytes in native order. */
INLINE uint64_t load32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Long inputs end with a read that overlaps earlier bytes, instead of reading byte by byte. */
uint64_t sdpx_hash64(const void *bytes, size_t length) {
    static const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd6e8feb86659fd93u, k2 = 0xa0761d6478bd642fu;
    const uint8_t *p = bytes;
    uint64_t seed = mix(k0, k2 ^ length), a = 0, b = 0;
    size_t n = length;
    if (n > 16) {
        for (; n > 16; n -= 16, p += 16)
            seed = mix(load64(p) ^ k1, load64(p + 8) ^ seed);
        /* The loop leaves 1 to 16 bytes; these are the last 16 of the input. */
        a = load64(p + n - 16);
        b = load64(p + n - 8);
    } else if (n >= 8) {
        a = load64(p);
        b = load64(p + n - 8);
    } else if (n >= 4) {
        a = load32(p);
        b = load32(p + n - 4);
    } else if (n > 0) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
    }
    return mix(mix(a ^ k1, b ^ seed) ^ k2, k1 ^ length);
}

INLINE uint64_t rotate_left(uint64_t v, int bits) {
    return v << bits | v >> (64 - bits);
}

/* One round of SipHash. */
INLINE void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
}

/* Mixes in a word of the message, by one round. */
INLINE void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t sdpx_sip_hash(const void *bytes, size_t length, uint64_t key0, uint64_t key1) {
    const uint8_t *p = bytes;
    uint64_t v[4] = {key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du, key0 ^ 0x6c7967656e657261u,
                     key1 ^ 0x7465646279746573u};
    /* The last word: the remaining bytes, and the length in the highest byte. */
    uint64_t last = (uint64_t)length << 56;
    for (size_t n = length / 8; n > 0; n--, p += 8)
        sip_word(v, load64(p));
    for (size_t i = 0; i < length % 8; i++)
        last |= (uint64_t)p[i] << 8 * i;
    sip_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
