/* Palettes of GIF (docs/decisions.md, "Colors of GIF are quantized here"): libimagequant has another license.

   1. sdpx_quantizer_add counts colors in a hash table. If there are too many, the lowest bit of all is dropped.
   2. make_points scales them to a space in which distances are weighted.
   3. cut_boxes divides the points into boxes, the one first whose division reduces the error most.
   4. improve moves the centers to the means of their points.
   5. write_palette writes the centers as bytes. dither.c maps the pixels. */
#include "quantize.h"

#include <math.h>
#include <string.h>

#include "kernel.h"

/* A subset of the points, and the best way to split it. No split reduces the error if `gain` is 0. */
typedef struct {
    uint32_t first, count;
    /* Points whose value on the axis is below `cut` go to the lower half. */
    int axis, cut;
    float gain; /* decrease of the squared error by the split */
} box;

/* Square roots of the weights of red, green and blue. */
static const float scales[3] = {1.7320508f, 2.0f, 1.4142136f};

/* Points whose distances are computed together; a float for each of three channels, distance and index stay in
   registers. */
enum { BLOCK = 64 };

size_t sdpx_quantizer_size(void) {
    return sizeof(sdpx_quantizer);
}

void sdpx_quantizer_start(sdpx_quantizer *q) {
    sdpx_counting *c = &q->counting;
    memset(c->slots, 0, sizeof c->slots);
    c->count = 0;
    c->dropped = 0;
}

/* Multiplicative hashing; the highest 16 bits select one of SLOTS. */
INLINE uint32_t slot_of(uint32_t key) {
    return key * 2654435761u >> 16;
}

/* Returns the slot of a color: the one that refers to it, or the free one for it. Slots hold an index plus 1. */
INLINE uint32_t find(const sdpx_counting *c, uint32_t key) {
    uint32_t slot = slot_of(key);
    while (c->slots[slot] && c->counted[c->slots[slot] - 1].key != key)
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* 32-bit sums hold 2^24 pixels; further ones would not change the result visibly. */
INLINE void merge(sdpx_counted *to, const sdpx_counted *from) {
    if (to->count + from->count > 1u << 24)
        return;
    to->count += from->count;
    to->red += from->red;
    to->green += from->green;
    to->blue += from->blue;
}

/* Drops one more low bit of each channel. */
static void coarsen(sdpx_counting *c) {
    /* Colors are entered again, in place: the table never has more of them than were read. */
    uint32_t mask = (255u << ++c->dropped & 255) * 0x010101u, count = c->count;
    memset(c->slots, 0, sizeof c->slots);
    c->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        sdpx_counted color = c->counted[i];
        color.key &= mask;
        uint32_t slot = find(c, color.key);
        if (c->slots[slot]) {
            merge(&c->counted[c->slots[slot] - 1], &color);
        } else {
            c->counted[c->count] = color;
            c->slots[slot] = (uint16_t)++c->count;
        }
    }
}

/* Adds a color to the table. Its key has only the bits that count. */
static void add(sdpx_counting *c, const sdpx_counted *color) {
    sdpx_counted it = *color;
    it.key &= (255u << c->dropped & 255) * 0x010101u;
    uint32_t slot = find(c, it.key);
    if (c->slots[slot]) {
        merge(&c->counted[c->slots[slot] - 1], &it);
        return;
    }
    /* A table that is full of distinct colors is made coarser, once or more often. */
    if (c->count == COLORS - 1) {
        coarsen(c);
        add(c, &it);
        return;
    }
    c->counted[c->count] = it;
    c->slots[slot] = (uint16_t)++c->count;
}

void sdpx_quantizer_add(sdpx_quantizer *q, const uint8_t *rgba, size_t pixels, unsigned least_alpha) {
    for (size_t i = 0; i < pixels;) {
        const uint8_t *p = rgba + 4 * i;
        size_t run = 1;
        /* Runs of equal pixels are counted at once; the limit keeps the sums of a run within 32 bits. */
        while (i + run < pixels && run < 1u << 16 && memcmp(p, p + 4 * run, 4) == 0)
            run++;
        i += run;
        if (p[3] < least_alpha)
            continue;
        uint32_t n = (uint32_t)run, r = p[0], g = p[1], b = p[2];
        add(&q->counting, &(sdpx_counted){r << 16 | g << 8 | b, n, r * n, g * n, b * n});
    }
}

