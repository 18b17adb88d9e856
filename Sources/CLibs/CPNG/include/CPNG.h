/* libpng behind functions that return codes: its longjmp never leaves this file. */
#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
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

/* What IHDR, PLTE and tRNS say (PNG, third edition, section 11.2). */
typedef struct {
    uint32_t width, height;
    int depth;
    int color_type;
    int is_interlaced;
    /* Of palette pictures: red, green and blue in turns. */
    uint8_t palette[768];
    size_t palette_length;
    /* As in tRNS, for the colour types that may have one. */
    uint8_t transparency[256];
    size_t transparency_length;
    /* Where the first IDAT begins, with its length. */
    size_t data_offset;
} cpng_header;

/* The bytes are borrowed until cpng_close. NULL when memory is refused. */
cpng_reader *cpng_open(const void *bytes, size_t length);
void cpng_close(cpng_reader *reader);

/* Reads up to the first IDAT. All ancillary chunks but tRNS are passed over. */
cpng_status cpng_read_header(cpng_reader *reader, cpng_header *header);

/* Why the last call failed, in libpng's words; lives as long as the reader. */
const char *cpng_message(const cpng_reader *reader);

const char *cpng_library_version(void);

/* zlib, for the one compressed chunk that the caller reads by itself. Returns the number of bytes inflated, 0 when the
   stream is damaged or longer than `capacity`. */
size_t cpng_inflate(void *to, size_t capacity, const void *from, size_t length);

/* Compresses to a zlib stream, 1 MiB at a time, and calls `should_stop` before each. `level` is 1 to 9. Returns the
   number of bytes written; 0 when `capacity` is too small, memory is refused or `should_stop` returned true. */
size_t cpng_deflate(int level, void *to, size_t capacity, const void *from, size_t length,
                    bool (*should_stop)(void *context), void *context);

#endif
