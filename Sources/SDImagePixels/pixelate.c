/* pixelate.c: means of cells, which CellFilter and ImageCells use. Rows are added one after the other; after the last
   row of a cell, its sums are written as a color. */
#include "sdpx_pixelate.h"

#include <string.h>

#include "curve.h"
#include "planes.h"

/* Adds the pixels of a cell within the current planes, weighted by alpha. */
static void add_span(float *sum, const sdpx_planes *p, size_t first, size_t end) {
    float r = 0, g = 0, b = 0, a = 0;
    for (size_t i = first; i < end; i++) {
        r += p->red[i] * p->alpha[i];
        g += p->green[i] * p->alpha[i];
        b += p->blue[i] * p->alpha[i];
        a += p->alpha[i];
    }
    sum[0] += r;
    sum[1] += g;
    sum[2] += b;
    sum[3] += a;
}

void sdpx_add_cells(float *sums, size_t cells, const int32_t *bounds, const void *row, sdpx_format format, int in_light,
                    int passes_alpha_over) {
    size_t size = sdpx_pixel_size(format), end = (size_t)bounds[cells], cell = 0;
    int is_light = format == SDPX_RGBA_FLOAT;
    for (size_t x = (size_t)bounds[0]; x < end;) {
        size_t n = end - x < SDPX_PLANE ? end - x : SDPX_PLANE;
        sdpx_planes planes;
        sdpx_read_planes(&planes, (const uint8_t *)row + x * size, format, n);
        if (in_light && !is_light)
            sdpx_decode_planes(&planes, n);
        if (!in_light && is_light)
            sdpx_encode_planes(&planes, n);
        /* Equal weights: alpha of 1 for all pixels. */
        if (passes_alpha_over)
            for (size_t i = 0; i < n; i++)
                planes.alpha[i] = 1;
        for (size_t i = 0; i < n;) {
            /* The end of the cell, which may be beyond these planes: the next ones continue it. */
            size_t next = (size_t)bounds[cell + 1] - x, stop = next < n ? next : n;
            add_span(sums + 4 * cell, &planes, i, stop);
            cell += next <= n;
            i = stop;
        }
        x += n;
    }
}

/* Repeats a pixel. */
static void fill(uint8_t *to, const uint8_t *pixel, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, pixel, size);
}

void sdpx_fill_cells(void *row, sdpx_format format, size_t cells, const int32_t *bounds, const float *sums,
                     float rows) {
    size_t size = sdpx_pixel_size(format);
    for (size_t first = 0; first < cells; first += SDPX_PLANE) {
        size_t n = cells - first < SDPX_PLANE ? cells - first : SDPX_PLANE;
        sdpx_planes planes;
        uint8_t pixels[SDPX_PLANE * 16];
        for (size_t i = 0; i < n; i++) {
            const float *sum = sums + 4 * (first + i);
            /* A transparent cell has no color. */
            float factor = sum[3] > 0 ? 1 / sum[3] : 0;
            planes.red[i] = sum[0] * factor;
            planes.green[i] = sum[1] * factor;
            planes.blue[i] = sum[2] * factor;
            /* The mean alpha of all pixels of the cell. */
            planes.alpha[i] = sum[3] / (rows * (float)(bounds[first + i + 1] - bounds[first + i]));
        }
        sdpx_write_planes(pixels, format, &planes, n);
        for (size_t i = 0; i < n; i++)
            fill((uint8_t *)row + (size_t)bounds[first + i] * size, pixels + i * size,
                 (size_t)(bounds[first + i + 1] - bounds[first + i]), size);
    }
}
