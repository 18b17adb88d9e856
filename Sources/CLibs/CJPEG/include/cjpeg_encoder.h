/* Encoding with libjpeg; functions return the codes of CJPEG.h. */
#ifndef CJPEG_ENCODER_H
#define CJPEG_ENCODER_H

#include <stddef.h>
#include <stdint.h>

typedef struct cjpeg_encoder cjpeg_encoder;

/* Resolution of colour. */
enum { CJPEG_CHROMA_420 = 0, CJPEG_CHROMA_422 = 1, CJPEG_CHROMA_444 = 2 };

enum {
    /* The longest side that the library writes. */
    CJPEG_LONGEST_SIDE = 65500,
    /* Bytes that a marker can hold. */
    CJPEG_MARKER_BYTES = 65533
};

typedef struct {
    /* At least 1, and at most CJPEG_LONGEST_SIDE. */
    uint32_t width, height;
    /* Rows that will come: CJPEG_OUT_GRAY, RGB, RGBA or BGRA, of which the alpha is passed over. */
    int input;
    /* 0 to 100, on libjpeg's scale. */
    int quality;
    int chroma;
    int is_progressive;
    /* Codes made for this picture, in a pass of its own. */
    int has_own_codes;
    /* A restart marker behind each row of MCUs. */
    int has_restarts;
} cjpeg_parameters;

/* Gives the file more memory than `capacity` bytes, all of which are written and must be kept, and says in `capacity`
   how many there are. NULL when memory is refused. */
typedef uint8_t *(*cjpeg_grow)(void *context, size_t *capacity);

/* NULL when memory is refused. `grow` is asked for the first memory too. */
cjpeg_encoder *cjpeg_encoder_open(cjpeg_grow grow, void *context);

/* Begins a file: its first marker, and the one of JFIF. */
int cjpeg_encoder_start(cjpeg_encoder *encoder, const cjpeg_parameters *parameters);

/* Rows of pixels that are coded together. */
uint32_t cjpeg_encoder_mcu_rows(const cjpeg_encoder *encoder);

/* Writes a marker, before the first row. */
int cjpeg_encoder_write_marker(cjpeg_encoder *encoder, int marker, const void *bytes, size_t count);

/* Encodes the next rows, all of them. */
int cjpeg_encoder_write_rows(cjpeg_encoder *encoder, const uint8_t *const *rows, uint32_t count);

/* Ends the file after the last row. Files in passes are encoded only here: `stop` is asked about every row of MCUs, and
   ends the work with CJPEG_STOPPED where it is not 0. */
int cjpeg_encoder_finish(cjpeg_encoder *encoder, int (*stop)(void *context), void *context);

/* Bytes of the finished file. */
size_t cjpeg_encoder_count(const cjpeg_encoder *encoder);

const char *cjpeg_encoder_message(const cjpeg_encoder *encoder);
int cjpeg_encoder_message_code(const cjpeg_encoder *encoder);

void cjpeg_encoder_close(cjpeg_encoder *encoder);

#endif
