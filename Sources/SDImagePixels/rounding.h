/* rounding.h: divisions that round to the nearest. */
#ifndef SDPX_ROUNDING_H
#define SDPX_ROUNDING_H

#include <stdint.h>

/* v / 255, exact for v <= 255 * 255. */
static inline __attribute__((always_inline)) uint32_t div255(uint32_t v) {
    v += 128;
    return (v + (v >> 8)) >> 8;
}

#endif
