/* envelope.h: the format of an entry on a server: its key, metadata and bytes, with a checksum. */
#ifndef SDREMOTE_ENVELOPE_H
#define SDREMOTE_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian: magic, CRC-32C of everything after it, version (2 bytes), zero (2), lengths of key, metadata and data
 * (4 each); then those three. */
#define SDREMOTE_ENVELOPE_HEADER 24u

/* The parts of an envelope, as pointers into the bytes read. */
typedef struct sdremote_envelope {
    const uint8_t *metadata, *data;
    size_t metadata_length, data_length;
} sdremote_envelope;

/* Returns the size of an envelope in bytes; 0 if a length does not fit its field. */
size_t sdremote_envelope_size(size_t key_length, size_t metadata_length, size_t data_length);

/* Writes an envelope to `out`, which must have the size that sdremote_envelope_size returned. */
void sdremote_envelope_write(uint8_t *out, const void *key, size_t key_length, const void *metadata,
                             size_t metadata_length, const void *data, size_t data_length);

/* Checks that `bytes` are exactly one intact envelope of this version and key. They are untrusted: others write to the
 * server. */
bool sdremote_envelope_read(const void *bytes, size_t length, const void *key, size_t key_length,
                            sdremote_envelope *envelope);

#endif
