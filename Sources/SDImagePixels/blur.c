/* blur.c: three box filters one after the other, which approximate a Gaussian. BoxBlur calls it for the strips of an
   image.

   Strips of bytes with a box that is not too large take one sweep in integers (blur_narrow). Others take three passes
   in double (blur_wide). A box filter keeps a running sum: each step adds the sample that enters the box, and subtracts
   the one that leaves it. The cost does not depend on the size of the box. */
#include "sdpx_blur.h"

#include <string.h>

#include "kernel.h"
#include "sdpx_convert.h"

typedef uint8_t byte16 __attribute__((vector_size(16)));
typedef int32_t int16x __attribute__((vector_size(64)));
typedef float float16 __attribute__((vector_size(64)));
typedef double double8 __attribute__((vector_size(64)));

/* The largest box for which the sum of three boxes of 8-bit samples fits 31 bits. */
enum { NARROW_BOX = 203 };

/* 32 samples at one position. */
typedef struct {
    int16x v[2];
} sums;

/* Reports that the one-sweep filter applies: bytes, sums that fit, and a box whose half is shorter than the strip. */
static int is_narrow(sdpx_blur_kind kind, size_t length, size_t box) {
    return kind == SDPX_BLUR_U8 && box <= NARROW_BOX && box / 2 < length;
}

size_t sdpx_blur_scratch(sdpx_blur_kind kind, size_t length, size_t box) {
    if (is_narrow(kind, length, box))
        return 2 * (box + 1) * sizeof(sums);
    return 2 * length * (SDPX_BLUR_WIDTH / (size_t)kind) * sizeof(double);
}

/* Loads the 32 samples of a position. */
INLINE void load_bytes(sums *to, const uint8_t *p) {
    byte16 low, high;
    memcpy(&low, p, sizeof low);
    memcpy(&high, p + 16, sizeof high);
    to->v[0] = __builtin_convertvector(low, int16x);
    to->v[1] = __builtin_convertvector(high, int16x);
}

/* Moves a sum one position on: adds the sample that enters the box, and subtracts the one that leaves it. */
INLINE void change(sums *sum, const sums *in, const sums *out) {
    sum->v[0] += in->v[0] - out->v[0];
    sum->v[1] += in->v[1] - out->v[1];
}

/* Begins a sum with the first sample repeated before the strip. */
INLINE void start(sums *sum, const sums *first, int32_t times) {
    sum->v[0] = first->v[0] * times;
    sum->v[1] = first->v[1] * times;
}

/* Stores the rounded quotients of sums, by multiplication with `factor`. */
INLINE void store_bytes(uint8_t *p, const sums *sum, float factor) {
    for (int half = 0; half < 2; half++) {
        float16 mean = __builtin_convertvector(sum->v[half], float16) * factor + 0.5f;
        byte16 v = __builtin_convertvector(__builtin_convertvector(mean, int16x), byte16);
        memcpy(p + 16 * half, &v, sizeof v);
    }
}

/* One box filter over the output of an earlier stage. The ring holds the inputs of one box and the one that has just
   left it. */
typedef struct {
    sums sum;   /* sum of the box around the current position */
    sums *ring; /* box + 1 entries */
    /* Positions of the newest entry in the ring, and of the last input. */
    size_t cursor, end;
} stage;

/* Adds position `p`, or beyond the end the last one again. The sum is then that of position p - box / 2, if it
   exists. */
INLINE void advance(stage *s, const sums *in, size_t p, size_t last, size_t box) {
    const sums zero = {{{0}, {0}}};
    const size_t half = box / 2;
    if (p == 0)
        start(&s->sum, in, (int32_t)half);
    if (p <= last)
        s->ring[s->cursor] = *in;
    if (p == last)
        s->end = s->cursor;
    const sums *entering = p <= last ? in : &s->ring[s->end];
    /* The ring has box + 1 entries: the next one to be overwritten holds the input that has left the box. */
    s->cursor = s->cursor == box ? 0 : s->cursor + 1;
    change(&s->sum, entering, p > box ? &s->ring[s->cursor] : p > half ? &s->ring[0] : &zero);
}

/* Applies three boxes in one sweep: the output of each goes to the next at once, half a box behind. The input needs no
   ring: results are written where it has been read already. */
