/* libpng behind functions that return codes: its longjmp never leaves this file. */
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct cpng_reader cpng_reader;

typedef enum {
    CPNG_OK = 0,
    CPNG_BAD_DATA = 1,
    /* The bytes end before the picture does. */
    CPNG_TRUNCATED = 2,
    CPNG_NO_MEMORY = 3
} cpng_status;

/* What IHDR and tRNS say (PNG, third edition, section 11.2.1). */
typedef struct {
    uint32_t width, height;
    int depth;
    int color_type;
    int is_interlaced;
    int has_transparency;
} cpng_header;

/* How rows leave the reader: 8 or 16 bits in the byte order of the machine; 1, 3 or 4 channels. */
typedef struct {
    int channels;
    int bits;
} cpng_layout;

/* The bytes are borrowed until cpng_close. NULL when memory is refused. */
cpng_reader *cpng_open(const void *bytes, size_t length);
void cpng_close(cpng_reader *reader);

/* Rows are wanted up to the last byte of a picture that ends early. */
void cpng_accept_partial(cpng_reader *reader);

/* Reads up to the first IDAT. All ancillary chunks but tRNS are passed over. */
cpng_status cpng_read_header(cpng_reader *reader, cpng_header *header);

/* Chooses the layout; `passes` receives 1, or 7 for an interlaced picture. */
cpng_status cpng_start(cpng_reader *reader, cpng_layout layout, int *passes);

/* Reads the next row of the current pass. With `fill` each known pixel covers the ones that later passes will bring. */
cpng_status cpng_read_row(cpng_reader *reader, void *row, int fill);

/* Checks what is left of the compressed data, its checksums included, and nothing behind it. */
cpng_status cpng_finish(cpng_reader *reader);

/* Why the last call failed, in libpng's words; lives as long as the reader. */
const char *cpng_message(const cpng_reader *reader);

const char *cpng_library_version(void);

/* zlib, for the one compressed chunk that the caller reads by itself. Returns the number of bytes inflated, 0 when the
   stream is damaged or longer than `capacity`. */
size_t cpng_inflate(void *to, size_t capacity, const void *from, size_t length);

/* CRC-32 as at the end of a chunk. */
uint32_t cpng_crc(const void *bytes, size_t length);

#endif
