/* adjust.c: color adjustments on float planes. StepFilter calls it for each row. The kernels below change up to
   SDPX_PLANE pixels in place. */
#include "sdpx_adjust.h"

#include "curve.h"
#include "kernel.h"
#include "planes.h"

/* Luma with the weights of ITU-R BT.709. */
INLINE float luma(float r, float g, float b) {
    return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}

/* Multiplies by a matrix of 4 rows and 5 columns; the last column is a constant. */
LOCAL_KERNEL(void, apply_matrix, (p, n, m), sdpx_planes *p, size_t n, const float *m) {
    for (size_t i = 0; i < n; i++) {
        float r = p->red[i], g = p->green[i], b = p->blue[i], a = p->alpha[i];
        p->red[i] = m[0] * r + m[1] * g + m[2] * b + m[3] * a + m[4];
        p->green[i] = m[5] * r + m[6] * g + m[7] * b + m[8] * a + m[9];
        p->blue[i] = m[10] * r + m[11] * g + m[12] * b + m[13] * a + m[14];
        p->alpha[i] = m[15] * r + m[16] * g + m[17] * b + m[18] * a + m[19];
    }
}

/* Evaluates a polynomial of the third degree for each channel. */
LOCAL_KERNEL(void, apply_curve, (p, n, c), sdpx_planes *p, size_t n, const float *c) {
    float *planes[3] = {p->red, p->green, p->blue};
    for (int k = 0; k < 3; k++, c += 4)
        for (size_t i = 0; i < n; i++) {
            float v = unit(planes[k][i]);
            planes[k][i] = ((c[3] * v + c[2]) * v + c[1]) * v + c[0];
        }
}

/* Raises to a power. 0 and negative values are set apart, because the approximation has no logarithm of them. */
LOCAL_KERNEL(void, apply_power, (p, n, exponent), sdpx_planes *p, size_t n, float exponent) {
    float *planes[3] = {p->red, p->green, p->blue};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            float v = planes[k][i], raised = power(v, exponent);
            planes[k][i] = v > 0 ? raised : exponent > 0 ? 0 : 1;
        }
}

/* Reduces a channel to levels of equal distance; the highest level includes 1. */
LOCAL_KERNEL(void, apply_levels, (p, n, levels), sdpx_planes *p, size_t n, float levels) {
    float *planes[3] = {p->red, p->green, p->blue};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            /* Levels divide 0 ... 1 into equal parts, and are spread over 0 ... 1 again. */
            float step = (float)(int32_t)(unit(planes[k][i]) * levels), top = levels - 1;
            planes[k][i] = (step < top ? step : top) / top;
        }
}

/* Makes each pixel black or white. */
LOCAL_KERNEL(void, apply_threshold, (p, n, threshold), sdpx_planes *p, size_t n, float threshold) {
    for (size_t i = 0; i < n; i++) {
        float v = luma(p->red[i], p->green[i], p->blue[i]) >= threshold ? 1 : 0;
        p->red[i] = p->green[i] = p->blue[i] = v;
    }
}

/* Moves colors away from their luma, least where the saturation, the range of the channels, is high. */
LOCAL_KERNEL(void, apply_vibrance, (p, n, amount), sdpx_planes *p, size_t n, float amount) {
    for (size_t i = 0; i < n; i++) {
        float r = p->red[i], g = p->green[i], b = p->blue[i], y = luma(r, g, b);
        float high = r > g ? r : g, low = r < g ? r : g;
        high = b > high ? b : high;
        low = b < low ? b : low;
        float factor = 1 + amount * (1 - unit(high - low));
        p->red[i] = y + (r - y) * factor;
        p->green[i] = y + (g - y) * factor;
        p->blue[i] = y + (b - y) * factor;
    }
}

