/* yuv.c: conversion of planes to pixels, for every matrix, range, depth and subsampling, against the equations of ITU-T
 * H.273 in floating point, at every SIMD level of this machine.
 *
 * Built with sanitizers, from the sources of Sources/CoderSupport. Tests/kernels compares the levels on guarded memory,
 * and aarch64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "sdpx_cpu.h"
#include "yuv.h"

/* Odd sides, and more than one block of a row. */
enum { WIDTH = 1031, HEIGHT = 7 };

/* The planes of one case: samples as numbers, and as the converter reads them. */
typedef struct picture {
    double luma[HEIGHT][WIDTH], cb[HEIGHT][WIDTH], cr[HEIGHT][WIDTH], alpha[HEIGHT][WIDTH];
    uint8_t bytes[4][HEIGHT * WIDTH * 2];
    sdyuv_planes planes;
} picture;

typedef struct conversion {
    uint16_t matrix;
    double kr, kb; /* the weights of red and blue; 0 for the matrices without them */
} conversion;

/* ITU-T H.273, table 4, with the primaries of BT.2020 for code 12. */
static const conversion conversions[] = {{0, 0, 0},           {1, 0.2126, 0.0722}, {2, 0.299, 0.114}, {4, 0.30, 0.11},
                                         {5, 0.299, 0.114},   {6, 0.299, 0.114},   {7, 0.212, 0.087}, {8, 0, 0},
                                         {9, 0.2627, 0.0593}, {12, 0.2627, 0.0593}};

static uint32_t state = 1;

static uint32_t next(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)state * below) >> 32);
}

/* Fills a plane with random samples, a quarter of them extremes. */
static void fill(double plane[HEIGHT][WIDTH], uint8_t *bytes, uint32_t width, uint32_t height, int depth) {
    uint32_t top = (1u << depth) - 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint32_t kind = next(8), value = kind == 0 ? 0 : kind == 1 ? top : next(top + 1);
            uint16_t word = (uint16_t)value;
            plane[y][x] = value;
            if (depth > 8)
                memcpy(bytes + 2 * (y * width + x), &word, 2);
            else
                bytes[y * width + x] = (uint8_t)value;
        }
    }
}

static void draw(picture *p, int depth, int shift_x, int shift_y, bool is_color, bool premultiplied) {
    uint32_t size = depth > 8 ? 2 : 1, width = (WIDTH + (uint32_t)shift_x) >> shift_x;
    uint32_t height = (HEIGHT + (uint32_t)shift_y) >> shift_y;
    fill(p->luma, p->bytes[0], WIDTH, HEIGHT, depth);
    fill(p->cb, p->bytes[1], width, height, depth);
    fill(p->cr, p->bytes[2], width, height, depth);
    fill(p->alpha, p->bytes[3], WIDTH, HEIGHT, depth);
    p->planes = (sdyuv_planes){.width = WIDTH,
                               .height = HEIGHT,
                               .depth = depth,
                               .shift_x = shift_x,
                               .shift_y = shift_y,
                               .luma = p->bytes[0],
                               .alpha = p->bytes[3],
                               .luma_stride = WIDTH * size,
                               .alpha_stride = WIDTH * size,
                               .alpha_depth = depth,
                               .premultiplied = premultiplied};
    if (is_color) {
        p->planes.cb = p->bytes[1], p->planes.cr = p->bytes[2];
        p->planes.cb_stride = p->planes.cr_stride = width * size;
    }
}

/* The position of a pixel among samples that are `shift`ed: two neighbors, 3 : 1. */
static void neighbors(int at, int shift, int count, int *near, int *far) {
    *near = at >> shift;
    *far = shift ? (at & 1 ? *near + 1 : *near - 1) : *near;
    *far = *far < 0 ? 0 : *far >= count ? count - 1 : *far;
}

static double chroma(const sdyuv_planes *p, double plane[HEIGHT][WIDTH], int x, int y) {
    int left, right, upper, lower;
    neighbors(x, p->shift_x, (WIDTH + p->shift_x) >> p->shift_x, &left, &right);
    neighbors(y, p->shift_y, (HEIGHT + p->shift_y) >> p->shift_y, &upper, &lower);
    double near = 3 * plane[upper][left] + plane[upper][right], far = 3 * plane[lower][left] + plane[lower][right];
    return (3 * near + far) / 16;
}

