/* sdpx_jpeg_scan.h: decoding of the entropy-coded data of Huffman-coded JPEG files (ISO/IEC 10918-1), reduced to the
   needs of small images: the mean of each block, or a few samples. No allocation; the caller owns all state. */
#ifndef SDPX_JPEG_SCAN_H
#define SDPX_JPEG_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_jpeg_huffman.h"

enum {
    SDPX_JPEG_COMPONENTS = 3,
    /* The number of coefficients in zigzag order that contains the lowest four by four. */
    SDPX_JPEG_LOW = 25
};

/* One component of a scan. */
typedef struct {
    const sdpx_jpeg_huffman *dc, *ac; /* tables of the component; borrowed */
    /* Blocks of an MCU, horizontally and vertically. */
    uint32_t across, down;
    /* Samples per block in each direction. 1: the DC coefficient as coded. 2 or 4: means, in eighths. */
    uint32_t detail;
    /* For detail above 1: SDPX_JPEG_LOW factors of the coefficients in zigzag order, whose sum is a sample, clamped to
       16 bits. */
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
    const uint8_t *next, *end; /* data not read yet */
    sdpx_jpeg_kind kind;
    /* The lowest coded bit of DC coefficients; not for sequential scans. */
    uint32_t low_bit;
    sdpx_jpeg_component components[SDPX_JPEG_COMPONENTS];
    uint32_t component_count;
    uint32_t mcus_across; /* MCUs of a row */
    /* Index of the next MCU. */
    uint32_t mcu;
    /* MCUs between restart markers, 0 for none; MCUs until the next marker; the marker's number modulo 8. */
    uint32_t restart_interval, until_restart, restart;
    /* Bits read from the data, the next at the top; their count, and how many of them replace missing data. */
    uint64_t window;
    uint32_t count, missing;
} sdpx_jpeg_scan;

/* Reads the next MCUs, for which the samples of each component must have room. 0 if the data is damaged or ends. */
int sdpx_jpeg_walk(sdpx_jpeg_scan *scan, uint32_t mcus);

/* Returns the position of the next marker other than a restart marker; `end` if there is none. */
const uint8_t *sdpx_jpeg_next_marker(const uint8_t *from, const uint8_t *end);

/* Returns the start of the data after the restart marker with that index, counted from 0; NULL if other markers come
   before it. */
const uint8_t *sdpx_jpeg_after_restart(const uint8_t *from, const uint8_t *end, uint32_t number);

#endif
