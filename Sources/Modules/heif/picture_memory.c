/* picture_memory.c: the allocation function of libde265, replaced for the process (docs/decisions.md, "The memory of
 * H.265 pictures is allocated here").
 *
 * A plane is one block: its samples, PADDING bytes, and for marked luma a `luma` that describes it. libde265 frees the
 * block with its own function. get_buffer runs on the threads of any decoder in the process, libheif's too. */
#include "picture_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Alignment of planes and of rows; bytes that the kernels of libde265 may read beyond the end. */
enum { ALIGNMENT = 16, PADDING = 64 };

/* A mark is a square of samples. Each block of `BLOCK` samples, the smallest that slices consist of, has one at
 * `START` in both directions, where the deblocking of its neighbors does not reach. */
enum { BLOCK = 16, START = 1, MARK = 4 };
static const uint8_t mark[MARK][MARK] = {
    {92, 227, 25, 166}, {177, 46, 215, 72}, {13, 147, 106, 244}, {200, 55, 130, 123}};
static const uint16_t wide_mark[MARK][MARK] = {
    {92, 227, 25, 166}, {177, 46, 215, 72}, {13, 147, 106, 244}, {200, 55, 130, 123}};

/* The luma of a picture, stored behind its samples. libde265 returns only the cropped part. */
typedef struct luma {
    uint8_t *bytes;             /* start of the plane's memory */
    size_t stride, sample_size; /* in bytes */
    uint32_t width, height;
} luma;

/* The user data of decoders whose pictures are marked; only its address counts. */
static char marks;

/* Limit of the pictures of a marked decoder: that of the item, and its copy for sample adaptive offset. */
enum { PICTURE_LIMIT = 2 };

/* Pictures that the marked decoder of this thread has requested. libde265 allocates them on the calling thread. */
static _Thread_local unsigned pictures;

/* Calls of sdheif_begin_limit that have not ended. */
static atomic_uint limits;
/* The original functions of libde265; written before get_buffer is visible to other threads. */
static struct de265_image_allocation defaults;

/* Returns zeroed and aligned memory, to be freed; NULL without memory. calloc takes zeroed pages from the kernel, and
 * has the alignment on most systems. */
