/* sdpx_quad_axis.h: the operands of the integer filter (sdpx_resize_quads.h). */
#ifndef SDPX_QUAD_AXIS_H
#define SDPX_QUAD_AXIS_H

#include <stddef.h>
#include <stdint.h>

/* The number of units (see SDPX_FLOAT_UNITS) filtered at a time. */
enum { SDPX_QUAD_UNITS = 8 };

/* An axis for 8-bit samples, with integer weights whose sum is exactly 1 << bits: constant images stay unchanged. */
typedef struct {
    size_t count;
    /* Vectors of 16 source positions for each output position. */
    size_t vectors;
    int variant;
    int bits;
    /* The first source position, divided by four. */
    int32_t *starts;
    /* In the order that the variant requires. */
    int16_t *weights;
} sdpx_quad_axis;

/* Memory that will be read next and is prefetched meanwhile: `count` rows of `bytes`. */
typedef struct {
    const uint8_t *first;
    ptrdiff_t stride;
    size_t bytes;
    size_t count;
} sdpx_ahead;

#endif
