/* sdpx_sha256.h: SHA-256 digests. */
#ifndef SDPX_SHA256_H
#define SDPX_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SDPX_SHA256_BYTES 32

/* SHA-256 (FIPS 180-4, section 6.2). */
void sdpx_sha256(const void *bytes, size_t length, uint8_t digest[SDPX_SHA256_BYTES]);

#endif
