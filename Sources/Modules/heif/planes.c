/* planes.c: the planes of an image item. An image of one tile keeps the planes of its decoder. Other images are
 * assembled: up to 16 threads, the calling one included, each decode one tile at a time and copy it to its positions.
 * Threads write different tiles, so that the planes need no lock.
 *
 * A run is an item with all its positions in the grid: it is decoded once and copied to each. The first error in the
 * order of runs is reported, so that the result does not depend on the order of threads. */
#include "planes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of an image coded as one picture that justify one more thread. */
enum { PIXELS_PER_THREAD = 1 << 17 };

/* A grid being decoded: each thread takes the next item. */
typedef struct assembly {
    const sdheif_container *container;
    const sdheif_image *image;
    sdheif_planes *whole; /* the destination */
    atomic_size_t next;   /* index of the next run to decode */
    atomic_int status;    /* status of the first failed run; OK until then */
    pthread_mutex_t lock; /* guards the error and the color */
    sdimage_error *error;
    size_t failed; /* the run of the error: the first failed one, whatever the order of the threads */
} assembly;

/* Copies rows of `bytes` bytes. */
static void copy_plane(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t bytes,
                       size_t rows) {
    for (size_t y = 0; y < rows; y++)
        memcpy(to + y * to_stride, from + y * from_stride, bytes);
}

/* Returns a side in samples of chroma, rounded up; `shift` is 1 for halved chroma. */
static size_t halved(size_t value, int shift) {
    return (value + (size_t)shift) >> shift;
}

/* Copies the part of a tile that is inside the image to its position, which is `number` in reading order. */
static void copy_tile(const sdheif_image *p, const sdyuv_planes *tile, sdyuv_planes *whole, size_t number) {
    size_t x = number % p->columns * p->tile_width, y = number / p->columns * p->tile_height;
    if (x >= whole->width || y >= whole->height)
        return;
    size_t width = whole->width - x < p->tile_width ? whole->width - x : p->tile_width;
    size_t height = whole->height - y < p->tile_height ? whole->height - y : p->tile_height;
    size_t size = tile->depth > 8 ? 2 : 1;
    copy_plane((uint8_t *)whole->luma + y * whole->luma_stride + x * size, whole->luma_stride, tile->luma,
               tile->luma_stride, width * size, height);
    if (!whole->cb)
        return;
    /* Rounded up, each sample of chroma belongs to exactly one tile, also if tiles have odd sides. */
    size_t cx = halved(x, tile->shift_x), cy = halved(y, tile->shift_y);
    size_t columns = (halved(x + width, tile->shift_x) - cx) * size, rows = halved(y + height, tile->shift_y) - cy;
    copy_plane((uint8_t *)whole->cb + cy * whole->cb_stride + cx * size, whole->cb_stride, tile->cb, tile->cb_stride,
               columns, rows);
    copy_plane((uint8_t *)whole->cr + cy * whole->cr_stride + cx * size, whole->cr_stride, tile->cr, tile->cr_stride,
               columns, rows);
}

/* Checks that the stream matches the container; otherwise its planes would not fit. A stream may have more pixels than
 * its tile, which are not copied. */
static bool matches_container(const sdheif_image *p, const sdyuv_planes *tile) {
    static const int shift_x[4] = {0, 1, 1, 0}, shift_y[4] = {0, 1, 0, 0};
    int chroma = p->configuration.chroma_format;
    return tile->width >= p->tile_width && tile->height >= p->tile_height && tile->depth == p->configuration.depth &&
           (tile->cb != NULL) == (chroma != 0) && tile->shift_x == shift_x[chroma] && tile->shift_y == shift_y[chroma];
}

/* Decodes the item of a run. The caller releases the frame if this succeeds. */
static sdimage_status decode_item(const assembly *a, size_t run, int threads, sdheif_frame *frame,
                                  sdimage_error **error) {
    const sdheif_image *p = a->image;
    /* The announced size limits the memory of the decoder. */
    sdheif_coded coded = {p->tile_width, p->tile_height, threads};
    const sdheif_item *item = sdheif_find_item(a->container, p->tiles[p->order[p->runs[run]]]);
    sdimage_status status = sdcs_check_budget(a->container->budget, error);
    if (status < 0)
        return status;
    status = sdheif_decode_frame(a->container, item, coded, frame, error);
    if (status >= 0 && !matches_container(p, &frame->planes)) {
        sdheif_release_frame(frame);
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "heif: coded image does not match its properties");
    }
    return status;
}

/* Copies a tile to all positions of its item. */
static void copy_tiles(const assembly *a, size_t run, const sdyuv_planes *tile) {
    const sdheif_image *p = a->image;
    size_t end = run + 1 < p->run_count ? p->runs[run + 1] : (size_t)p->rows * p->columns;
    for (size_t i = p->runs[run]; i < end; i++)
        copy_tile(p, tile, &a->whole->planes, p->order[i]);
}

/* Decodes runs until none is left or one has failed. Runs on the helper threads and on the thread of the decode. */
static void *work(void *pointer) {
    assembly *a = pointer;
    size_t run;
    while (atomic_load(&a->status) >= 0 && (run = atomic_fetch_add(&a->next, 1)) < a->image->run_count) {
        sdheif_frame frame;
        sdimage_error *error = NULL;
        sdimage_status status = decode_item(a, run, 1, &frame, &error);
        if (status >= 0)
            copy_tiles(a, run, &frame.planes);
        pthread_mutex_lock(&a->lock);
        /* The color encoding of the first item is that of the image, whichever thread decodes it. */
        if (status >= 0 && run == 0) {
            a->whole->color = frame.color;
            a->whole->transfer = frame.transfer;
        } else if (status < 0 && (atomic_load(&a->status) >= 0 || run < a->failed)) {
            sdimage_error *later = a->error;
            atomic_store(&a->status, status);
            a->failed = run;
            a->error = error;
            error = later;
        }
        pthread_mutex_unlock(&a->lock);
        if (status >= 0)
            sdheif_release_frame(&frame);
        sdimage_error_unref(error);
    }
    return NULL;
}