/* Sets the weights of colors, n to the power of 3/4: small areas of a distinct color keep a color of their own, and the
   palette covers a wider range, which dithering needs. */
static void make_points(sdpx_counting *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        const sdpx_counted *color = &c->counted[i];
        float n = (float)color->count;
        c->points.red[i] = (float)color->red / n * scales[0];
        c->points.green[i] = (float)color->green / n * scales[1];
        c->points.blue[i] = (float)color->blue / n * scales[2];
        c->points.weight[i] = sqrtf(n * sqrtf(n));
    }
}

/* Returns the values of all points on an axis. */
INLINE const float *axis_of(const sdpx_points *p, int axis) {
    return axis == 0 ? p->red : axis == 1 ? p->green : p->blue;
}

/* Quantizes a point's value on an axis to 256 steps. */
INLINE int step_of(float v, int axis) {
    return (int)(v / scales[axis] + 0.5f);
}

/* Computes by how much the squared error decreases if the box is cut at the best position of this axis (Wu, Graphics
   Gems II). */
static void try_axis(const sdpx_points *p, box *b, int axis) {
    float sums[256][4];
    const float *values = axis_of(p, axis);
    int low = 255, high = 0;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        int step = step_of(values[i], axis);
        low = step < low ? step : low;
        high = step > high ? step : high;
    }
    if (low >= high)
        return;
    /* Sums of red, green, blue and weight for each step of the axis. */
    memset(sums[low], 0, (size_t)(high - low + 1) * sizeof sums[0]);
    float all[4] = {0}, below[4] = {0};
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        /* Red, green and blue multiplied by the weight, and the weight. */
        float w = p->weight[i], v[4] = {p->red[i] * w, p->green[i] * w, p->blue[i] * w, w};
        float *sum = sums[step_of(values[i], axis)];
        for (int k = 0; k < 4; k++) {
            sum[k] += v[k];
            all[k] += v[k];
        }
    }
    for (int cut = low + 1; cut <= high; cut++) {
        float gain = 0;
        for (int k = 0; k < 4; k++)
            below[k] += sums[cut - 1][k];
        float w0 = below[3], w1 = all[3] - w0;
        for (int k = 0; k < 3; k++) {
            /* Rounding may leave no weight above the cut. */
            float between = w1 > 0 ? below[k] / w0 - (all[k] - below[k]) / w1 : 0;
            gain += between * between;
        }
        gain *= w0 * w1 / all[3];
        if (gain > b->gain) {
            b->gain = gain;
            b->axis = axis;
            b->cut = cut;
        }
    }
}

INLINE void swap(float *values, uint32_t i, uint32_t j) {
    float saved = values[i];
    values[i] = values[j];
    values[j] = saved;
}

/* Moves the points of the lower half to the front; returns their number. */
static uint32_t divide(sdpx_points *p, const box *b) {
    const float *values = axis_of(p, b->axis);
    uint32_t i = b->first, j = b->first + b->count;
    while (i < j) {
        if (step_of(values[i], b->axis) < b->cut) {
            i++;
            continue;
        }
        j--;
        swap(p->red, i, j);
        swap(p->green, i, j);
        swap(p->blue, i, j);
        swap(p->weight, i, j);
    }
    return i - b->first;
}

/* Makes a box with its best split. */
static box measured(const sdpx_points *p, uint32_t first, uint32_t count) {
    box b = {.first = first, .count = count};
    for (int axis = 0; axis < 3; axis++)
        try_axis(p, &b, axis);
    return b;
}