static uint8_t *allocate(size_t length) {
    void *bytes = calloc(1, length);
    if ((uintptr_t)bytes % ALIGNMENT == 0)
        return bytes;
    free(bytes);
    bytes = aligned_alloc(ALIGNMENT, (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return bytes ? memset(bytes, 0, length) : NULL;
}

/* --- Marks. */

/* Returns one row of the mark, in samples of the size of the plane. */
static const void *mark_row(const luma *luma, size_t row) {
    return luma->sample_size == 2 ? (const void *)wide_mark[row] : mark[row];
}

/* Returns the address of a sample. */
static uint8_t *row_at(const luma *luma, uint32_t x, size_t y) {
    return luma->bytes + y * luma->stride + x * luma->sample_size;
}

/* Marks each block that has room for a mark. Blocks cut by the right or bottom edge may have none. */
static void write_marks(const luma *luma) {
    for (uint32_t y = START; y + MARK <= luma->height; y += BLOCK)
        for (uint32_t x = START; x + MARK <= luma->width; x += BLOCK)
            for (size_t row = 0; row < MARK; row++)
                memcpy(row_at(luma, x, y + row), mark_row(luma, row), MARK * luma->sample_size);
}

/* Reports that a mark is unchanged. */
static bool has_mark(const luma *luma, uint32_t x, uint32_t y) {
    size_t row = 0;
    while (row < MARK && !memcmp(row_at(luma, x, y + row), mark_row(luma, row), MARK * luma->sample_size))
        row++;
    return row == MARK;
}

bool sdheif_is_complete(const struct de265_image *picture) {
    /* A picture without marks cannot be checked, and counts as complete. */
    const luma *luma = de265_get_image_plane_user_data(picture, 0);
    if (!luma)
        return true;
    for (uint32_t y = START; y + MARK <= luma->height; y += BLOCK)
        for (uint32_t x = START; x + MARK <= luma->width; x += BLOCK)
            if (has_mark(luma, x, y))
                return false;
    return true;
}

void sdheif_mark_pictures(de265_decoder_context *decoder) {
    struct de265_image_allocation functions = *de265_get_default_image_allocation_functions();
    de265_set_image_allocation_functions(decoder, &functions, &marks);
    pictures = 0;
}

bool sdheif_has_too_many_pictures(void) {
    return pictures > PICTURE_LIMIT;
}

/* --- Allocation. */

/* Allocates a plane; false also for one whose bytes exceed the offsets in libde265, which have 32 bits. */
static bool make_plane(uint32_t width, uint32_t height, size_t sample_size, luma *plane) {
    size_t stride = ((size_t)width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT * sample_size;
    if (!stride || height > INT32_MAX / stride)
        return false;
    size_t length = stride * height;
    *plane = (luma){allocate(length + PADDING + sizeof *plane), stride, sample_size, width, height};
    return plane->bytes != NULL;
}

/* Passes a plane to libde265, which frees `plane->bytes` later. A plane without bytes is that of a missing channel. */
static void set_plane(struct de265_image *picture, int channel, const luma *plane, bool is_marked) {
    /* Aligned, because rows and PADDING are. */
    luma *stored = plane->bytes ? (luma *)(void *)(plane->bytes + plane->stride * plane->height + PADDING) : NULL;
    if (is_marked && stored) {
        *stored = *plane;
        write_marks(plane);
    }
    de265_set_image_plane(picture, channel, plane->bytes, (int)plane->stride, is_marked ? stored : NULL);
}

/* Allocates the planes of a picture; returns 0 on failure. The functions of libde265 free the planes. */
static int get_buffer(de265_decoder_context *decoder, struct de265_image_spec *spec, struct de265_image *picture,
                      void *user_data) {
    /* Pictures of an encoder have no parameter set, from which the functions below read the depth. */
    if (!decoder)
        return defaults.get_buffer(decoder, spec, picture, user_data);
    enum de265_chroma chroma = de265_get_chroma_format(picture);
    uint32_t width = (uint32_t)spec->width, height = (uint32_t)spec->height;
    /* The limit concerns libheif. Decoders of the module have checked the size in the stream before. */
    if (spec->width <= 0 || spec->height <= 0 || (user_data == &marks && ++pictures > PICTURE_LIMIT) ||
        (user_data != &marks && atomic_load(&limits) && (uint64_t)width * height > SDHEIF_MOST_PIXELS))
        return 0;
    bool is_halved = chroma == de265_chroma_420 || chroma == de265_chroma_422;
    uint32_t columns = is_halved ? (width + 1) / 2 : width,
             rows = chroma == de265_chroma_420 ? (height + 1) / 2 : height;
    luma planes[3] = {{.bytes = NULL}};
    bool is_made = true;
    for (int i = 0; i < (chroma == de265_chroma_mono ? 1 : 3); i++) {
        size_t sample_size = de265_get_bits_per_pixel(picture, i) > 8 ? 2 : 1;
        is_made &= make_plane(i ? columns : width, i ? rows : height, sample_size, &planes[i]);
    }
    for (int i = 0; i < 3; i++) {
        if (is_made)
            set_plane(picture, i, &planes[i], i == 0 && user_data == &marks);
        else
            free(planes[i].bytes);
    }
    return is_made;
}

/* Decoders on other threads may read the table meanwhile: the pointer is stored atomically, after `defaults`. */
static void replace(void) {
    /* The pointer is to constant data, the data is not constant. */
    struct de265_image_allocation *table =
        (struct de265_image_allocation *)de265_get_default_image_allocation_functions();
    defaults = *table;
    __atomic_store_n(&table->get_buffer, get_buffer, __ATOMIC_RELEASE);
}

void sdheif_replace_picture_memory(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, replace);
}

void sdheif_begin_limit(void) {
    atomic_fetch_add(&limits, 1);
}

void sdheif_end_limit(void) {
    atomic_fetch_sub(&limits, 1);
}
