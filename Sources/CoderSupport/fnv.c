#include "fnv.h"

uint64_t sdcs_fnv1a(const void *bytes, size_t length) {
    const uint8_t *byte = bytes;
    uint64_t hash = SDCS_FNV1A_BASIS;
    for (size_t i = 0; i < length; i++)
        hash = sdcs_fnv1a_add(hash, byte[i]);
    return hash;
}
