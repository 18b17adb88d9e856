/* The entropy-coded data of JPEG files with Huffman codes (ISO/IEC 10918-1), read for what a small picture needs of it:
   of each block its mean, or a few samples. No allocation; all state is the caller's. */
#ifndef SDPX_JPEG_H
#define SDPX_JPEG_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* Bits that index the steps over several AC symbols, and the single symbols. */
    SDPX_JPEG_STEP_BITS = 12,
    SDPX_JPEG_SYMBOL_BITS = 10,
    SDPX_JPEG_COMPONENTS = 3,
    /* In zigzag order so many coefficients hold the lowest four by four. */
    SDPX_JPEG_LOW = 25
};

/* One Huffman table, made for look-ups. */
typedef struct {
    uint16_t steps[1 << SDPX_JPEG_STEP_BITS];
    uint16_t symbols[1 << SDPX_JPEG_SYMBOL_BITS];
    /* For longer codes: in 16 bits the end of the codes of each length, and what leads from such a code to its
       value. */
    uint32_t limits[17];
    uint32_t offsets[17];
    uint8_t values[256];
} sdpx_jpeg_huffman;

/* One component of a scan. */
typedef struct {
    const sdpx_jpeg_huffman *dc, *ac;
    /* Blocks in an MCU. */
    uint32_t across, down;
    /* Samples kept of a block in each direction. 1: its DC coefficient, as coded. 2 or 4: means, in eighths. */
    uint32_t detail;
    /* With more detail than 1: SDPX_JPEG_LOW factors of the coefficients in zigzag order, of which the sum is a
       sample. */
    const float *weights;
    /* The sample at the top left, and how many samples lie from row to row. */
    int16_t *samples;
    size_t stride;
    /* The DC coefficient of the block before. */
    int32_t mean;
} sdpx_jpeg_component;

typedef enum {
    /* All coefficients. */
    SDPX_JPEG_SEQUENTIAL,
    /* DC coefficients without their lowest bits, and the next bit of each (successive approximation, G.1.2.1). */
    SDPX_JPEG_FIRST_MEANS,
    SDPX_JPEG_NEXT_MEANS
} sdpx_jpeg_kind;

/* A walk through the data of one scan. */
typedef struct {
    const uint8_t *next, *end;
    sdpx_jpeg_kind kind;
    /* The lowest bit that is coded of DC coefficients, but of sequential scans. */
    uint32_t low_bit;
    sdpx_jpeg_component components[SDPX_JPEG_COMPONENTS];
    uint32_t component_count;
    uint32_t mcus_across;
    /* Number of the next MCU. */
    uint32_t mcu;
    /* MCUs from one restart marker to the next, 0 for none; those before the next marker, and its number modulo 8. */
    uint32_t restart_interval, until_restart, restart;
    /* Bits taken from the data, the next at the top; how many, and how many of them stand for missing ones. */
    uint64_t window;
    uint32_t count, missing;
} sdpx_jpeg_scan;

/* Makes a table from the number of codes of each length from 1 to 16, and their values. 0: there can be no such codes.
   `has_steps`: for the AC coefficients of sequential scans. */
int sdpx_jpeg_make_huffman(sdpx_jpeg_huffman *table, const uint8_t *lengths, const uint8_t *values, size_t count,
                           int has_steps);

/* Reads the next MCUs, which must have room among the samples of each component. 0: the data are damaged, or end. */
int sdpx_jpeg_walk(sdpx_jpeg_scan *scan, uint32_t mcus);

/* Where the next marker is that is no restart marker; `end` when there is none. */
const uint8_t *sdpx_jpeg_next_marker(const uint8_t *from, const uint8_t *end);

/* Where the data after the restart marker of that number, from 0 on, begin; NULL when others come before it. */
const uint8_t *sdpx_jpeg_after_restart(const uint8_t *from, const uint8_t *end, uint32_t number);

/* Samples in eighths around 0, multiplied by `step`, to bytes around 128. */
void sdpx_jpeg_level_row(uint8_t *to, const int16_t *from, size_t samples, int32_t step);

/* A part of a row of means, where they change evenly from the row before it to the row after it: `offset` is how far
   its middle lies below that of the row, whose height is 1. The mean of all parts is that of the row. */
void sdpx_jpeg_part_of_row(float *to, const int16_t *before, const int16_t *row, const int16_t *after, size_t samples,
                           float offset);

/* Means, each parted into `factor` (1, 2 or 4) as rows are, multiplied by `step` and made bytes as above. */
void sdpx_jpeg_widen_row(uint8_t *to, const float *from, size_t samples, uint32_t factor, float step);

/* YCbCr to RGB as libjpeg computes it (ITU-T T.871, 7). */
void sdpx_jpeg_rgb_row(uint8_t *to, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t pixels);

#endif