/* `x` is the position of the first pixel. Darkens by a smooth step of the squared distance from the center. */
LOCAL_KERNEL(void, apply_vignette, (p, n, v, x, y), sdpx_planes *p, size_t n, const float *v, float x, float y) {
    /* Distances are those of the centers of pixels. */
    float dy = (y + 0.5f - v[3]) * v[4];
    for (size_t i = 0; i < n; i++) {
        float dx = (x + (float)(int32_t)i + 0.5f - v[2]) * v[4];
        float t = unit((dx * dx + dy * dy) / (v[1] * v[1])), factor = 1 - v[0] * t * t * (3 - 2 * t);
        p->red[i] *= factor;
        p->green[i] *= factor;
        p->blue[i] *= factor;
    }
}

/* Applies one step to `n` pixels from column `x` of row `y`. */
static void apply(sdpx_planes *p, size_t n, const sdpx_step *step, size_t x, size_t y) {
    switch (step->kind) {
    case SDPX_STEP_MATRIX: apply_matrix(p, n, step->values); break;
    case SDPX_STEP_CURVE: apply_curve(p, n, step->values); break;
    case SDPX_STEP_POWER: apply_power(p, n, step->values[0]); break;
    case SDPX_STEP_LEVELS: apply_levels(p, n, step->values[0]); break;
    case SDPX_STEP_THRESHOLD: apply_threshold(p, n, step->values[0]); break;
    case SDPX_STEP_VIBRANCE: apply_vibrance(p, n, step->values[0]); break;
    case SDPX_STEP_VIGNETTE: apply_vignette(p, n, step->values, (float)x, (float)y); break;
    default: break;
    }
}

void sdpx_step_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels, size_t y,
                   const sdpx_step *steps, size_t count, int in_light) {
    size_t to_size = sdpx_pixel_size(to_format), from_size = sdpx_pixel_size(from_format);
    int is_light = from_format == SDPX_RGBA_FLOAT;
    for (size_t x = 0; x < pixels; x += SDPX_PLANE) {
        size_t n = pixels - x < SDPX_PLANE ? pixels - x : SDPX_PLANE;
        sdpx_planes planes;
        sdpx_read_planes(&planes, (const uint8_t *)from + x * from_size, from_format, n);
        /* Float is linear light already, integers are sRGB. The values are converted only if the steps need the
           other. */
        if (in_light && !is_light)
            sdpx_decode_planes(&planes, n);
        if (!in_light && is_light)
            sdpx_encode_planes(&planes, n);
        for (size_t i = 0; i < count; i++)
            apply(&planes, n, &steps[i], x, y);
        if (in_light && !is_light)
            sdpx_encode_planes(&planes, n);
        if (!in_light && is_light)
            sdpx_decode_planes(&planes, n);
        /* Both rows may be the same memory: a part is written after it was read. */
        sdpx_write_planes((uint8_t *)to + x * to_size, to_format, &planes, n);
    }
}

/* Looks up each channel. The sizes are compile-time constants; a pixel of one byte is gray. */
INLINE void by_table(uint8_t *to, const uint8_t *from, size_t pixels, const uint8_t *table, size_t to_size,
                     size_t from_size) {
    for (size_t i = 0; i < pixels; i++, to += to_size, from += from_size) {
        uint8_t r = from[0], g = from[from_size > 1 ? 1 : 0], b = from[from_size > 1 ? 2 : 0];
        uint8_t a = from_size == 4 ? from[3] : 255;
        to[0] = table[3 * r];
        to[1] = table[3 * g + 1];
        to[2] = table[3 * b + 2];
        if (to_size == 4)
            to[3] = a;
    }
}

void sdpx_table_row(uint8_t *to, sdpx_format to_format, const uint8_t *from, sdpx_format from_format, size_t pixels,
                    const uint8_t *table) {
    size_t from_size = sdpx_pixel_size(from_format);
    if (to_format == SDPX_RGBA8 && from_size == 4)
        by_table(to, from, pixels, table, 4, 4);
    else if (to_format == SDPX_RGB8 && from_size == 3)
        by_table(to, from, pixels, table, 3, 3);
    else if (to_format == SDPX_RGB8 && from_size == 1)
        by_table(to, from, pixels, table, 3, 1);
}
