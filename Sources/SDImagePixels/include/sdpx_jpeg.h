/* sdpx_jpeg.h: decoding of the entropy-coded data of Huffman-coded JPEG files (ISO/IEC 10918-1), reduced to the needs
   of small images: the mean of each block, or a few samples. No allocation; the caller owns all state. */
#ifndef SDPX_JPEG_H
#define SDPX_JPEG_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* Index bits of the table of steps over several AC symbols, and of that of single symbols. */
    SDPX_JPEG_STEP_BITS = 12,
    SDPX_JPEG_SYMBOL_BITS = 10,
    SDPX_JPEG_COMPONENTS = 3,
    /* The number of coefficients in zigzag order that contains the lowest four by four. */
    SDPX_JPEG_LOW = 25
};

/* The lookup tables of one Huffman table. */
typedef struct {
    uint16_t steps[1 << SDPX_JPEG_STEP_BITS];
    uint16_t symbols[1 << SDPX_JPEG_SYMBOL_BITS];
    /* For longer codes: the end of the codes of each length in 16 bits, and the offset from such a code to its
       value. */
    uint32_t limits[17];
    uint32_t offsets[17];
    uint8_t values[256];
} sdpx_jpeg_huffman;

/* One component of a scan. */
typedef struct {
    const sdpx_jpeg_huffman *dc, *ac;
    /* Blocks of an MCU, horizontally and vertically. */
    uint32_t across, down;
    /* Samples per block in each direction. 1: the DC coefficient as coded. 2 or 4: means, in eighths. */
    uint32_t detail;
    /* For detail above 1: SDPX_JPEG_LOW factors of the coefficients in zigzag order, whose sum is a sample. */
    const float *weights;
    /* The top left sample, and the number of samples from row to row. */
    int16_t *samples;
    size_t stride;
    /* The DC coefficient of the previous block. */
    int32_t mean;
} sdpx_jpeg_component;

typedef enum {
    /* All coefficients. */
    SDPX_JPEG_SEQUENTIAL,
    /* DC coefficients without their lowest bits, and the next bit of each (successive approximation, G.1.2.1). */
    SDPX_JPEG_FIRST_MEANS,
    SDPX_JPEG_NEXT_MEANS
} sdpx_jpeg_kind;

/* The state of decoding one scan. */
typedef struct {
    const uint8_t *next, *end;
    sdpx_jpeg_kind kind;
    /* The lowest coded bit of DC coefficients; not for sequential scans. */
    uint32_t low_bit;
    sdpx_jpeg_component components[SDPX_JPEG_COMPONENTS];
    uint32_t component_count;
    uint32_t mcus_across;
    /* Index of the next MCU. */
    uint32_t mcu;
    /* MCUs between restart markers, 0 for none; MCUs until the next marker; the marker's number modulo 8. */
    uint32_t restart_interval, until_restart, restart;
    /* Bits read from the data, the next at the top; their count, and how many of them replace missing data. */
    uint64_t window;
    uint32_t count, missing;
} sdpx_jpeg_scan;

/* Makes a table from the number of codes of each length from 1 to 16, and their values. 0 if the codes are invalid.
   `has_steps`: for the AC coefficients of sequential scans. */
int sdpx_jpeg_make_huffman(sdpx_jpeg_huffman *table, const uint8_t *lengths, const uint8_t *values, size_t count,
                           int has_steps);

/* Reads the next MCUs, for which the samples of each component must have room. 0 if the data is damaged or ends. */
int sdpx_jpeg_walk(sdpx_jpeg_scan *scan, uint32_t mcus);

/* Returns the position of the next marker other than a restart marker; `end` if there is none. */
const uint8_t *sdpx_jpeg_next_marker(const uint8_t *from, const uint8_t *end);

/* Returns the start of the data after the restart marker with that index, counted from 0; NULL if other markers come
   before it. */
const uint8_t *sdpx_jpeg_after_restart(const uint8_t *from, const uint8_t *end, uint32_t number);

/* Converts samples in eighths around 0, multiplied by `step`, to bytes around 128. */
void sdpx_jpeg_level_row(uint8_t *to, const int16_t *from, size_t samples, int32_t step);

/* Interpolates a part of a row of means linearly between the rows before and after it. `offset` is the distance of the
   part's center below that of the row, whose height is 1. The mean of all parts is that of the row. */
void sdpx_jpeg_part_of_row(float *to, const int16_t *before, const int16_t *row, const int16_t *after, size_t samples,
                           float offset);

/* Divides means into `factor` (1, 2 or 4) parts horizontally in the same way, multiplies by `step` and converts to
   bytes as above. */
void sdpx_jpeg_widen_row(uint8_t *to, const float *from, size_t samples, uint32_t factor, float step);

/* Converts YCbCr to RGB as libjpeg does (ITU-T T.871, 7). */
void sdpx_jpeg_rgb_row(uint8_t *to, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t pixels);

#endif
