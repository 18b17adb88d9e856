/* sdpx_hash.h: hashes and checksums. */
#ifndef SDPX_HASH_H
#define SDPX_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit hash. Without the secret an attacker cannot construct collisions. */
uint64_t sdpx_hash64(const void *bytes, size_t length, uint64_t secret);

/* CRC-32C, the Castagnoli polynomial, and CRC-32 as in PNG and gzip, continued from `seed`; the first seed is 0. */
uint32_t sdpx_crc32c(uint32_t seed, const void *bytes, size_t length);
uint32_t sdpx_crc32(uint32_t seed, const void *bytes, size_t length);

#endif
