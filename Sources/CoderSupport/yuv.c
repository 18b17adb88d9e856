/* yuv.c: planes to pixels, the last step of decoding HEIC and AVIF. Rows are converted block by block:
 *
 * 1. load_chroma enlarges both chroma planes to the size of luma, multiplied by 16.
 * 2. apply multiplies by the matrix and clamps to the output.
 * 3. load_alpha scales alpha, and straighten divides it out of the colors.
 * 4. store writes the pixels.
 *
 * The loops are compiled for each SIMD level (kernel.h), and once for bytes and once for words. Called on the thread of
 * a decode. */
#include "yuv.h"

#include <string.h>

#include "kernel.h"

/* A row is converted in blocks whose intermediate values fit the first-level cache. Even, because of halved chroma. */
enum { BLOCK = 512 };

/* One block of a row: the intermediate values between the steps below. Chroma is multiplied by 16. */
typedef struct block {
    uint16_t cb[BLOCK + 2], cr[BLOCK + 2];
    int32_t red[BLOCK], green[BLOCK], blue[BLOCK];
    uint16_t alpha[BLOCK];
} block;

/* Reads a sample; `depth` is 8 for bytes. Excess bits of a word, left by a damaged stream, are cleared. */
INLINE uint32_t sample(const uint8_t *row, size_t x, int depth) {
    return depth > 8 ? ((const uint16_t *)(const void *)row)[x] & ((1u << depth) - 1) : row[x];
}

/* Blends `near` and `far` 3 : 1 vertically, for `count` samples from `first`, clamped to the plane. Samples beyond the
 * left and right edges repeat the outermost one. Results are 4 times the samples. */
INLINE void blend_rows(uint16_t *out, const uint8_t *near, const uint8_t *far, ptrdiff_t first, size_t count,
                       size_t width, int depth) {
    size_t i = 0, end = count;
    if (first < 0)
        out[i++] = (uint16_t)(3 * sample(near, 0, depth) + sample(far, 0, depth));
    if ((size_t)(first + (ptrdiff_t)count) > width)
        end = (size_t)((ptrdiff_t)width - first);
    for (; i < end; i++) {
        size_t x = (size_t)(first + (ptrdiff_t)i);
        out[i] = (uint16_t)(3 * sample(near, x, depth) + sample(far, x, depth));
    }
    for (; i < count; i++)
        out[i] = out[end - 1];
}

/* Doubles a row of `count` blended samples, each new sample 3 : 1 of the two nearest. `in` has one more sample on both
 * sides. Results are 16 times the samples. */
INLINE void enlarge(uint16_t *restrict out, const uint16_t *restrict in, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = (uint16_t)(3 * in[i + 1] + in[i]);
        out[2 * i + 1] = (uint16_t)(3 * in[i + 1] + in[i + 2]);
    }
}

/* Loads the chroma of the pixels from `x` on, which must be even. Results are 16 times the samples, whatever the
 * subsampling. */
INLINE void load_chroma(uint16_t *out, const sdyuv_planes *p, const uint8_t *plane, size_t stride, uint32_t y,
                        uint32_t x, size_t count, int depth) {
    uint32_t row = y >> p->shift_y, other = row;
    /* The nearer of the two neighboring rows: the previous one for even rows of luma, the next one for odd rows. */
    if (p->shift_y) {
        uint32_t rows = (p->height + 1) >> 1;
        other = y & 1 ? (row + 1 < rows ? row + 1 : row) : (row ? row - 1 : 0);
    }
    const uint8_t *near = plane + row * stride, *far = plane + other * stride;
    size_t width = ((size_t)p->width + (size_t)p->shift_x) >> p->shift_x;
    if (!p->shift_x) {
        blend_rows(out, near, far, x, count, width, depth);
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)(out[i] * 4);
        return;
    }
    uint16_t blended[BLOCK / 2 + 2];
    size_t half = (count + 1) / 2;
    blend_rows(blended, near, far, (ptrdiff_t)(x / 2) - 1, half + 2, width, depth);
    enlarge(out, blended, half);
}

INLINE int32_t clamp(int32_t v, int32_t top) {
    return v < 0 ? 0 : v > top ? top : v;
}

/* Multiplies a block by the matrix. `middle` is the value of neutral chroma, `top` the highest output. Matrices that
 * are not `general` have equal weights of luma, and two zeros. */
