/* png.c: rows of PNG: filters are reversed, and samples are converted to the pixel formats of the library.
   PNGRowDecoder, PNGSampleExpander and PNGBitmapWriter call it. A filter that depends on the pixel to the left is a
   chain: the code shortens the work that each pixel waits for.

   The sdpx_expand functions and sdpx_swap_samples also change the byte order of 16-bit samples: PNG is big-endian. */
#include "sdpx_png.h"

#include <string.h>

#include "kernel.h"

/* One pixel: up to eight bytes, in lanes wide enough for the sums of Paeth's predictor. */
typedef int16_t lanes __attribute__((vector_size(16)));
typedef uint8_t octets __attribute__((vector_size(8)));

/* `room`: bytes that may be read or written, at least `size`. With more bytes than a pixel has, one access is
   enough. */
INLINE lanes load_pixel(const uint8_t *from, size_t room) {
    octets v = {0};
    memcpy(&v, from, room);
    return __builtin_convertvector(v, lanes);
}

INLINE void store_pixel(uint8_t *to, lanes v, size_t room) {
    octets narrow = __builtin_convertvector(v, octets);
    memcpy(to, &narrow, room);
}

/* Selects lanes by a mask of all or no bits. */
INLINE lanes choose(lanes mask, lanes yes, lanes no) {
    return (mask & yes) | (~mask & no);
}

/* Prevents the compiler from narrowing a value that the next pixel needs wide: converting it twice would take
   longer. */
INLINE lanes stay_wide(lanes v) {
#if defined(__x86_64__)
    __asm__("" : "+x"(v));
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    return v;
}

/* Paeth's predictor: the one of a (left), b (above) and c (above left) nearest to a + b - c, ties in this order. It is
   the smaller of a and b if 3c - a - b is not below the larger, the larger if it is not above the smaller, otherwise c.
   Few steps depend on `a`, which matters because the next pixel waits for them. */
INLINE lanes paeth(lanes a, lanes b, lanes c, lanes x) {
    lanes bound = c * 3 - b - a, low = LANES_MIN(a, b), high = LANES_MAX(a, b);
    lanes below = choose(high > bound, c, low);
    return stay_wide(choose(low < bound, below, high) + x) & 255;
}

/* The filter Average: half the sum of left and above, rounded down. */
INLINE lanes average(lanes a, lanes b, lanes x) {
    return stay_wide(((a + b) >> 1) + x) & 255;
}

/* Unfilters rows whose pixels depend on their left neighbor. The last pixel is read and written exactly. */
INLINE void unfilter_pixels(uint8_t *to, const uint8_t *from, const uint8_t *above, size_t n, int filter, size_t size) {
    size_t room = size == 3 ? 4 : size == 6 ? 8 : size, last = n - size;
    lanes a = {0}, c = {0};
    for (size_t i = 0; i < n; i += size) {
        lanes x, b = {0};
        if (i < last) {
            x = load_pixel(from + i, room);
            if (filter != SDPX_FILTER_SUB)
                b = load_pixel(above + i, room);
        } else {
            x = load_pixel(from + i, size);
            if (filter != SDPX_FILTER_SUB)
                b = load_pixel(above + i, size);
        }
        a = filter == SDPX_FILTER_SUB       ? (a + x) & 255
            : filter == SDPX_FILTER_AVERAGE ? average(a, b, x)
                                            : paeth(a, b, c, x);
        c = b;
        if (i < last)
            store_pixel(to + i, a, room);
        else
            store_pixel(to + i, a, size);
    }
}

/* Selects the loop for a filter; `size` is a compile-time constant. */
INLINE void unfilter_size(uint8_t *to, const uint8_t *from, const uint8_t *above, size_t n, int filter, size_t size) {
    switch (filter) {
    case SDPX_FILTER_SUB: unfilter_pixels(to, from, above, n, SDPX_FILTER_SUB, size); break;
    case SDPX_FILTER_AVERAGE: unfilter_pixels(to, from, above, n, SDPX_FILTER_AVERAGE, size); break;
    case SDPX_FILTER_PAETH: unfilter_pixels(to, from, above, n, SDPX_FILTER_PAETH, size); break;
    default: break;
    }
}

/* Without a variant for AVX-512: its comparisons produce masks in other registers, whose latency is too high for a
   chain of dependent pixels. */
LOCAL_KERNEL_UP_TO_AVX2(void, unfilter_left, (to, from, above, n, filter, size), uint8_t *to, const uint8_t *from,
                        const uint8_t *above, size_t n, int filter, int size) {
    switch (size) {
    case 1: unfilter_size(to, from, above, n, filter, 1); break;
    case 2: unfilter_size(to, from, above, n, filter, 2); break;
    case 3: unfilter_size(to, from, above, n, filter, 3); break;
    case 4: unfilter_size(to, from, above, n, filter, 4); break;
    case 6: unfilter_size(to, from, above, n, filter, 6); break;
    case 8: unfilter_size(to, from, above, n, filter, 8); break;
    default: break;
    }
}

