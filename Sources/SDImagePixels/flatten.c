#include "sdpixels.h"

#include "kernel.h"
#include "rounding.h"

KERNEL(void, sdpx_flatten_row, (to, from, pixels, background, is_premultiplied), uint8_t *to, const uint8_t *from,
       size_t pixels, const uint8_t *background, int is_premultiplied) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t a = from[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            uint32_t c = from[4 * i + k] * (is_premultiplied ? 255u : a) + background[k] * (255 - a);
            /* A premultiplied color brighter than its alpha is invalid input: it is clamped. */
            to[4 * i + k] = (uint8_t)div255(c < 255 * 255 ? c : 255 * 255);
        }
        to[4 * i + 3] = 255;
    }
}
