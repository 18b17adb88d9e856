/* md5.h: MD5 (RFC 1321), by which the freedesktop thumbnail specification names its files. It is not used for security.
 * It is implemented here because neither libc nor SQLite, on which the photo library depends, has it. */
#ifndef SDCS_MD5_H
#define SDCS_MD5_H

#include <stddef.h>
#include <stdint.h>

/* A hash in progress. */
typedef struct sdcs_md5 {
    uint32_t state[4]; /* A, B, C and D of the RFC */
    uint64_t length;   /* bytes added so far */
    uint8_t block[64]; /* bytes that make no whole block yet */
} sdcs_md5;

/* Begin a hash, add bytes to it any number of times, and store its digest. A hash is used only once. */
void sdcs_md5_begin(sdcs_md5 *md5);
void sdcs_md5_add(sdcs_md5 *md5, const void *bytes, size_t length);
void sdcs_md5_end(sdcs_md5 *md5, uint8_t digest[16]);

/* Writes 32 digits and a NUL. */
void sdcs_md5_text(const void *bytes, size_t length, char text[33]);

#endif
