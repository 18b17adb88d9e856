/* Kernels on plain memory. No allocation, no state; the best variant is chosen once by CPU. */
#ifndef SDPIXELS_H
#define SDPIXELS_H

#include <stddef.h>
#include <stdint.h>

/* Hashing. */
uint64_t sdpx_hash64(const void *bytes, size_t length);
uint32_t sdpx_crc32c(uint32_t seed, const void *bytes, size_t length);

#endif
