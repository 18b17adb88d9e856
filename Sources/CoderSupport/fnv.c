#include "fnv.h"

uint64_t sdcs_fnv1a(const void *bytes, size_t length) {
    const uint8_t *byte = bytes;
    /* The offset basis; the factor below is the prime of 64 bits. */
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}
