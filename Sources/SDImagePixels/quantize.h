/* The memory of a quantizer, for its two halves. */
#ifndef SDPX_QUANTIZE_STATE_H
#define SDPX_QUANTIZE_STATE_H

#include "sdpx_quantize.h"

enum {
    /* Colours told apart while counting, and slots of the table that finds them; at least half of these stay free. */
    COLORS = 1 << 15,
    SLOTS = 1 << 16,
    /* Cubes of 16 and of 4 values to a side, and bytes for the lists of what is near them. */
    LARGE_CUBES = 1 << 12,
    CUBES = 1 << 18,
    LISTS = 1 << 20
};

/* One colour, or all that agree in their upper bits. */
typedef struct {
    uint32_t key, count, red, green, blue;
} sdpx_counted;

/* Channels are scaled by the roots of their weights. */
typedef struct {
    float red[COLORS], green[COLORS], blue[COLORS], weight[COLORS];
} sdpx_points;

typedef struct {
    sdpx_counted counted[COLORS];
    uint16_t slots[SLOTS];
    sdpx_points points;
    uint32_t count;
    /* Low bits of each channel that are not told apart. */
    uint32_t dropped;
} sdpx_counting;

typedef struct {
    /* Where the list of a cube begins: its length less 1, then the palette entries among which the nearest of every
       colour of the cube is. 0 where it is not made yet; at 0 lies the list of all. */
    uint32_t large_cubes[LARGE_CUBES], cubes[CUBES];
    uint8_t lists[LISTS];
    uint32_t used;
    uint32_t count;
    int32_t colors[256][4];
    /* How far the pattern of ordered dithering reaches to either side. */
    int32_t spread;
    /* Of 32 parts of an error. */
    int32_t handed_on;
} sdpx_mapping;

struct sdpx_quantizer {
    union {
        sdpx_counting counting;
        sdpx_mapping mapping;
    };
};

#endif
