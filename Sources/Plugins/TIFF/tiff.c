/* tiff.c: the TIFF coder, by libtiff.
 *
 * 1. input.c opens bytes or a source; the deadline is checked before each read.
 * 2. libtiff goes to the directory of the requested page, and layout.c reads the layout of its samples.
 * 3. read.c reads rows, strips or tiles. Subsampled YCbCr, L*a*b* and similar kinds are converted by libtiff.
 * 4. samples.c unpacks samples of other kinds to pixels; CMYK by its profile, with Little CMS.
 * 5. rows.c (CoderSupport) writes the pixels to the image, or the means of blocks for a thumbnail.
 *
 * A source is an instance (coder_instance.h) and is never held in memory as a whole. exif.c collects the EXIF tags. */
#include <sdimage/plugins/tiff.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coder_instance.h"
#include "exif.h"
#include "fax.h"
#include "module_path.h"
#include "pages.h"
#include "read.h"

/* Returns the properties of the decoded image. */
static sdcs_info info_of(const sdtiff_layout *layout) {
    sdcs_info info = {.format = SDIMAGE_FORMAT_TIFF, .width = layout->width, .height = layout->height};
    /* For thumbnails: rows.c may have shrunk the image. */
    info.source_width = layout->width, info.source_height = layout->height;
    info.orientation = layout->orientation;
    info.has_alpha = layout->alpha >= 0;
    info.chroma = layout->kind == SDTIFF_GRAY ? 0 : 8;
    info.bits = layout->kind == SDTIFF_PALETTE || layout->bits < 8 ? 8 : layout->bits;
    info.frame_count = 1;
    /* ITU-T H.273: 2 is "unspecified". */
    info.color.primaries = info.transfer = 2;
    /* A CMYK profile was applied already, or does not describe RGB that was converted without it. */
    if (layout->kind == SDTIFF_GRAY || layout->kind == SDTIFF_RGB || layout->kind == SDTIFF_PALETTE)
        info.profile = layout->profile;
    return info;
}

/* Goes to a page; the first is 0. */
static sdimage_status turn_to(sdtiff_input *input, int64_t page, sdimage_error **error) {
    if (page == 0)
        return SDIMAGE_STATUS_OK;
    if (page < 0 || page >= SDIMAGE_TIFF_MAX_PAGES)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "tiff: page index is out of range");
    return sdtiff_turn_to(input, (uint32_t)page, error);
}

/* Decodes a page of an open file, with its metadata. */
static sdimage_status read_page(sdtiff_input *input, int64_t page, const sdtiff_request *request, sdimage_image **image,
                                sdimage_error **error) {
    sdtiff_layout layout;
    sdimage_image *plain = NULL;
    sdimage_status status = turn_to(input, page, error);
    if (status >= 0)
        status = sdtiff_layout_read(input, &layout, error);
    if (status >= 0) {
        /* Before the first strip is decoded. */
        sdtiff_correct_fax(input);
        status = sdtiff_read(input, &layout, request, &plain, error);
    }
    if (status >= 0) {
        sdcs_info info = info_of(&layout);
        status = sdcs_attach(&info, plain, image, error);
    }
    sdimage_image_unref(plain);
    return status;
}

static sdtiff_request request_of(const sdimage_decode_options *options) {
    return (sdtiff_request){sdcs_request_of(options), sdimage_decode_options_should_accept_partial(options),
                            sdcs_deadline_of(options)};
}

/* --- The coder. */

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_TIFF;
}

static int64_t page_of(const sdimage_decode_options *options) {
    return sdimage_options_int64(sdimage_decode_options_options(options), SDIMAGE_TIFF_PAGE, 0);
}

/* Decodes a page of complete bytes. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    sdtiff_request request = request_of(options);
    sdtiff_input input;
    sdimage_status status = sdtiff_open_bytes(&input, bytes, length, request.deadline, error);
    if (status >= 0)
        status = read_page(&input, page_of(options), &request, image, error);
    sdtiff_close(&input);
    return status;
}

/* Counts the pages for `describe`; reads directories only. */
static sdimage_status describe_pages(const void *bytes, size_t length, const sdimage_decode_options *options,
                                     sdimage_metadata *metadata, sdimage_error **error) {
    sdtiff_input input;
    sdimage_status status = sdtiff_open_bytes(&input, bytes, length, sdcs_deadline_of(options), error);
    if (status >= 0) {
        uint32_t count = TIFFNumberOfDirectories(input.file);
        status = sdcs_describe_pages(SDIMAGE_FORMAT_TIFF,
                                     count < SDIMAGE_TIFF_MAX_PAGES ? count : SDIMAGE_TIFF_MAX_PAGES, metadata, error);
    }
    sdtiff_close(&input);
    return status;
}