INLINE void apply(block *b, const uint8_t *luma, const sdyuv_matrix *m, size_t count, int32_t middle, int32_t top,
                  int depth, bool general) {
    /* Copies: stores to the block could change the matrix as far as the compiler knows. */
    const int32_t ly = m->from_luma[1], gb = m->from_cb[1], gr = m->from_cr[1], rr = m->from_cr[0], bb = m->from_cb[2];
    const int32_t lr = m->from_luma[0], lb = m->from_luma[2], rb = m->from_cb[0], br = m->from_cr[2];
    const int32_t ro = m->offset[0], go = m->offset[1], bo = m->offset[2];
    const int shift = m->shift;
    for (size_t i = 0; i < count; i++) {
        int32_t l = (int32_t)sample(luma, i, depth), cb = b->cb[i] - middle, cr = b->cr[i] - middle;
        int32_t y = l * ly;
        int32_t red = (general ? l * lr + cb * rb : y) + cr * rr + ro;
        int32_t green = y + cb * gb + cr * gr + go;
        int32_t blue = (general ? l * lb + cr * br : y) + cb * bb + bo;
        b->red[i] = clamp(red >> shift, top);
        b->green[i] = clamp(green >> shift, top);
        b->blue[i] = clamp(blue >> shift, top);
    }
}

/* Computes gray from luma alone. */
INLINE void apply_luma(int32_t *out, const uint8_t *luma, const sdyuv_matrix *m, size_t count, int32_t top, int depth) {
    for (size_t i = 0; i < count; i++)
        out[i] = clamp(((int32_t)sample(luma, i, depth) * m->from_luma[1] + m->offset[1]) >> m->shift, top);
}

/* Loads alpha, scaled to the output. */
INLINE void load_alpha(uint16_t *out, const uint8_t *row, size_t x, size_t count, int depth, uint32_t top) {
    float scale = (float)top / (float)((1u << depth) - 1);
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint16_t)((float)sample(row, x + i, depth) * scale + 0.5f);
    }
}

/* Divides alpha out of premultiplied colors. Transparent pixels become black. */
INLINE void straighten(int32_t *color, const uint16_t *alpha, size_t count, int32_t top) {
    for (size_t i = 0; i < count; i++) {
        int32_t v = alpha[i] ? (int32_t)((float)color[i] * (float)top / (float)alpha[i] + 0.5f) : 0;
        color[i] = v > top ? top : v;
    }
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Writes 8-bit RGB, four pixels at a time by a permutation of 16 bytes. */
INLINE void store_rgb8(uint8_t *out, const block *b, size_t count) {
    size_t i = 0;
    /* Writes four pixels a step; the four excess bytes are overwritten by the next step. The last pixels are written
     * one by one, so that nothing is written beyond the row. */
    for (; i + 8 <= count; i += 4) {
        uint32_t four[4];
        bytes16 v;
        for (size_t k = 0; k < 4; k++)
            four[k] = (uint32_t)b->red[i + k] | (uint32_t)b->green[i + k] << 8 | (uint32_t)b->blue[i + k] << 16;
        memcpy(&v, four, 16);
        v = __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
        memcpy(out + 3 * i, &v, 16);
    }
    for (; i < count; i++) {
        out[3 * i] = (uint8_t)b->red[i];
        out[3 * i + 1] = (uint8_t)b->green[i];
        out[3 * i + 2] = (uint8_t)b->blue[i];
    }
}

/* Writes 8-bit RGBA, a pixel at a time as one word. */
INLINE void store_rgba8(uint8_t *out, const block *b, size_t count, bool opaque) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = (uint32_t)b->red[i] | (uint32_t)b->green[i] << 8 | (uint32_t)b->blue[i] << 16 |
                         (opaque ? 255u : (uint32_t)b->alpha[i]) << 24;
        memcpy(out + 4 * i, &pixel, 4);
    }
}

/* Writes 16-bit RGB or RGBA. */
INLINE void store_wide(uint16_t *out, const block *b, size_t count, int channels, bool opaque) {
    for (size_t i = 0; i < count; i++, out += channels) {
        out[0] = (uint16_t)b->red[i];
        out[1] = (uint16_t)b->green[i];
        out[2] = (uint16_t)b->blue[i];
        if (channels == 4)
            out[3] = opaque ? 65535 : b->alpha[i];
    }
}

