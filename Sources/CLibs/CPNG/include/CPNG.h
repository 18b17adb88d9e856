/* CPNG.h: libpng with status codes: its longjmp does not leave this target, because it must not pass over frames of
   Swift. Also zlib, which libpng is linked with. */
#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpng_reader cpng_reader;

typedef enum {
    CPNG_OK = 0,
    CPNG_BAD_DATA = 1,
    /* The bytes end before the image. */
    CPNG_TRUNCATED = 2,
    CPNG_NO_MEMORY = 3
} cpng_status;

/* The contents of IHDR, PLTE and tRNS (PNG, third edition, sections 11.2 and 11.3.1). */
typedef struct {
    uint32_t width, height;
    int depth;      /* bits per sample */
    int color_type; /* as in IHDR */
    int is_interlaced;
    /* For palette images: red, green and blue of each entry. */
    uint8_t palette[768];
    size_t palette_length; /* in bytes */
    /* As in tRNS, for the color types that may have it. */
    uint8_t transparency[256];
    size_t transparency_length; /* in bytes; 0 without tRNS */
    /* The offset of the first IDAT chunk, at its length field. */
    size_t data_offset;
} cpng_header;

/* The bytes are borrowed until cpng_close. NULL if memory is exhausted. */
cpng_reader *cpng_open(const void *bytes, size_t length);
void cpng_close(cpng_reader *reader);

/* Reads up to the first IDAT; only once. Skips all ancillary chunks but tRNS. TRUNCATED before the header of IDAT;
   BAD_DATA with libpng's message. */
cpng_status cpng_read_header(cpng_reader *reader, cpng_header *header);

/* libpng's message about the last failure; valid as long as the reader. */
const char *cpng_message(const cpng_reader *reader);

/* Returns the version of the loaded libpng, such as "1.6.39". */
const char *cpng_library_version(void);

/* Inflates the one compressed chunk that the caller reads itself, with zlib. Returns the number of bytes written; 0 if
   the stream is damaged or longer than `capacity`. */
size_t cpng_inflate(void *to, size_t capacity, const void *from, size_t length);

typedef struct cpng_inflater cpng_inflater;

typedef enum {
    /* All input was consumed; the stream continues. */
    CPNG_INFLATE_NEEDS_INPUT = 0,
    CPNG_INFLATE_IS_FULL = 1,
    CPNG_INFLATE_ENDED = 2,
    CPNG_INFLATE_DAMAGED = 3
} cpng_inflate_status;

/* Inflates a zlib stream in pieces. NULL if memory is exhausted; closing NULL does nothing. */
cpng_inflater *cpng_inflater_open(void);
void cpng_inflater_close(cpng_inflater *inflater);

/* Inflates from `*in` into `room` at `*position`, at most up to `capacity`, and advances both. The checksum at the end
   of the stream is not verified. */
cpng_inflate_status cpng_inflate_some(cpng_inflater *inflater, const uint8_t **in, const uint8_t *in_end, uint8_t *room,
                                      size_t *position, size_t capacity);

/* Compresses to a zlib stream, 1 MiB at a time, and calls `should_stop` before each. `level` is 1 to 9. Returns the
   number of bytes written; 0 when `capacity` is too small, memory is refused or `should_stop` returned true. */
size_t cpng_deflate(int level, void *to, size_t capacity, const void *from, size_t length,
                    bool (*should_stop)(void *context), void *context);

#endif