/* Stores the header information of the requested page; the EXIF tags are those of the first page. */
static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    if (sdcs_counts_pages(options))
        return describe_pages(bytes, length, options, metadata, error);
    sdtiff_input input;
    sdtiff_layout layout;
    sdtiff_block exif = {NULL, 0};
    sdimage_status status = sdtiff_open_bytes(&input, bytes, length, sdcs_deadline_of(options), error);
    if (status >= 0)
        status = turn_to(&input, page_of(options), error);
    if (status >= 0)
        status = sdtiff_layout_read(&input, &layout, error);
    if (status >= 0)
        /* From the bytes, because libtiff does not return values as they are stored. */
        status = sdtiff_exif(bytes, length, &exif, error);
    if (status >= 0) {
        sdcs_info info = info_of(&layout);
        /* The profile of the file, even if it does not describe the decoded pixels. */
        info.profile = layout.profile;
        info.xmp = layout.xmp;
        info.exif = (sdcs_span){exif.bytes, exif.length};
        status = sdcs_describe(&info, metadata, error);
    }
    free(exif.bytes);
    sdtiff_close(&input);
    return status;
}

SDIMAGE_API uint32_t sdimage_tiff_page_count(const void *bytes, size_t length) {
    return sdcs_page_count(bytes, length, SDIMAGE_FORMAT_TIFF);
}

/* --- Files that are too large to hold in memory. */

/* The instance of a source. It holds options only: each frame opens the file again. */
typedef struct instance {
    sdcs_instance base; /* first, because the functions receive a pointer to it */
    int64_t page;       /* SDIMAGE_TIFF_PAGE */
} instance;

static void configure(void *pointer, const sdimage_decode_options *options) {
    ((instance *)pointer)->page = page_of(options);
}

/* Decodes the page; each call opens the file. */
static sdimage_status frame(void *pointer, uint32_t index, sdimage_image **image, sdimage_error **error) {
    (void)index;
    const instance *self = pointer;
    const sdcs_instance *base = &self->base;
    sdtiff_request request = {base->request, base->accepts_partial, sdcs_instance_deadline(base)};
    sdtiff_input input;
    sdimage_status status = sdtiff_open_source(&input, base->source, request.deadline, error);
    if (status >= 0)
        status = read_page(&input, self->page, &request, image, error);
    sdtiff_close(&input);
    return status;
}

static bool can_decode_format(void *user_data, sdimage_format format) {
    (void)user_data;
    return format == SDIMAGE_FORMAT_TIFF;
}

static sdcs_instance_kind files = {
    .size = sizeof(instance),
    .no_memory = "tiff: no memory for a decoder",
    .configure = configure,
    .frame = frame,
};

/* Bytes that arrive are not decoded progressively: directories may be anywhere in the file. libtiff cannot be
 * interrupted while it decodes a strip, so that calls run on separate threads (detached_stack). */
static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .instance_image = sdcs_instance_image,
    .instance_destroy = sdcs_instance_destroy,
    .open_source = sdcs_instance_open_source,
    .describe = describe,
    .can_decode_format = can_decode_format,
    .detached_stack = SDCS_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

SDIMAGE_API sdimage_status sdimage_tiff_coder_new(sdimage_coder **coder, sdimage_error **error) {
    return sdimage_coder_new_custom("tiff", &table, &files, NULL, coder, error);
}

static char version[24];

/* Extracts the number from "LIBTIFF, Version 4.5.0", which copyright lines follow. */
static void find_version(void) {
    static const char before[] = "Version ";
    const char *text = strstr(TIFFGetVersion(), before);
    if (text)
        snprintf(version, sizeof version, "%.*s", (int)strcspn(text + sizeof before - 1, "\n"),
                 text + sizeof before - 1);
}

SDIMAGE_API const char *sdimage_tiff_library_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_version);
    return version;
}
