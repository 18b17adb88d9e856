/* dither.c: pixels mapped to the entries of a palette, for GIF. Three kinds: the nearest entry, error diffusion, and an
   ordered pattern.

   The nearest entry is found among few candidates. The color space is divided into cubes, and each has a list of the
   entries that are nearest to one of its colors. A list is made when the first color of its cube occurs. */
#include "sdpx_dither.h"

#include <math.h>

#include "kernel.h"
#include "quantize.h"

/* The part of an error that is diffused, in 32nds. Diffusing all of it would accumulate errors outside the range of the
   palette, and produce noise. */
enum { HANDED_ON = 29 };

INLINE int32_t clamp(int32_t v) {
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* The weighted sum of squares of differences. */
INLINE int32_t weighted(int32_t red, int32_t green, int32_t blue) {
    return SDPX_WEIGHT_RED * red * red + SDPX_WEIGHT_GREEN * green * green + SDPX_WEIGHT_BLUE * blue * blue;
}

/* The squared distance of two colors. */
INLINE int32_t distance(const int32_t *a, const int32_t *b) {
    return weighted(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/* Computes half the mean distance of a palette entry to its nearest neighbor, on one channel. */
static int32_t spread_of(const sdpx_mapping *m) {
    float sum = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        int32_t least = INT32_MAX;
        for (uint32_t j = 0; j < m->count; j++) {
            int32_t d = distance(m->colors[i], m->colors[j]);
            least = j != i && d < least ? d : least;
        }
        sum += sqrtf((float)least / (SDPX_WEIGHT_RED + SDPX_WEIGHT_GREEN + SDPX_WEIGHT_BLUE));
    }
    return m->count < 2 ? 0 : (int32_t)(sum / (float)m->count);
}

void sdpx_quantizer_use(sdpx_quantizer *q, const uint8_t *rgb, size_t colors) {
    sdpx_mapping *m = &q->mapping;
    m->count = colors > 256 ? 256 : (uint32_t)colors;
    memset(m->large_cubes, 0, sizeof m->large_cubes);
    memset(m->cubes, 0, sizeof m->cubes);
    /* The list of all entries is at 0: its length minus 1, then the entries. */
    m->used = m->count + 1;
    m->lists[0] = (uint8_t)(m->count - 1);
    for (uint32_t i = 0; i < m->count; i++) {
        m->lists[i + 1] = (uint8_t)i;
        for (int k = 0; k < 3; k++)
            m->colors[i][k] = rgb[3 * i + (size_t)k];
    }
    m->spread = spread_of(m);
    m->handed_on = HANDED_ON;
}

void sdpx_quantizer_diffuse(sdpx_quantizer *q, double amount) {
    q->mapping.handed_on = (int32_t)(amount * HANDED_ON + 0.5);
}

size_t sdpx_quantizer_errors(size_t width) {
    return 3 * (width + 2);
}

/* The first returns the distance of a value outside a cube that begins at `low`, 0 inside; the second its distance to
   the farther end. */
INLINE int32_t outside(int32_t value, int32_t low, int32_t side) {
    int32_t below = low - value, above = value - (low + side - 1), most = below > above ? below : above;
    return most > 0 ? most : 0;
}

/* Returns the distance of a value from the farther end of a cube. */
INLINE int32_t farthest(int32_t value, int32_t low, int32_t side) {
    int32_t below = value - low, above = low + side - 1 - value;
    return below > above ? below : above;
}

/* Makes the list of a cube from that of an enclosing cube; 0 if no room is left. An entry is listed if the distance of
   the cube's nearest point does not exceed the smallest distance of any entry to its farthest point. */
static uint32_t make_list(sdpx_mapping *m, uint32_t around, const int32_t *low, int32_t side) {
    const uint8_t *from = m->lists + around;
    int32_t nearest[256], bound = INT32_MAX;
    uint32_t count = from[0] + 1u, start = m->used, end = start + 1;
    /* A list has a length and at most 256 entries. */
    if (LISTS - start < 257)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t *c = m->colors[from[i + 1]];
        int32_t far =
            weighted(farthest(c[0], low[0], side), farthest(c[1], low[1], side), farthest(c[2], low[2], side));
        nearest[i] = weighted(outside(c[0], low[0], side), outside(c[1], low[1], side), outside(c[2], low[2], side));
        bound = far < bound ? far : bound;
    }
    for (uint32_t i = 0; i < count; i++) {
        m->lists[end] = from[i + 1];
        end += nearest[i] <= bound;
    }
    m->lists[start] = (uint8_t)(end - start - 2);
    m->used = end;
    return start;
}

/* Makes the list of a small cube, from that of the large cube around it. Returns 0, the list of all entries, if no room
   is left. */
static uint32_t fill_cube(sdpx_mapping *m, const int32_t *color, uint32_t *cube) {
    uint32_t *large = &m->large_cubes[color[0] >> 4 << 8 | color[1] >> 4 << 4 | color[2] >> 4];
    if (*large == 0)
        *large = make_list(m, 0, (int32_t[]){color[0] & ~15, color[1] & ~15, color[2] & ~15}, 16);
    *cube = make_list(m, *large, (int32_t[]){color[0] & ~3, color[1] & ~3, color[2] & ~3}, 4);
    return *cube;
}

/* Returns the nearest entry of a color, by a search in the list of its cube. */
INLINE uint8_t nearest_of(sdpx_mapping *m, const int32_t *color) {
    uint32_t *cube = &m->cubes[color[0] >> 2 << 12 | color[1] >> 2 << 6 | color[2] >> 2];
    const uint8_t *list = m->lists + (*cube ? *cube : fill_cube(m, color, cube));
    uint8_t best = list[1];
    int32_t least = distance(m->colors[best], color);
    for (uint32_t i = 2; i <= list[0] + 1u; i++) {
        int32_t d = distance(m->colors[list[i]], color);
        best = d < least ? list[i] : best;
        least = d < least ? d : least;
    }
    return best;
}

/* Dithers a row by error diffusion. `errors` holds the errors from the row above in sixteenths, with one extra pixel on
   both sides. Each entry is read and then overwritten with the error for the row below. */
static void diffuse(sdpx_mapping *m, uint8_t *indices, const uint8_t *rgba, size_t width, size_t y,
                    unsigned least_alpha, uint8_t clear_index, int16_t *errors) {
    /* Odd rows run from right to left. */
    ptrdiff_t step = y & 1 ? -1 : 1;
    size_t x = step < 0 ? width - 1 : 0;
    /* Errors for the next pixel, for the pixel below, and for the one below the next. */
    int32_t ahead[3] = {0}, under[3] = {0}, beyond[3] = {0};
    for (size_t i = 0; i < width; i++, x += (size_t)step) {
        const uint8_t *p = rgba + 4 * x;
        int16_t *here = errors + 3 * (x + 1);
        int32_t color[3], left[3] = {0};
        if (p[3] < least_alpha) {
            indices[x] = clear_index;
        } else {
            for (int k = 0; k < 3; k++)
                color[k] = clamp(p[k] + ((ahead[k] + here[k] + 8) >> 4));
            indices[x] = nearest_of(m, color);
            for (int k = 0; k < 3; k++)
                /* The error that remains; 7, 3, 5 and 1 sixteenths of it go to the neighbors. */
                left[k] = (color[k] - m->colors[indices[x]][k]) * m->handed_on / 32;
        }
        for (int k = 0; k < 3; k++) {
            here[-3 * step + k] = (int16_t)(under[k] + 3 * left[k]);
            under[k] = beyond[k] + 5 * left[k];
            beyond[k] = left[k];
            ahead[k] = 7 * left[k];
        }
    }
    for (int k = 0; k < 3; k++)
        errors[3 * (x + 1) - (size_t)(3 * step) + (size_t)k] = (int16_t)under[k];
}

/* Bayer's 8 by 8 matrix: the bits of x ^ y and of y, interleaved and reversed. */
INLINE int32_t threshold(size_t x, size_t y) {
    size_t a = x ^ y, v = 0;
    for (int bit = 0; bit < 3; bit++)
        v = v << 2 | (a >> bit & 1) << 1 | (y >> bit & 1);
    return (int32_t)v;
}

void sdpx_quantizer_map(sdpx_quantizer *q, uint8_t *indices, const uint8_t *rgba, size_t width, size_t y,
                        unsigned least_alpha, uint8_t clear_index, int dither, int16_t *errors) {
    sdpx_mapping *m = &q->mapping;
    if (width == 0 || m->count == 0)
        return;
    if (dither == SDPX_DITHER_DIFFUSION) {
        diffuse(m, indices, rgba, width, y, least_alpha, clear_index, errors);
        return;
    }
    for (size_t x = 0; x < width; x++) {
        const uint8_t *p = rgba + 4 * x;
        if (p[3] < least_alpha) {
            indices[x] = clear_index;
        } else if (dither == SDPX_DITHER_NONE) {
            indices[x] = x && memcmp(p, p - 4, 4) == 0 ? indices[x - 1] : nearest_of(m, (int32_t[]){p[0], p[1], p[2]});
        } else {
            /* Thresholds are the odd numbers from -63 to 63. */
            int32_t shift = (2 * threshold(x, y) - 63) * m->spread / 128;
            int32_t color[3] = {clamp(p[0] + shift), clamp(p[1] + shift), clamp(p[2] + shift)};
            indices[x] = nearest_of(m, color);
        }
    }
}