LOCAL_KERNEL(void, blur_narrow, (strip, stride, length, box, rings), uint8_t *strip, ptrdiff_t stride, size_t length,
             size_t box, sums *rings) {
    const size_t half = box / 2, last = length - 1;
    const float factor = 1 / ((float)box * (float)box * (float)box);
    const sums zero = {{{0}, {0}}};
    stage second = {.ring = rings}, third = {.ring = rings + box + 1};
    sums sum, in, out;
    load_bytes(&in, strip);
    start(&sum, &in, (int32_t)half);
    for (size_t t = 0; t <= last + 3 * half; t++) {
        if (t <= last + half) {
            /* Beyond the end, the last sample repeats. */
            load_bytes(&in, strip + (ptrdiff_t)(t < last ? t : last) * stride);
            out = zero;
            if (t > half)
                load_bytes(&out, strip + (ptrdiff_t)(t > box ? t - box : 0) * stride);
            change(&sum, &in, &out);
        }
        if (t >= half && t <= last + 2 * half)
            advance(&second, &sum, t - half, last, box);
        if (t >= 2 * half)
            advance(&third, &second.sum, t - 2 * half, last, box);
        if (t >= 3 * half)
            store_bytes(strip + (ptrdiff_t)(t - 3 * half) * stride, &third.sum, factor);
    }
}

/* --- Deeper samples and larger boxes: each box separately, in double, which adds integers exactly. */

/* Converts the samples of a position to double. */
INLINE void load_wide(double *to, const void *p, sdpx_blur_kind kind) {
    uint8_t bytes[32];
    uint16_t words[16];
    float floats[8];
    switch (kind) {
    case SDPX_BLUR_U8:
        memcpy(bytes, p, sizeof bytes);
        for (int i = 0; i < 32; i++)
            to[i] = bytes[i];
        break;
    case SDPX_BLUR_U16:
        memcpy(words, p, sizeof words);
        for (int i = 0; i < 16; i++)
            to[i] = words[i];
        break;
    case SDPX_BLUR_F32:
        memcpy(floats, p, sizeof floats);
        for (int i = 0; i < 8; i++)
            to[i] = (double)floats[i];
    }
}

/* Rounds the samples of a position; floats keep their fractions. */
INLINE void store_wide(void *p, const double *from, sdpx_blur_kind kind) {
    uint8_t bytes[32];
    uint16_t words[16];
    float floats[8];
    switch (kind) {
    case SDPX_BLUR_U8:
        for (int i = 0; i < 32; i++)
            bytes[i] = (uint8_t)(int32_t)(from[i] + 0.5);
        memcpy(p, bytes, sizeof bytes);
        break;
    case SDPX_BLUR_U16:
        for (int i = 0; i < 16; i++)
            words[i] = (uint16_t)(int32_t)(from[i] + 0.5);
        memcpy(p, words, sizeof words);
        break;
    case SDPX_BLUR_F32:
        for (int i = 0; i < 8; i++)
            floats[i] = (float)from[i];
        memcpy(p, floats, sizeof floats);
    }
}

/* Computes box means; `lanes` samples are adjacent at each position. */
INLINE void mean(double *to, const double *from, size_t length, size_t box, size_t lanes) {
    const size_t half = box / 2, last = length - 1;
    double sum[SDPX_BLUR_WIDTH], factor = 1 / (double)box;
    for (size_t i = 0; i < lanes; i++) {
        /* The box around position 0: `half` repetitions of the first sample, those inside, and repetitions of the
           last. */
        sum[i] = (double)half * from[i] + (half > last ? (double)(half - last) * from[last * lanes + i] : 0);
        for (size_t p = 0; p <= (half < last ? half : last); p++)
            sum[i] += from[p * lanes + i];
    }
    for (size_t p = 0; p < length; p++) {
        const double *in = from + (last - p > half ? p + half + 1 : last) * lanes;
        const double *out = from + (p > half ? p - half : 0) * lanes;
        for (size_t i = 0; i < lanes; i++) {
            to[p * lanes + i] = sum[i] * factor;
            sum[i] += in[i] - out[i];
        }
    }
}