static double limit(double value) {
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* The color of a pixel from 0 to 1 (ITU-T H.273, 8.3). */
static void expected(picture *p, const conversion *c, bool full, int x, int y, double rgb[3]) {
    int depth = p->planes.depth;
    double unit = (double)(1 << (depth - 8)), top = (double)((1 << depth) - 1), middle = (double)(1 << (depth - 1));
    double black = full ? 0 : 16 * unit, luma_range = full ? top : 219 * unit, chroma_range = full ? top : 224 * unit;
    double luma = (p->luma[y][x] - black) / luma_range, cb = 0, cr = 0;
    if (p->planes.cb && c->matrix == 0) {
        rgb[0] = (chroma(&p->planes, p->cr, x, y) - black) / luma_range;
        rgb[1] = luma;
        rgb[2] = (chroma(&p->planes, p->cb, x, y) - black) / luma_range;
    } else {
        if (p->planes.cb) {
            cb = (chroma(&p->planes, p->cb, x, y) - middle) / chroma_range;
            cr = (chroma(&p->planes, p->cr, x, y) - middle) / chroma_range;
        }
        if (c->matrix == 8) {
            rgb[0] = luma - cb + cr, rgb[1] = luma + cb, rgb[2] = luma - cb - cr;
        } else {
            rgb[0] = luma + 2 * (1 - c->kr) * cr;
            rgb[2] = luma + 2 * (1 - c->kb) * cb;
            rgb[1] = (luma - c->kr * (luma + 2 * (1 - c->kr) * cr) - c->kb * (luma + 2 * (1 - c->kb) * cb)) /
                     (1 - c->kr - c->kb);
        }
    }
    if (!p->planes.cb)
        rgb[0] = rgb[1] = rgb[2] = luma;
    for (int i = 0; i < 3; i++)
        rgb[i] = limit(rgb[i]);
}

/* Returns true if each sample is the nearest one, apart from the error of fixed point, at most 0.05 of a step of 8
 * bits. The division by alpha multiplies both. */
static bool agrees(picture *p, const conversion *c, bool full, const uint8_t *pixels, bool wide) {
    double top = wide ? 65535 : 255, alpha_top = (double)((1 << p->planes.depth) - 1), slack = wide ? 10 : 0.05;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double rgb[3], samples[4], alpha = round(p->alpha[y][x] / alpha_top * top);
            for (int i = 0; i < 4; i++) {
                size_t at = (size_t)(y * WIDTH + x) * 4 + (size_t)i;
                samples[i] = wide ? ((const uint16_t *)(const void *)pixels)[at] : pixels[at];
            }
            if (fabs(samples[3] - alpha) > (wide ? 1 : 0))
                return false;
            expected(p, c, full, x, y, rgb);
            for (int i = 0; i < 3; i++) {
                double value = rgb[i] * top, error = 0.5 + slack;
                if (p->planes.premultiplied) {
                    value = alpha > 0 ? limit(rgb[i] * top / alpha) * top : 0;
                    error = alpha > 0 ? error * top / alpha + 0.5 : 0;
                }
                if (fabs(samples[i] - value) > error)
                    return false;
            }
        }
    }
    return true;
}

/* Converts at every level. Returns the first level whose pixels differ from the equations, or NULL. */
static const char *wrong_level(picture *p, const sdyuv_matrix *matrix, const conversion *c, bool full, bool wide) {
    static uint16_t pixels[2][HEIGHT * WIDTH * 4];
    size_t size = HEIGHT * WIDTH * 4 * (wide ? 2 : 1);
    for (int level = SDPX_CPU_BASELINE; level <= SDPX_CPU_AVX512; level++) {
        if (sdpx_cpu_limit((sdpx_cpu_level)level) != level)
            break;
        uint8_t *bytes = (uint8_t *)pixels[level > 0];
        sdyuv_convert(&p->planes, matrix, &(sdyuv_pixels){bytes, size / HEIGHT, 4, wide});
        /* Equal pixels need no second comparison. */
        bool is_known = level > 0 && !memcmp(pixels[0], bytes, size);
        if (!is_known && !agrees(p, c, full, bytes, wide))
            return sdpx_cpu_name((sdpx_cpu_level)level);
    }
    return NULL;
}

/* Converts planes of one depth and subsampling by every matrix. Returns the first matrix that differs, or -1, and the
 * level, or NULL for all. */
static int first_difference(picture *p, bool full, bool wide, const char **level) {
    *level = NULL;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const conversion *c = &conversions[i];
        sdyuv_matrix matrix;
        bool is_possible = sdyuv_matrix_make(&matrix, &p->planes, (sdyuv_color){9, c->matrix, full}, wide);
        /* Green, blue and red have no chroma to subsample. */
        bool is_subsampled = p->planes.shift_x || p->planes.shift_y;
        if (is_possible == (c->matrix == 0 && p->planes.cb && is_subsampled))
            return c->matrix;
        if (!is_possible)
            continue;
        *level = wrong_level(p, &matrix, c, full, wide);
        if (*level)
            return c->matrix;
    }
    return -1;
}

int main(void) {
    static const struct {
        const char *name;
        int shift_x, shift_y;
        bool is_color;
    } layouts[] = {{"4:0:0", 0, 0, false}, {"4:2:0", 1, 1, true}, {"4:2:2", 1, 0, true}, {"4:4:4", 0, 0, true}};
    static picture p;
    int failures = 0;
    for (int depth = 8; depth <= 12; depth += 2) {
        for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
            for (int mode = 0; mode < 8; mode++) {
                bool full = mode & 1, wide = mode & 2, premultiplied = mode & 4;
                draw(&p, depth, layouts[i].shift_x, layouts[i].shift_y, layouts[i].is_color, premultiplied);
                const char *level;
                int matrix = first_difference(&p, full, wide, &level);
                printf("%s %s, %d bits, %s range, to %d bits%s", matrix < 0 ? "ok" : "not ok", layouts[i].name, depth,
                       full ? "full" : "limited", wide ? 16 : 8, premultiplied ? ", premultiplied" : "");
                if (matrix >= 0)
                    printf(": matrix %d differs%s%s", matrix, level ? " at the level " : "", level ? level : "");
                printf("\n");
                failures += matrix >= 0;
            }
        }
    }
    return failures > 0;
}
