/* fnv.h: the hash FNV-1a, for tables of this process. It does not resist chosen collisions. */
#ifndef SDCS_FNV_H
#define SDCS_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The offset basis: the hash of no bytes. */
#define SDCS_FNV1A_BASIS 0xcbf29ce484222325u

/* Returns the hash of 64 bits (draft-eastlake-fnv, section 2). */
uint64_t sdcs_fnv1a(const void *bytes, size_t length);

/* Adds one byte to a hash, for bytes that are not stored one after the other. The factor is the prime of 64 bits. */
static inline uint64_t sdcs_fnv1a_add(uint64_t hash, uint8_t byte) {
    return (hash ^ byte) * 0x100000001b3u;
}

#endif
