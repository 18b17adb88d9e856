/* md5.h: MD5 (RFC 1321), by which the freedesktop thumbnail specification names its files. It is not used for security.
 * It is implemented here because neither libc nor SQLite, the plug-in's only dependencies, has it. */
#ifndef SDPHOTO_MD5_H
#define SDPHOTO_MD5_H

#include <stddef.h>
#include <stdint.h>

typedef struct sdphoto_md5 {
    uint32_t state[4];
    uint64_t length;
    uint8_t block[64];
} sdphoto_md5;

void sdphoto_md5_begin(sdphoto_md5 *md5);
void sdphoto_md5_add(sdphoto_md5 *md5, const void *bytes, size_t length);
void sdphoto_md5_end(sdphoto_md5 *md5, uint8_t digest[16]);

/* Writes 32 digits and a NUL. */
void sdphoto_md5_text(const void *bytes, size_t length, char text[33]);

#endif
