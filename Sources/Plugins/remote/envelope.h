/* envelope.h: how an entry lies on a server: its key, what belongs to it and its bytes, under a checksum. */
#ifndef SDREMOTE_ENVELOPE_H
#define SDREMOTE_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian: magic, CRC-32C of all that follows, version (2 bytes), zero (2), lengths of key, metadata and data (4
 * each); then those three. */
#define SDREMOTE_ENVELOPE_HEADER 24u

/* The parts of an envelope; they lie in the bytes that were read. */
typedef struct sdremote_envelope {
    const uint8_t *metadata, *data;
    size_t metadata_length, data_length;
} sdremote_envelope;

/* CRC-32C (RFC 3720, appendix B.4) of bytes after others whose checksum is `before`; 0 for none. */
uint32_t sdremote_crc32c(uint32_t before, const void *bytes, size_t length);

/* How many bytes an envelope takes; 0 where a length does not fit into it. */
size_t sdremote_envelope_size(size_t key_length, size_t metadata_length, size_t data_length);

/* Writes an envelope into `out`, which has room for as many bytes as sdremote_envelope_size told. */
void sdremote_envelope_write(uint8_t *out, const void *key, size_t key_length, const void *metadata,
                             size_t metadata_length, const void *data, size_t data_length);

/* Whether `bytes` are, to the last one, an intact envelope of this version and of this key: they come from a server
 * that others write to. */
bool sdremote_envelope_read(const void *bytes, size_t length, const void *key, size_t key_length,
                            sdremote_envelope *envelope);

#endif