/* Adds the row above; its bytes do not depend on each other. */
LOCAL_KERNEL(void, unfilter_up, (to, from, above, n), uint8_t *restrict to, const uint8_t *restrict from,
             const uint8_t *restrict above, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(from[i] + above[i]);
}

int sdpx_unfilter_row(uint8_t *to, const uint8_t *from, const uint8_t *above, size_t bytes, int filter,
                      int pixel_bytes) {
    if (pixel_bytes <= 0 || bytes % (size_t)pixel_bytes != 0)
        return 0;
    if (filter == SDPX_FILTER_NONE)
        memcpy(to, from, bytes);
    else if (filter == SDPX_FILTER_UP)
        unfilter_up(to, from, above, bytes);
    else if (filter >= SDPX_FILTER_SUB && filter <= SDPX_FILTER_PAETH)
        unfilter_left(to, from, above, bytes, filter, pixel_bytes);
    else
        return 0;
    return 1;
}

/* --- Samples. */

/* Loads a sample of 16 bits. */
INLINE uint16_t big_endian(const uint8_t *from) {
    return (uint16_t)(from[0] << 8 | from[1]);
}

KERNEL(void, sdpx_swap_samples, (to, from, samples), uint16_t *restrict to, const uint8_t *restrict from,
       size_t samples) {
    for (size_t i = 0; i < samples; i++)
        to[i] = big_endian(from + 2 * i);
}

KERNEL(void, sdpx_expand_gray_alpha8, (to, from, pixels), uint8_t *restrict to, const uint8_t *restrict from,
       size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        to[4 * i] = to[4 * i + 1] = to[4 * i + 2] = from[2 * i];
        to[4 * i + 3] = from[2 * i + 1];
    }
}

KERNEL(void, sdpx_expand_gray_alpha16, (to, from, pixels), uint16_t *restrict to, const uint8_t *restrict from,
       size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        to[4 * i] = to[4 * i + 1] = to[4 * i + 2] = big_endian(from + 4 * i);
        to[4 * i + 3] = big_endian(from + 4 * i + 2);
    }
}

KERNEL(void, sdpx_expand_keyed8, (to, from, pixels, key), uint8_t *restrict to, const uint8_t *restrict from,
       size_t pixels, const uint16_t *key) {
    uint8_t r = (uint8_t)key[0], g = (uint8_t)key[1], b = (uint8_t)key[2];
    for (size_t i = 0; i < pixels; i++) {
        to[4 * i] = from[3 * i];
        to[4 * i + 1] = from[3 * i + 1];
        to[4 * i + 2] = from[3 * i + 2];
        to[4 * i + 3] = from[3 * i] == r && from[3 * i + 1] == g && from[3 * i + 2] == b ? 0 : 255;
    }
}

/* Compares all channels with the key without a jump. `channels` is a compile-time constant. */
INLINE void expand_keyed16(uint16_t *to, const uint8_t *from, size_t pixels, const uint16_t *key, size_t channels) {
    for (size_t i = 0; i < pixels; i++) {
        uint16_t differs = 0;
        for (size_t k = 0; k < 3; k++) {
            uint16_t v = big_endian(from + 2 * (i * channels + (channels == 3 ? k : 0)));
            to[4 * i + k] = v;
            differs |= v ^ key[channels == 3 ? k : 0];
        }
        to[4 * i + 3] = differs ? 65535 : 0;
    }
}

KERNEL(void, sdpx_expand_keyed16, (to, from, pixels, key, channels), uint16_t *restrict to,
       const uint8_t *restrict from, size_t pixels, const uint16_t *key, int channels) {
    if (channels == 1)
        expand_keyed16(to, from, pixels, key, 1);
    else if (channels == 3)
        expand_keyed16(to, from, pixels, key, 3);
}

/* Writes the pixels of an interlaced pass. For a preview, `spread` repeats each over those of later passes. */
INLINE void scatter(uint8_t *to, const uint8_t *from, size_t count, size_t step, size_t spread, size_t width,
                    size_t size) {
    for (size_t i = 0, x = 0; i < count && x < width; i++, x += step)
        for (size_t k = 0; k < spread && x + k < width; k++)
            memcpy(to + (x + k) * size, from + i * size, size);
}

void sdpx_scatter_pixels(uint8_t *to, const uint8_t *from, size_t count, size_t step, size_t spread, size_t width,
                         int pixel_bytes) {
    switch (pixel_bytes) {
    case 1: scatter(to, from, count, step, spread, width, 1); break;
    case 2: scatter(to, from, count, step, spread, width, 2); break;
    case 3: scatter(to, from, count, step, spread, width, 3); break;
    case 4: scatter(to, from, count, step, spread, width, 4); break;
    case 6: scatter(to, from, count, step, spread, width, 6); break;
    case 8: scatter(to, from, count, step, spread, width, 8); break;
    case 16: scatter(to, from, count, step, spread, width, 16); break;
    default: break;
    }
}
