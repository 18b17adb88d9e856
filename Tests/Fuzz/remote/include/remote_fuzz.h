/* remote_fuzz.h: arbitrary bytes for the readers of the caches on servers. */
#ifndef SDIMAGE_FUZZ_REMOTE_H
#define SDIMAGE_FUZZ_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset and length of the metadata and of the bytes of an entry in its envelope. */
typedef struct remote_fuzz_parts {
    size_t metadata, metadata_length, data, data_length;
} remote_fuzz_parts;

/* Reads an envelope behind the length of its key and the key; false where there is none. */
bool remote_fuzz_envelope(const uint8_t *bytes, size_t length, remote_fuzz_parts *parts);

/* Makes the checksum of that envelope right. */
void remote_fuzz_seal(uint8_t *bytes, size_t length);

/* The answers of a memcached server. The first bytes choose the commands that it answers, and how long the pieces are
 * in which its bytes arrive. */
void remote_fuzz_memcached(const uint8_t *bytes, size_t length);

#endif
