/* libjpeg, whose way of failing (longjmp) ends here: every function returns a code. */
#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#include "cjpeg_encoder.h"

typedef struct cjpeg_decoder cjpeg_decoder;

enum {
    CJPEG_OK = 0,
    /* Not a JPEG, or beyond repair. */
    CJPEG_BAD_DATA,
    /* The data end before the picture does. */
    CJPEG_TRUNCATED,
    /* A process, precision or colour space that the library does not have. */
    CJPEG_UNSUPPORTED,
    CJPEG_NO_MEMORY,
    /* The memory limit given to cjpeg_start. */
    CJPEG_TOO_LARGE,
    CJPEG_TOO_MANY_SCANS,
    /* Of a growing file: what comes next is not there yet. */
    CJPEG_NEEDS_MORE,
    /* The caller wanted no more of it. */
    CJPEG_STOPPED
};

/* How the components of the file are to be understood. */
enum { CJPEG_GRAY = 1, CJPEG_COLOR = 3, CJPEG_CMYK = 4 };

/* Rows to produce, or to encode. */
enum { CJPEG_OUT_GRAY, CJPEG_OUT_RGB, CJPEG_OUT_RGBA, CJPEG_OUT_BGRA, CJPEG_OUT_CMYK };

typedef struct {
    uint32_t width, height;
    /* CJPEG_GRAY, CJPEG_COLOR or CJPEG_CMYK. */
    int kind;
    /* Color as brightness and two differences, not as RGB. */
    int is_ycc;
    int is_progressive;
    /* All scans must be read before the first row. */
    int has_multiple_scans;
    /* Rows of pixels that are coded together. */
    uint32_t mcu_rows;
    /* Bytes of coefficients that such a file needs. */
    uint64_t coefficient_bytes;
} cjpeg_header;

/* The bytes must stay until cjpeg_close. `tolerant`: damaged or missing entropy-coded data are not an error. NULL when
   memory is refused. */
cjpeg_decoder *cjpeg_open(const void *bytes, size_t count, int tolerant);
int cjpeg_read_header(cjpeg_decoder *decoder, cjpeg_header *header);

/* For a file that grows, which is read tolerantly: functions that lack bytes return CJPEG_NEEDS_MORE and go on from the
   same place when called again. */
cjpeg_decoder *cjpeg_open_growing(void);

/* All bytes of a growing file so far, at least as many as before. They must stay until the next call, or
   cjpeg_close. */
void cjpeg_feed(cjpeg_decoder *decoder, const void *bytes, size_t count);

/* The size that rows have at a scale of `eighths` / 8. */
void cjpeg_scaled_size(const cjpeg_header *header, int eighths, uint32_t *width, uint32_t *height);

/* Prepares rows of one kind at a scale of `eighths` / 8, 1 to 8. */
int cjpeg_start(cjpeg_decoder *decoder, int output, int eighths, size_t memory_limit);

/* Reads a little of a file with several scans; to be repeated until `*done`. At once done with other files. */
int cjpeg_read_ahead(cjpeg_decoder *decoder, int max_scans, int *done);

/* Reads a little of what has come of a growing file with several scans, and says how many scans are whole. CJPEG_OK: to
   be repeated, unless `*done`. */
int cjpeg_take_scans(cjpeg_decoder *decoder, int max_scans, int *whole, int *done);

/* Begins rows from the first again, made of all that was read of such a file, of which one scan must be whole; and ends
   them. */
int cjpeg_begin_pass(cjpeg_decoder *decoder);
int cjpeg_end_pass(cjpeg_decoder *decoder);

/* Decodes up to `count` rows, each with room for its width; `*got` of them are there, at least one until the last. */
int cjpeg_read_rows(cjpeg_decoder *decoder, uint8_t *const *rows, uint32_t count, uint32_t *got);

/* Passes over `count` rows, which must not be the last, of a file with one scan: they are only read, not made pixels.
   Whole multiples of `mcu_rows` cost least. */
int cjpeg_skip_rows(cjpeg_decoder *decoder, uint32_t count);

/* Whether damage was met and tolerated. */
int cjpeg_is_damaged(const cjpeg_decoder *decoder);

/* The library's word on the last failure, and its number. */
const char *cjpeg_message(const cjpeg_decoder *decoder);
int cjpeg_message_code(const cjpeg_decoder *decoder);

void cjpeg_close(cjpeg_decoder *decoder);

/* "libjpeg-turbo 2.1.5". */
const char *cjpeg_version(void);

#endif