/* Converts the strip, filters it three times between two buffers, and converts it back. */
INLINE void blur_wide(uint8_t *strip, ptrdiff_t stride, size_t length, size_t box, sdpx_blur_kind kind,
                      double *scratch) {
    const size_t lanes = SDPX_BLUR_WIDTH / (size_t)kind;
    double *a = scratch, *b = scratch + length * lanes;
    for (size_t p = 0; p < length; p++)
        load_wide(a + p * lanes, strip + (ptrdiff_t)p * stride, kind);
    mean(b, a, length, box, lanes);
    mean(a, b, length, box, lanes);
    mean(b, a, length, box, lanes);
    for (size_t p = 0; p < length; p++)
        store_wide(strip + (ptrdiff_t)p * stride, b + p * lanes, kind);
}

/* The three kinds of samples, compiled for each SIMD level. */
LOCAL_KERNEL(void, blur_u8, (strip, stride, length, box, scratch), uint8_t *strip, ptrdiff_t stride, size_t length,
             size_t box, double *scratch) {
    blur_wide(strip, stride, length, box, SDPX_BLUR_U8, scratch);
}

LOCAL_KERNEL(void, blur_u16, (strip, stride, length, box, scratch), uint8_t *strip, ptrdiff_t stride, size_t length,
             size_t box, double *scratch) {
    blur_wide(strip, stride, length, box, SDPX_BLUR_U16, scratch);
}

LOCAL_KERNEL(void, blur_f32, (strip, stride, length, box, scratch), uint8_t *strip, ptrdiff_t stride, size_t length,
             size_t box, double *scratch) {
    blur_wide(strip, stride, length, box, SDPX_BLUR_F32, scratch);
}

void sdpx_blur_strip(void *strip, ptrdiff_t stride, size_t length, size_t box, sdpx_blur_kind kind, void *scratch) {
    if (length == 0)
        return;
    if (is_narrow(kind, length, box)) {
        blur_narrow(strip, stride, length, box, scratch);
        return;
    }
    switch (kind) {
    case SDPX_BLUR_U8: blur_u8(strip, stride, length, box, scratch); break;
    case SDPX_BLUR_U16: blur_u16(strip, stride, length, box, scratch); break;
    case SDPX_BLUR_F32: blur_f32(strip, stride, length, box, scratch);
    }
}

/* Multiplies by alpha, rounded to the nearest. */
LOCAL_KERNEL(void, premultiply16, (v, pixels), uint16_t *v, size_t pixels) {
    for (size_t i = 0; i < pixels; i++)
        for (size_t k = 0; k < 3; k++)
            v[4 * i + k] = (uint16_t)(((uint64_t)v[4 * i + k] * v[4 * i + 3] + 32767) / 65535);
}

/* Divides by alpha, rounded to the nearest and clamped; transparent pixels become black. */
LOCAL_KERNEL(void, straighten16, (v, pixels), uint16_t *v, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t alpha = v[4 * i + 3];
        for (size_t k = 0; k < 3; k++) {
            uint32_t c = v[4 * i + k], straight = alpha ? (c * 65535u + alpha / 2) / alpha : 0;
            v[4 * i + k] = (uint16_t)(straight < 65535 ? straight : 65535);
        }
    }
}

void sdpx_premultiply_row(void *row, size_t pixels, sdpx_format format) {
    if (format == SDPX_RGBA8)
        sdpx_convert_row(row, SDPX_RGBA8_PREMULTIPLIED, row, SDPX_RGBA8, pixels);
    else if (format == SDPX_RGBA16)
        premultiply16(row, pixels);
    else if (format == SDPX_RGBA_FLOAT)
        for (size_t i = 0; i < pixels; i++)
            for (size_t k = 0; k < 3; k++)
                ((float *)row)[4 * i + k] *= ((float *)row)[4 * i + 3];
}

void sdpx_straighten_row(void *row, size_t pixels, sdpx_format format) {
    if (format == SDPX_RGBA8)
        sdpx_convert_row(row, SDPX_RGBA8, row, SDPX_RGBA8_PREMULTIPLIED, pixels);
    else if (format == SDPX_RGBA16)
        straighten16(row, pixels);
    else if (format == SDPX_RGBA_FLOAT)
        for (size_t i = 0; i < pixels; i++)
            for (size_t k = 0; k < 3; k++) {
                float alpha = ((float *)row)[4 * i + 3];
                ((float *)row)[4 * i + k] = alpha > 0 ? ((float *)row)[4 * i + k] / alpha : 0;
            }
}
