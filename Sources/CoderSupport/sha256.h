/* sha256.h: SHA-256 digests. */
#ifndef SDCS_SHA256_H
#define SDCS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SDCS_SHA256_BYTES 32u

/* SHA-256 (FIPS 180-4, section 6.2). */
void sdcs_sha256(const void *bytes, size_t length, uint8_t digest[SDCS_SHA256_BYTES]);

#endif
