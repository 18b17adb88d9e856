/* remote_fuzz.h: arbitrary bytes for the readers of the remote caches. */
#ifndef SDIMAGE_FUZZ_REMOTE_H
#define SDIMAGE_FUZZ_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset and length of the metadata and of the bytes of an entry in its envelope. */
typedef struct remote_fuzz_parts {
    size_t metadata, metadata_length, data, data_length;
} remote_fuzz_parts;

/* Reads the input: the length of a key, the key, and an envelope. Returns false if there is no valid envelope. */
bool remote_fuzz_envelope(const uint8_t *bytes, size_t length, remote_fuzz_parts *parts);

/* Corrects the checksum of that envelope. */
void remote_fuzz_seal(uint8_t *bytes, size_t length);

/* The responses of a memcached server. The first bytes choose the commands sent, and the sizes of the pieces in
 * which the responses arrive. */
void remote_fuzz_memcached(const uint8_t *bytes, size_t length);

#endif