/* Cuts the box with the largest gain, until there are enough boxes or no cut is possible. */
static uint32_t cut_boxes(sdpx_points *p, uint32_t points, box *boxes, uint32_t limit) {
    uint32_t count = 1;
    boxes[0] = measured(p, 0, points);
    while (count < limit) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++)
            best = boxes[i].gain > boxes[best].gain ? i : best;
        box b = boxes[best];
        if (!(b.gain > 0))
            break;
        uint32_t lower = divide(p, &b);
        /* The halves take the place of the box and a new one. */
        boxes[best] = measured(p, b.first, lower);
        boxes[count++] = measured(p, b.first + lower, b.count - lower);
    }
    return count;
}

/* Sums of the points of each color: red, green, blue, weight. */
typedef double totals[256][4];

/* Adds a point to the sums of its color. */
static void add_point(double *total, const sdpx_points *p, uint32_t i) {
    double w = p->weight[i];
    total[0] += p->red[i] * w;
    total[1] += p->green[i] * w;
    total[2] += p->blue[i] * w;
    total[3] += w;
}

/* Finds the nearest center of each of BLOCK points from `first` on. It may read beyond the points, because the array
   ends with a whole block. */
LOCAL_KERNEL(void, nearest_centres, (nearest, p, first, centers, count), int32_t *nearest, const sdpx_points *p,
             uint32_t first, float (*centers)[3], uint32_t count) {
    float best[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        best[i] = 1e30f;
        nearest[i] = 0;
    }
    for (uint32_t c = 0; c < count; c++) {
        float r = centers[c][0], g = centers[c][1], b = centers[c][2];
        for (uint32_t i = 0; i < BLOCK; i++) {
            float dr = p->red[first + i] - r, dg = p->green[first + i] - g, db = p->blue[first + i] - b;
            float d = dr * dr + dg * dg + db * db;
            /* Read in every case, so that the loop has no branch and is vectorized without masked loads. */
            int32_t before = nearest[i];
            nearest[i] = d < best[i] ? (int32_t)c : before;
            best[i] = d < best[i] ? d : best[i];
        }
    }
}

/* One step of Lloyd's algorithm: assigns every point to its nearest center, and moves every center to the mean of its
   points. */
static void improve(const sdpx_points *p, uint32_t points, totals sums, uint32_t count) {
    float centers[256][3];
    for (uint32_t c = 0; c < count; c++)
        for (int k = 0; k < 3; k++)
            centers[c][k] = (float)(sums[c][3] > 0 ? sums[c][k] / sums[c][3] : 0);
    memset(sums, 0, sizeof(totals));
    for (uint32_t first = 0; first < points; first += BLOCK) {
        int32_t nearest[BLOCK];
        nearest_centres(nearest, p, first, centers, count);
        for (uint32_t i = 0; i < BLOCK && first + i < points; i++)
            add_point(sums[nearest[i]], p, first + i);
    }
}

/* Writes the means as bytes, without duplicates. */
static size_t write_palette(uint8_t *rgb, totals sums, uint32_t count) {
    size_t written = 0;
    for (uint32_t c = 0; c < count; c++) {
        /* A center to which no point is nearest has no color. */
        if (!(sums[c][3] > 0))
            continue;
        uint8_t *to = rgb + 3 * written;
        for (int k = 0; k < 3; k++)
            to[k] = (uint8_t)step_of((float)(sums[c][k] / sums[c][3]), k);
        size_t same = 0;
        while (memcmp(rgb + 3 * same, to, 3) != 0)
            same++;
        written += same == written;
    }
    return written;
}

size_t sdpx_quantizer_palette(sdpx_quantizer *q, uint8_t *rgb, size_t colors, int rounds) {
    sdpx_counting *c = &q->counting;
    if (c->count == 0 || colors == 0)
        return 0;
    box boxes[256];
    totals sums = {{0}};
    make_points(c);
    uint32_t count = cut_boxes(&c->points, c->count, boxes, colors > 256 ? 256 : (uint32_t)colors);
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = 0; i < boxes[b].count; i++)
            add_point(sums[b], &c->points, boxes[b].first + i);
    /* No improvement if each color has a box of its own. */
    for (int i = 0; i < rounds && count < c->count; i++)
        improve(&c->points, c->count, sums, count);
    return write_palette(rgb, sums, count);
}
