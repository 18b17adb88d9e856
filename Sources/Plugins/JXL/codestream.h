/* codestream.h: a reader of bits of a JPEG XL codestream, which is bare or divided among the boxes of a file (ISO/IEC
 * 18181-2). */
#ifndef SDJXL_CODESTREAM_H
#define SDJXL_CODESTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position between two bytes of the codestream, as offsets in the file. */
typedef struct sdjxl_position {
    size_t at;   /* the next byte, which may not have arrived */
    size_t end;  /* end of the part of the codestream in this box; SIZE_MAX for the rest of the file */
    size_t next; /* the next box; SIZE_MAX for none */
} sdjxl_position;

/* The bytes of the file so far, and the position in them. Reading begins at a byte. */
typedef struct sdjxl_reader {
    const uint8_t *bytes;
    size_t length;
    sdjxl_position position;
    uint64_t held; /* bits of the last byte that are not read yet, lowest first */
    unsigned held_count;
    bool is_short;   /* data that has not arrived was read, as zeros */
    bool is_damaged; /* a box is shorter than its header */
} sdjxl_reader;

/* Starts at the first byte of the codestream that is not before the offset. */
sdjxl_reader sdjxl_read_at(const uint8_t *bytes, size_t length, size_t offset);

/* Takes at most 32 bits. */
uint32_t sdjxl_take_bits(sdjxl_reader *reader, unsigned count);

/* Skips the rest of a byte. */
void sdjxl_align(sdjxl_reader *reader);

/* Moves past up to `most` bytes that have arrived and lie in one box. Returns their count. */
size_t sdjxl_take_bytes(sdjxl_reader *reader, size_t most);

/* Moves past a number of bytes, which need not have arrived. Returns the count of those in boxes that have not: 0 if
 * the new position is known. */
uint64_t sdjxl_skip_bytes(sdjxl_reader *reader, uint64_t count);

#endif