static sdimage_status too_large(sdimage_error **error) {
    return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: planes exceed the limit of 256 MiB");
}

/* Allocates the planes of the whole image as one block, with rows aligned to 64 bytes. Its memory is not cleared: the
 * tiles cover it. The limit is that of tiles_at_once, which has checked the bytes without alignment. */
static sdimage_status allocate(const sdheif_image *p, uint64_t held, sdheif_planes *whole, sdimage_error **error) {
    static const int shift_x[4] = {0, 1, 1, 0}, shift_y[4] = {0, 1, 0, 0};
    int chroma = p->configuration.chroma_format;
    sdyuv_planes *planes = &whole->planes;
    size_t size = p->configuration.depth > 8 ? 2 : 1, stride = ((size_t)p->width * size + 63) & ~(size_t)63;
    *planes = (sdyuv_planes){.width = p->width, .height = p->height, .depth = p->configuration.depth};
    planes->shift_x = shift_x[chroma];
    planes->shift_y = shift_y[chroma];
    /* Rows of chroma planes are aligned like those of luma. */
    size_t rows = halved(p->height, planes->shift_y);
    size_t chroma_stride = chroma ? (halved(p->width, planes->shift_x) * size + 63) & ~(size_t)63 : 0;
    size_t length = stride * p->height + 2 * chroma_stride * rows;
    /* The alignment multiplies the bytes of narrow images. */
    if (length > SDCS_WORKING_BYTES - held)
        return too_large(error);
    whole->owned = malloc(length);
    if (!whole->owned)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the planes");
    planes->luma = whole->owned;
    planes->luma_stride = stride;
    if (chroma) {
        planes->cb = planes->luma + stride * p->height;
        planes->cr = planes->cb + chroma_stride * rows;
        planes->cb_stride = planes->cr_stride = chroma_stride;
    }
    return SDIMAGE_STATUS_OK;
}

/* Returns the number of tiles that may be decoded at once within the working memory; 0 if one is too many. A decoder
 * holds about as much memory again as the planes, so a tile counts twice. */
static uint64_t tiles_at_once(const sdheif_image *p, uint64_t held) {
    uint64_t whole = sdheif_stored_bytes(p), tile = sdheif_tile_bytes(p);
    if (held > SDCS_WORKING_BYTES || whole > SDCS_WORKING_BYTES - held || !tile)
        return 0;
    return (SDCS_WORKING_BYTES - held - whole) / 2 / tile;
}

/* Decodes the tiles with helper threads that end before the return. Without helpers, the calling thread decodes them
 * all. */
static sdimage_status decode_grid(const sdheif_container *c, const sdheif_image *p, uint64_t held, sdheif_planes *whole,
                                  sdimage_error **error) {
    uint64_t most = tiles_at_once(p, held);
    if (!most)
        return too_large(error);
    sdimage_status status = allocate(p, held, whole, error);
    if (status < 0)
        return status;
    assembly a = {.container = c, .image = p, .whole = whole};
    pthread_t helpers[16];
    int wanted = sdcs_processors() - 1, started = 0;
    /* No more helpers than runs besides the first, than memory allows, and than there are other processors. */
    size_t others = (p->run_count < most ? p->run_count : (size_t)most) - 1;
    pthread_mutex_init(&a.lock, NULL);
    while (started < wanted && (size_t)started < others && pthread_create(&helpers[started], NULL, work, &a) == 0)
        started++;
    work(&a);
    while (started > 0)
        pthread_join(helpers[--started], NULL);
    pthread_mutex_destroy(&a.lock);
    status = (sdimage_status)atomic_load(&a.status);
    /* Threads may have failed in any order; `work` keeps the error of the first run. */
    if (error && a.error)
        *error = a.error;
    else
        sdimage_error_unref(a.error);
    return status;
}

sdimage_status sdheif_decode_planes(const sdheif_container *c, const sdheif_image *p, uint64_t held,
                                    sdheif_planes *whole, sdimage_error **error) {
    *whole = (sdheif_planes){.owned = NULL};
    /* A single tile that exceeds the image is cropped by copying. */
    if (p->rows * p->columns > 1 || p->tile_width > p->width || p->tile_height > p->height)
        return decode_grid(c, p, held, whole, error);
    uint64_t own = sdheif_stored_bytes(p);
    if (held > SDCS_WORKING_BYTES || own > SDCS_WORKING_BYTES - held)
        return too_large(error);
    uint64_t worth = (uint64_t)p->width * p->height / PIXELS_PER_THREAD + 1;
    int processors = sdcs_processors();
    assembly a = {.container = c, .image = p};
    sdimage_status status =
        decode_item(&a, 0, worth < (uint64_t)processors ? (int)worth : processors, &whole->frame, error);
    if (status < 0)
        return status;
    whole->planes = whole->frame.planes;
    whole->planes.width = p->width;
    whole->planes.height = p->height;
    whole->color = whole->frame.color;
    whole->transfer = whole->frame.transfer;
    return status;
}

void sdheif_release_planes(sdheif_planes *whole) {
    sdheif_release_frame(&whole->frame);
    free(whole->owned);
    whole->owned = NULL;
}
