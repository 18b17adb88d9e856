/* cjpeg_encoder.h: encoding with libjpeg; functions return the codes of CJPEG.h. The order of calls: open, start,
   markers, rows, finish, close. */
#ifndef CJPEG_ENCODER_H
#define CJPEG_ENCODER_H

#include <stddef.h>
#include <stdint.h>

typedef struct cjpeg_encoder cjpeg_encoder;

/* Chroma subsampling. */
enum { CJPEG_CHROMA_420 = 0, CJPEG_CHROMA_422 = 1, CJPEG_CHROMA_444 = 2 };

enum {
    /* The longest side that the library supports. */
    CJPEG_LONGEST_SIDE = 65500,
    /* The maximum number of bytes in a marker segment. */
    CJPEG_MARKER_BYTES = 65533
};

typedef struct {
    /* At least 1, and at most CJPEG_LONGEST_SIDE. */
    uint32_t width, height;
    /* The format of the input rows: CJPEG_OUT_GRAY, RGB, RGBA or BGRA; alpha is ignored. */
    int input;
    /* 0 to 100, on libjpeg's scale. */
    int quality;
    int chroma; /* CJPEG_CHROMA_…; of no effect for gray */
    int is_progressive;
    /* Huffman codes optimized for this image, in an additional pass. */
    int has_own_codes;
    /* A restart marker after each MCU row. */
    int has_restarts;
} cjpeg_parameters;

/* Enlarges the memory of the file beyond `capacity` bytes, all of which are written and must be preserved. Stores the
   new size in `capacity`. NULL if memory is exhausted. */
typedef uint8_t *(*cjpeg_grow)(void *context, size_t *capacity);

/* Makes an encoder for one file. NULL if memory is exhausted. `grow` also provides the first memory, which stays owned
   by the caller. */
cjpeg_encoder *cjpeg_encoder_open(cjpeg_grow grow, void *context);

/* Begins a file with its first marker and that of JFIF. */
int cjpeg_encoder_start(cjpeg_encoder *encoder, const cjpeg_parameters *parameters);

/* Pixel rows of an MCU row. */
uint32_t cjpeg_encoder_mcu_rows(const cjpeg_encoder *encoder);

/* Writes a marker; only before the first row. */
int cjpeg_encoder_write_marker(cjpeg_encoder *encoder, int marker, const void *bytes, size_t count);

/* Encodes the next rows, all of them. */
int cjpeg_encoder_write_rows(cjpeg_encoder *encoder, const uint8_t *const *rows, uint32_t count);

/* Ends the file after the last row. Files that need additional passes are encoded here: `stop` is called for every MCU
   row, and a result other than 0 ends the work with CJPEG_STOPPED. */
int cjpeg_encoder_finish(cjpeg_encoder *encoder, int (*stop)(void *context), void *context);

/* The size of the finished file in bytes. */
size_t cjpeg_encoder_count(const cjpeg_encoder *encoder);

/* The library's message about the last failure, and its number. */
const char *cjpeg_encoder_message(const cjpeg_encoder *encoder);
int cjpeg_encoder_message_code(const cjpeg_encoder *encoder);

/* Frees an encoder, but not the memory of the file; NULL is allowed. */
void cjpeg_encoder_close(cjpeg_encoder *encoder);

#endif
