/* quantize.h: the memory of a quantizer, for counting and mapping. The union below has the state of one of the two at a
   time. */
#ifndef SDPX_QUANTIZE_STATE_H
#define SDPX_QUANTIZE_STATE_H

#include "sdpx_quantize.h"

enum {
    /* Limits: colors distinguished while counting, and slots of the hash table; at least half of the slots stay
       free. */
    COLORS = 1 << 15,
    SLOTS = 1 << 16,
    /* Cubes with sides of 16 and of 4 values, and bytes for the lists of nearby palette entries. */
    LARGE_CUBES = 1 << 12,
    CUBES = 1 << 18,
    LISTS = 1 << 20
};

/* One color, or all colors with the same upper bits: the number of pixels, and the sums of their channels. */
typedef struct {
    uint32_t key, count, red, green, blue;
} sdpx_counted;

/* Colors as points. Channels are scaled by the square roots of their weights. */
typedef struct {
    float red[COLORS], green[COLORS], blue[COLORS], weight[COLORS];
} sdpx_points;

/* The first phase: a hash table of the colors, and the points made of them. */
typedef struct {
    sdpx_counted counted[COLORS];
    uint16_t slots[SLOTS]; /* indices into `counted`, plus 1; 0 is free */
    sdpx_points points;
    uint32_t count;
    /* Low bits of each channel that are ignored. */
    uint32_t dropped;
} sdpx_counting;

/* The second phase: the palette, and the candidates for the nearest entry by cubes of the color space. */
typedef struct {
    /* The start of each cube's list: its length minus 1, then the candidates for the nearest palette entry of every
       color in the cube. 0 if it is not made yet; the list at 0 holds all entries. */
    uint32_t large_cubes[LARGE_CUBES], cubes[CUBES];
    uint8_t lists[LISTS];
    uint32_t used;  /* bytes of `lists` in use */
    uint32_t count; /* entries of the palette */
    int32_t colors[256][4];
    /* The amplitude of ordered dithering in each direction. */
    int32_t spread;
    /* The diffused part of an error, in 32nds. */
    int32_t handed_on;
} sdpx_mapping;

/* Both phases share the memory: a palette is computed before pixels are mapped. */
struct sdpx_quantizer {
    union {
        sdpx_counting counting;
        sdpx_mapping mapping;
    };
};

#endif