/* Writes gray, which apply_luma has left in green. */
INLINE void store_gray(const sdyuv_pixels *pixels, uint8_t *row, size_t x, const block *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (pixels->wide)
            ((uint16_t *)(void *)row)[x + i] = (uint16_t)b->green[i];
        else
            row[x + i] = (uint8_t)b->green[i];
    }
}

/* Writes a block as the pixels from `x` on in the format of the output. */
INLINE void store(const sdyuv_pixels *pixels, uint8_t *row, size_t x, const block *b, size_t count, bool opaque) {
    if (pixels->channels == 1)
        store_gray(pixels, row, x, b, count);
    else if (pixels->wide)
        store_wide((uint16_t *)(void *)row + x * (size_t)pixels->channels, b, count, pixels->channels, opaque);
    else if (pixels->channels == 3)
        store_rgb8(row + 3 * x, b, count);
    else
        store_rgba8(row + 4 * x, b, count, opaque);
}

/* Computes the colors of `count` pixels of row `y` from column `x` on. */
INLINE void color_block(block *b, const sdyuv_planes *p, const sdyuv_matrix *m, const sdyuv_pixels *pixels, uint32_t y,
                        uint32_t x, size_t count, int depth) {
    const int32_t top = pixels->wide ? 65535 : 255;
    const uint8_t *luma = p->luma + y * p->luma_stride + x * (depth > 8 ? 2u : 1u);
    if (!p->cb || pixels->channels == 1) {
        apply_luma(b->green, luma, m, count, top, depth);
        if (pixels->channels > 1) {
            memcpy(b->red, b->green, count * sizeof *b->red);
            memcpy(b->blue, b->green, count * sizeof *b->blue);
        }
        return;
    }
    load_chroma(b->cb, p, p->cb, p->cb_stride, y, x, count, depth);
    load_chroma(b->cr, p, p->cr, p->cr_stride, y, x, count, depth);
    /* Two calls with a constant: the compiler omits the zeros of the usual matrices. */
    const bool general = m->from_luma[0] != m->from_luma[1] || m->from_cb[0] || m->from_cr[2];
    const int32_t middle = 16 << (p->depth - 1);
    if (general)
        apply(b, luma, m, count, middle, top, depth, true);
    else
        apply(b, luma, m, count, middle, top, depth, false);
}

/* `depth` is a constant 8 for bytes, which removes the masks from the loops. */
INLINE void convert_rows(const sdyuv_planes *p, const sdyuv_matrix *m, const sdyuv_pixels *pixels, int depth) {
    const int32_t top = pixels->wide ? 65535 : 255;
    const bool opaque = !p->alpha;
    block b;
    for (uint32_t y = 0; y < p->height; y++) {
        uint8_t *row = pixels->bytes + y * pixels->stride;
        for (uint32_t x = 0; x < p->width; x += BLOCK) {
            /* Only the last block of a row may be odd. */
            size_t count = p->width - x < BLOCK ? p->width - x : BLOCK;
            color_block(&b, p, m, pixels, y, x, count, depth);
            if (!opaque && pixels->channels == 4) {
                load_alpha(b.alpha, p->alpha + y * p->alpha_stride, x, count, p->alpha_depth, (uint32_t)top);
                if (p->premultiplied) {
                    straighten(b.red, b.alpha, count, top);
                    straighten(b.green, b.alpha, count, top);
                    straighten(b.blue, b.alpha, count, top);
                }
            }
            store(pixels, row, x, &b, count, opaque);
        }
    }
}

/* Conversion from bytes and from words, compiled for each SIMD level. */
LOCAL_KERNEL(void, convert_narrow, (p, m, pixels), const sdyuv_planes *p, const sdyuv_matrix *m,
             const sdyuv_pixels *pixels) {
    convert_rows(p, m, pixels, 8);
}

LOCAL_KERNEL(void, convert_wide, (p, m, pixels), const sdyuv_planes *p, const sdyuv_matrix *m,
             const sdyuv_pixels *pixels) {
    if (p->depth > 8) /* known to the caller; tells the compiler too */
        convert_rows(p, m, pixels, p->depth);
}

void sdyuv_convert(const sdyuv_planes *planes, const sdyuv_matrix *matrix, const sdyuv_pixels *pixels) {
    if (planes->depth > 8)
        convert_wide(planes, matrix, pixels);
    else
        convert_narrow(planes, matrix, pixels);
}
