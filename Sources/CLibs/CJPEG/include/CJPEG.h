/* CJPEG.h: libjpeg with error codes: its longjmp is caught here, because it must not pass over frames of Swift.
   Functions that return `int` return one of these codes unless stated otherwise. */
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#include "cjpeg_encoder.h"

typedef struct cjpeg_decoder cjpeg_decoder;

enum {
    CJPEG_OK = 0,
    /* Not a JPEG, or damaged beyond recovery. */
    CJPEG_BAD_DATA,
    /* The data ends before the image. */
    CJPEG_TRUNCATED,
    /* A process, precision or color space that the library does not support. */
    CJPEG_UNSUPPORTED,
    CJPEG_NO_MEMORY,
    /* Exceeds the memory limit given to cjpeg_start. */
    CJPEG_TOO_LARGE,
    CJPEG_TOO_MANY_SCANS,
    /* For a growing file: the next bytes are not available yet. */
    CJPEG_NEEDS_MORE,
    /* The caller stopped the work. */
    CJPEG_STOPPED
};

/* The color model of the components. */
enum { CJPEG_GRAY = 1, CJPEG_COLOR = 3, CJPEG_CMYK = 4 };

/* Formats of decoded rows, or of rows to encode. */
enum { CJPEG_OUT_GRAY, CJPEG_OUT_RGB, CJPEG_OUT_RGBA, CJPEG_OUT_BGRA, CJPEG_OUT_CMYK };

typedef struct {
    uint32_t width, height; /* in pixels, before scaling */
    /* CJPEG_GRAY, CJPEG_COLOR or CJPEG_CMYK. */
    int kind;
    /* Color is stored as luma and two chroma components, not as RGB. */
    int is_ycc;
    int is_progressive; /* coded in several passes over the coefficients */
    /* All scans must be read before the first row. */
    int has_multiple_scans;
    /* Pixel rows of an MCU row. */
    uint32_t mcu_rows;
    /* Bytes of the coefficients that such a file needs. */
    uint64_t coefficient_bytes;
} cjpeg_header;

/* Damage of entropy-coded data that is not an error: none, corrupt data, or missing data too. */
enum { CJPEG_ACCEPT_NONE, CJPEG_ACCEPT_CORRUPT, CJPEG_ACCEPT_MISSING };

/* Makes a decoder for a complete file. The bytes must stay valid until cjpeg_close. NULL if memory is exhausted. */
cjpeg_decoder *cjpeg_open(const void *bytes, size_t count, int tolerance);
int cjpeg_read_header(cjpeg_decoder *decoder, cjpeg_header *header);

/* Makes a decoder for a growing file, which is read tolerantly. Functions that lack bytes return CJPEG_NEEDS_MORE and
   resume at the same position when called again. */
cjpeg_decoder *cjpeg_open_growing(void);

/* Provides all bytes of a growing file so far, at least those of the previous call. They must stay valid until the next
   call, or cjpeg_close. */
void cjpeg_feed(cjpeg_decoder *decoder, const void *bytes, size_t count);

/* Computes the size of the rows at a scale of `eighths` / 8. */
void cjpeg_scaled_size(const cjpeg_header *header, int eighths, uint32_t *width, uint32_t *height);

/* Prepares output rows of one format at a scale of `eighths` / 8, 1 to 8. */
int cjpeg_start(cjpeg_decoder *decoder, int output, int eighths, size_t memory_limit);

/* Reads a part of a file with several scans; must be repeated until `*done`. Other files are done at once. */
int cjpeg_read_ahead(cjpeg_decoder *decoder, int max_scans, int *done);

/* Reads a part of the available data of a growing file with several scans, and stores the number of complete scans.
   CJPEG_OK: must be repeated, unless `*done`. */
int cjpeg_take_scans(cjpeg_decoder *decoder, int max_scans, int *whole, int *done);

/* Restart output at row 0 using all scans read so far, of which one must be complete; and end it. */
int cjpeg_begin_pass(cjpeg_decoder *decoder);
int cjpeg_end_pass(cjpeg_decoder *decoder);

/* Decodes up to `count` rows, each with room for its width. `*got` rows were written, at least one until the last. */
int cjpeg_read_rows(cjpeg_decoder *decoder, uint8_t *const *rows, uint32_t count, uint32_t *got);

/* Skips `count` rows, which must not be the last, of a file with one scan: they are read but not converted to pixels.
   Multiples of `mcu_rows` are fastest. */
int cjpeg_skip_rows(cjpeg_decoder *decoder, uint32_t count);

/* Report that damage was tolerated: of any kind, and corrupt data. */
int cjpeg_is_damaged(const cjpeg_decoder *decoder);
int cjpeg_is_corrupt(const cjpeg_decoder *decoder);

/* Reports that the data of an image whose rows were all read has an end-of-image marker. Reads all bytes that are left
   in the worst case. */
int cjpeg_has_end(const cjpeg_decoder *decoder);

/* The library's message about the last failure, and its number. */
const char *cjpeg_message(const cjpeg_decoder *decoder);
int cjpeg_message_code(const cjpeg_decoder *decoder);

/* Frees a decoder; NULL is allowed. */
void cjpeg_close(cjpeg_decoder *decoder);

/* "libjpeg-turbo 2.1.5". */
const char *cjpeg_version(void);

#endif
