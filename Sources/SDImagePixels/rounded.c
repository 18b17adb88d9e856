/* rounded.c: anti-aliased rounded corners, by exact areas. RoundedCanvas, of RoundCornerTransformer, computes
   the coverage of each row, then cuts the row or draws a border on it.

   The coverage of a pixel is the area of the rectangle in it, minus the parts that corners cut off. A corner is a
   square with a quarter of a disc; only pixels in the square are changed. */
#include "sdpx_rounded.h"

#include <math.h>

#include "curve.h"
#include "kernel.h"
#include "planes.h"

INLINE double clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

/* Returns the area under a circle around the origin from 0 to u, for 0 <= u <= r. */
static double under_arc(double u, double r) {
    double rest = r * r - u * u;
    return (u * sqrt(rest > 0 ? rest : 0) + r * r * asin(clamp(u / r, 0, 1))) / 2;
}

/* Returns the area of a quarter disc inside u0 ... u1 by v0 ... v1, all of them positive. The arc crosses the
   rectangle's upper side at height v1, and the lower one at height v0. */
static double quarter_area(double u0, double u1, double v0, double v1, double r) {
    if (!(u0 < u1 && v0 < v1) || u0 * u0 + v0 * v0 >= r * r)
        return 0;
    /* Up to `full` the arc is above the rectangle; from there to `end` it is inside. */
    double full = v1 < r ? clamp(sqrt(r * r - v1 * v1), u0, u1) : u0;
    double end = clamp(sqrt(r * r - v0 * v0), u0, u1);
    return (full - u0) * (v1 - v0) + (end > full ? under_arc(end, r) - under_arc(full, r) - v0 * (end - full) : 0);
}

/* A corner relative to its center: u grows sideways, v up or down, towards the corner. */
typedef struct {
    double x, y, radius;
    int is_right, is_bottom;
} corner;

/* Returns the area of a pixel that is in the square of a corner but outside of its disc. */
static double cut_area(const corner *c, double x, double y, const sdpx_rounded *s) {
    /* The part of the pixel inside of the rectangle, then in coordinates of the corner. */
    double left = fmax(x, s->left), right = fmin(x + 1, s->right), top = fmax(y, s->top),
           bottom = fmin(y + 1, s->bottom);
    double u0 = c->is_right ? left - c->x : c->x - right, u1 = c->is_right ? right - c->x : c->x - left;
    double v0 = c->is_bottom ? top - c->y : c->y - bottom, v1 = c->is_bottom ? bottom - c->y : c->y - top;
    u0 = fmax(u0, 0);
    v0 = fmax(v0, 0);
    if (!(u0 < u1 && v0 < v1) || u1 * u1 + v1 * v1 <= c->radius * c->radius)
        return 0;
    return (u1 - u0) * (v1 - v0) - quarter_area(u0, u1, v0, v1, c->radius);
}

/* Subtracts the part of row `y` that a corner cuts off. */
static void cut_corner(float *coverage, size_t pixels, double y, const corner *c, const sdpx_rounded *s) {
    double from = c->is_right ? c->x : c->x - c->radius, to = c->is_right ? c->x + c->radius : c->x;
    double above = c->is_bottom ? c->y : c->y - c->radius, below = c->is_bottom ? c->y + c->radius : c->y;
    if (!(c->radius > 0) || y + 1 <= above || y >= below)
        return;
    size_t first = (size_t)clamp(floor(from), 0, (double)pixels), end = (size_t)clamp(ceil(to), 0, (double)pixels);
    for (size_t x = first; x < end; x++)
        coverage[x] = (float)fmax(0, (double)coverage[x] - cut_area(c, (double)x, y, s));
}

void sdpx_rounded_row(float *coverage, size_t pixels, double y, const sdpx_rounded *s) {
    /* Without corners: the area of the pixel inside of the rectangle. */
    double height = clamp(fmin(y + 1, s->bottom) - fmax(y, s->top), 0, 1);
    for (size_t x = 0; x < pixels; x++)
        coverage[x] = (float)(height * clamp(fmin((double)x + 1, s->right) - fmax((double)x, s->left), 0, 1));
    if (height > 0)
        for (int k = 0; k < 4; k++) {
            double r = s->radii[k];
            corner c = {k & 1 ? s->right - r : s->left + r, k & 2 ? s->bottom - r : s->top + r, r, k & 1, k >> 1};
            cut_corner(coverage, pixels, y, &c, s);
        }
}

/* Reports that all pixels are fully covered. */
INLINE int is_whole(const float *coverage, size_t n) {
    float least = 1;
    for (size_t i = 0; i < n; i++)
        least = coverage[i] < least ? coverage[i] : least;
    return least >= 1;
}

void sdpx_cut_row(void *row, sdpx_format format, size_t pixels, const float *coverage) {
    size_t size = sdpx_pixel_size(format);
    for (size_t offset = 0; offset < pixels; offset += SDPX_PLANE) {
        size_t n = pixels - offset < SDPX_PLANE ? pixels - offset : SDPX_PLANE;
        uint8_t *at = (uint8_t *)row + offset * size;
        /* Most of an image is not affected, and stays bit-identical. */
        if (is_whole(coverage + offset, n))
            continue;
        sdpx_planes planes;
        sdpx_read_planes(&planes, at, format, n);
        for (size_t i = 0; i < n; i++) {
            float part = coverage[offset + i];
            planes.alpha[i] *= part;
            /* Pixels outside of the shape are transparent black. */
            planes.red[i] = part > 0 ? planes.red[i] : 0;
            planes.green[i] = part > 0 ? planes.green[i] : 0;
            planes.blue[i] = part > 0 ? planes.blue[i] : 0;
        }
        sdpx_write_planes(at, format, &planes, n);
    }
}

void sdpx_stroke_row(void *row, sdpx_format format, size_t pixels, const float *coverage, const float *color) {
    size_t size = sdpx_pixel_size(format);
    for (size_t offset = 0; offset < pixels; offset += SDPX_PLANE) {
        size_t n = pixels - offset < SDPX_PLANE ? pixels - offset : SDPX_PLANE;
        uint8_t *at = (uint8_t *)row + offset * size;
        float most = 0;
        for (size_t i = 0; i < n; i++)
            most = coverage[offset + i] > most ? coverage[offset + i] : most;
        if (most <= 0)
            continue;
        sdpx_planes planes;
        sdpx_read_planes(&planes, at, format, n);
        float *channels[3] = {planes.red, planes.green, planes.blue};
        for (size_t i = 0; i < n; i++) {
            /* The color over the pixel, as straight colors (Porter and Duff, source over). */
            float s = coverage[offset + i] * color[3], b = planes.alpha[i] * (1 - s), sum = s + b;
            for (int k = 0; k < 3; k++)
                channels[k][i] = sum > 0 ? (s * color[k] + b * channels[k][i]) / sum : channels[k][i];
            planes.alpha[i] = sum;
        }
        sdpx_write_planes(at, format, &planes, n);
    }
}
