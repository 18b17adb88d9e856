/* crc.c: CRC-32 for PNG and CRC-32C, by instructions of the CPU where it has them. The exported functions invert a
   checksum before and after; the variants take and return it inverted.

   Both are remainders of a division of polynomials over GF(2), with the bits of each byte reversed. Remainders are
   linear: pieces are processed independently, moved by a multiplication with a power of x, and added by XOR. */
#include "sdpx_crc.h"

#include "kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#endif

/* Computes a reflected 32-bit CRC by a table for nibbles: small, and without initialization. */
static uint32_t crc_by_nibbles(const uint32_t nibble[16], uint32_t crc, const uint8_t *p, size_t n) {
    while (n--) {
        crc ^= *p++;
        crc = (crc >> 4) ^ nibble[crc & 15];
        crc = (crc >> 4) ^ nibble[crc & 15];
    }
    return crc;
}

/* CRC-32C, reflected polynomial 0x82f63b78. */
static uint32_t crc32c_plain(uint32_t crc, const uint8_t *p, size_t n) {
    static const uint32_t nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    return crc_by_nibbles(nibble, crc, p, n);
}

#if defined(__x86_64__)
/* Eight bytes for each instruction, then single ones. */
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const uint8_t *p, size_t n) {
    uint64_t c = crc;
    while (n >= 8) {
        c = _mm_crc32_u64(c, load64(p));
        p += 8;
        n -= 8;
    }
    crc = (uint32_t)c;
    while (n--)
        crc = _mm_crc32_u8(crc, *p++);
    return crc;
}

/* The instruction has a latency of three cycles and a throughput of one, so three pieces are processed in parallel. The
   checksums of the first two are advanced past the following bytes by one multiplication with x^(8n - 33) modulo the
   polynomial, where n is the number of these bytes. */
__attribute__((target("sse4.2,pclmul"))) static uint32_t crc32c_three(uint32_t crc, const uint8_t *p, size_t n) {
    enum { PIECE = 1024 };
    const __m128i past_one = _mm_cvtsi64_si128(0x170076fa), past_two = _mm_cvtsi64_si128(0xa51b6135);
    for (; n >= 3 * PIECE; p += 3 * PIECE, n -= 3 * PIECE) {
        uint64_t a = crc, b = 0, c = 0;
        for (size_t i = 0; i < PIECE - 8; i += 8) {
            a = _mm_crc32_u64(a, load64(p + i));
            b = _mm_crc32_u64(b, load64(p + PIECE + i));
            c = _mm_crc32_u64(c, load64(p + 2 * PIECE + i));
        }
        /* The last eight bytes of the third piece are added together with the two checksums, in one instruction. */
        a = _mm_crc32_u64(a, load64(p + PIECE - 8));
        b = _mm_crc32_u64(b, load64(p + 2 * PIECE - 8));
        __m128i moved = _mm_xor_si128(_mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), past_two, 0),
                                      _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)b), past_one, 0));
        crc = (uint32_t)_mm_crc32_u64(c, load64(p + 3 * PIECE - 8) ^ (uint64_t)_mm_cvtsi128_si64(moved));
    }
    return crc32c_sse42(crc, p, n);
}
#endif

#if defined(__aarch64__)
#define ARM_CRC __attribute__((target(ARM_CRC_EXTENSION)))
#if defined(__clang__)
#define ARM_CRC_EXTENSION "crc"
#else
#define ARM_CRC_EXTENSION "+crc"
#endif

/* The instructions of the CRC extension, eight bytes at a time. */
ARM_CRC static uint32_t crc32c_arm(uint32_t crc, const uint8_t *p, size_t n) {
    for (; n >= 8; n -= 8, p += 8)
        crc = __crc32cd(crc, load64(p));
    while (n--)
        crc = __crc32cb(crc, *p++);
    return crc;
}

ARM_CRC static uint32_t crc32_arm(uint32_t crc, const uint8_t *p, size_t n) {
    for (; n >= 8; n -= 8, p += 8)
        crc = __crc32d(crc, load64(p));
    while (n--)
        crc = __crc32b(crc, *p++);
    return crc;
}
#endif

uint32_t sdpx_crc32c(uint32_t before, const void *bytes, size_t length) {
    uint32_t crc = ~before;
#if defined(__x86_64__)
    if (sdpx_cpu_has(SDPX_HAS_CRC))
        return ~crc32c_three(crc, bytes, length);
#elif defined(__aarch64__)
    if (sdpx_cpu_has(SDPX_HAS_CRC))
        return ~crc32c_arm(crc, bytes, length);
#endif
    return ~crc32c_plain(crc, bytes, length);
}

/* CRC-32 of RFC 1952 and PNG, reflected polynomial 0xedb88320: for the ends of the input, and for CPUs without
   carry-less multiplication. */
static uint32_t crc32_plain(uint32_t crc, const uint8_t *p, size_t n) {
    static const uint32_t nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    return crc_by_nibbles(nibble, crc, p, n);
}

#if defined(__x86_64__)
#define FOLDING __attribute__((target("sse4.2,pclmul")))

/* Multiplies both halves of a value by their powers, and adds the next 16 bytes. */
FOLDING static inline __m128i fold(__m128i value, __m128i powers, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(value, powers, 0x00), high = _mm_clmulepi64_si128(value, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Folds 64 bytes at a time by carry-less multiplication with powers of x modulo the polynomial, here x^(512 + 32),
   x^(512 - 32), x^(128 + 32) and x^(128 - 32), bit-reflected. The remaining 16 bytes, with the same remainder, go
   through the table. `n` is at least 64; the caller handles the bytes after the last whole 16. */
FOLDING static uint32_t crc32_folded(uint32_t crc, const uint8_t *p, size_t n) {
    const __m128i by_four = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4),
                  by_one = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i *v = (const __m128i *)(const void *)p;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(v), _mm_cvtsi32_si128((int)crc)), b = _mm_loadu_si128(v + 1),
            c = _mm_loadu_si128(v + 2), d = _mm_loadu_si128(v + 3);
    for (n -= 64, v += 4; n >= 64; n -= 64, v += 4) {
        a = fold(a, by_four, _mm_loadu_si128(v));
        b = fold(b, by_four, _mm_loadu_si128(v + 1));
        c = fold(c, by_four, _mm_loadu_si128(v + 2));
        d = fold(d, by_four, _mm_loadu_si128(v + 3));
    }
    /* Four sums of 16 bytes become one, then follow the remaining groups of 16. */
    a = fold(fold(fold(a, by_one, b), by_one, c), by_one, d);
    for (; n >= 16; n -= 16, v++)
        a = fold(a, by_one, _mm_loadu_si128(v));
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)(void *)rest, a);
    return crc32_plain(0, rest, sizeof rest);
}
#endif

uint32_t sdpx_crc32(uint32_t before, const void *bytes, size_t length) {
    uint32_t crc = ~before;
    const uint8_t *p = bytes;
#if defined(__x86_64__)
    /* Whole groups of 16 bytes are folded; the rest goes through the table. */
    if (length >= 64 && sdpx_cpu_has(SDPX_HAS_CRC)) {
        size_t whole = length & ~(size_t)15;
        crc = crc32_folded(crc, p, whole);
        p += whole;
        length -= whole;
    }
#elif defined(__aarch64__)
    if (sdpx_cpu_has(SDPX_HAS_CRC))
        return ~crc32_arm(crc, p, length);
#endif
    return ~crc32_plain(crc, p, length);
}
