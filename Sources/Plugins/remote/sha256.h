/* sha256.h: SHA-256 digests of keys. */
#ifndef SDREMOTE_SHA256_H
#define SDREMOTE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SDREMOTE_DIGEST 32u

/* SHA-256 (FIPS 180-4, section 6.2). */
void sdremote_sha256(const void *bytes, size_t length, uint8_t digest[SDREMOTE_DIGEST]);

#endif
