/* drawing.c: one call of render, decode or describe is a job. The plug-in makes it with copies of its input. Its `work`
 * finds the intrinsic size and calls sdcs_drawing_draw. The result is collected from the job.
 *
 * The library abandons a call that exceeds its time (coder.h, detached_stack). The arguments of the call stay valid
 * until it returns, and its result is discarded. */
#include "drawing.h"

#include <math.h>
#include <string.h>

/* Rounds a side of the intrinsic size to whole pixels, at least 1. */
static uint32_t side_of(double length) {
    double side = length > 0 && length < UINT32_MAX ? round(length) : length > 0 ? UINT32_MAX : 0;
    return side < 1 ? 1 : (uint32_t)side;
}

/* Checks the size to draw against cairo and the limits of the request, before memory is allocated. A pixel has 4
 * bytes. */
static sdimage_status check_size(const sdcs_request *request, sdimage_size size, sdimage_error **error) {
    uint64_t pixels = (uint64_t)size.width * size.height;
    if (size.width > SDCS_DRAWING_LONGEST || size.height > SDCS_DRAWING_LONGEST || pixels > request->max_pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    if (sdcs_exceeds_bytes(request->max_bytes, size.width, size.height, SDIMAGE_PIXEL_FORMAT_RGBA8))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: bitmap has more bytes than max_bytes allows");
    return SDIMAGE_STATUS_OK;
}

/* Reorders cairo's pixels, which are native words of alpha, red, green and blue, to bytes of blue, green, red and
 * alpha. On little-endian machines both are the same. */
static void order_bytes(uint8_t *pixels, size_t stride, sdimage_size size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (uint32_t y = 0; y < size.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(pixels + y * stride);
        for (uint32_t x = 0; x < size.width; x++)
            row[x] = __builtin_bswap32(row[x]);
    }
#else
    (void)pixels, (void)stride, (void)size;
#endif
}

/* Draws on cleared pixels. `width` and `height` are the intrinsic size, in whose units `draw` works. Cairo keeps the
 * first error, so its status is checked only before and after the drawing. */
static bool draw_into(sdimage_size size, double width, double height, void *pixels, size_t stride, sdcs_draw_fn draw,
                      void *context) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, (int)size.width,
                                                                   (int)size.height, (int)stride);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, size.width / width, size.height / height);
    bool drawn = cairo_status(cairo) == CAIRO_STATUS_SUCCESS && draw(context, cairo) &&
                 cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    /* Writes out pending drawing, before the pixels are read. */
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

/* Converts to straight alpha, unless a premultiplied format was requested. The library then exchanges the channels if
 * needed. */
static sdimage_status finish(const sdcs_request *request, sdimage_image *drawn, sdimage_image **image,
                             sdimage_error **error) {
    bool keeps = request->format == SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED ||
                 request->format == SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED;
    if (!keeps)
        return sdimage_image_convert(drawn, SDIMAGE_PIXEL_FORMAT_RGBA8, image, error);
    *image = sdimage_image_ref(drawn);
    return SDIMAGE_STATUS_OK;
}

/* Draws at the requested size, or else at the intrinsic one, into `self->image`. Errors are stored in `self`. */
static sdimage_status draw_image(sdcs_drawing *self, sdcs_draw_fn draw, void *context) {
    sdimage_image *drawn = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    sdimage_size size = self->size;
    if (!size.width || !size.height)
        size = (sdimage_size){side_of(self->width), side_of(self->height)};
    sdimage_status status = check_size(&self->request, size, &self->error);
    if (status >= 0)
        status = sdimage_image_new_uninitialized(size.width, size.height, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED,
                                                 &drawn, &pixels, &stride, &self->error);
    if (status < 0)
        return status;
    /* Transparent: the drawing may leave parts uncovered. */
    memset(pixels, 0, stride * size.height);
    if (draw_into(size, self->width, self->height, pixels, stride, draw, context)) {
        order_bytes(pixels, stride, size);
        status = finish(&self->request, drawn, &self->image, &self->error);
    } else {
        status = sdcs_fail(&self->error, SDIMAGE_STATUS_BAD_DATA, "decoder: image could not be drawn completely");
    }
    sdimage_image_unref(drawn);
    return status;
}

/* --- Functions for the work. */

void sdcs_drawing_fail(sdcs_drawing *self, sdimage_status status, const char *message) {
    self->status = sdcs_fail(&self->error, status, message);
}

void sdcs_drawing_draw(sdcs_drawing *self, sdcs_draw_fn draw, void *context) {
    if (self->draws)
        self->status = draw_image(self, draw, context);
}

void sdcs_drawing_clear(sdcs_drawing *self) {
    sdimage_image_unref(self->image);
    sdimage_error_unref(self->error);
}

/* --- The result. */

/* Describes the drawing at its intrinsic size. Code points of 2 are unspecified (ITU-T H.273): drawings are sRGB. */
static sdcs_info info_of(const sdcs_drawing *self) {
    sdcs_info info = {.format = self->format, .orientation = SDIMAGE_ORIENTATION_UP, .has_alpha = true};
    info.width = side_of(self->width), info.height = side_of(self->height);
    info.chroma = 8, info.bits = 8, info.frame_count = 1;
    info.color.primaries = info.transfer = 2;
    return info;
}

/* Moves the error of the work to the caller. Without a pointer for it, it stays in the job and is released with it. */
static sdimage_status collect_status(sdcs_drawing *self, sdimage_error **error) {
    if (self->status < 0 && error) {
        *error = self->error;
        self->error = NULL;
    }
    return self->status;
}

/* Adds the metadata to the drawn image. Called after the work, on the same thread. */
static sdimage_status collect_image(sdcs_drawing *self, sdimage_image **image, sdimage_error **error) {
    sdcs_info info = info_of(self);
    sdimage_status status = collect_status(self, error);
    return status < 0 ? status : sdcs_attach(&info, self->image, image, error);
}

static sdimage_status collect_info(sdcs_drawing *self, sdimage_metadata *metadata, sdimage_error **error) {
    sdcs_info info = info_of(self);
    sdimage_status status = collect_status(self, error);
    return status < 0 ? status : sdcs_describe(&info, metadata, error);
}

/* --- The coder's functions. */

/* Makes a job. `kind->make` has no part in the common members, which are set here. */
static sdimage_status make(const sdcs_drawing_kind *kind, const void *bytes, size_t length,
                           const sdimage_decode_options *options, void **job, sdimage_error **error) {
    sdimage_status status = kind->make(bytes, length, options, job, error);
    if (status >= 0)
        *(sdcs_drawing *)*job = (sdcs_drawing){.format = kind->format, .request = sdcs_request_of(options)};
    return status;
}

sdimage_status sdcs_drawing_render(void *user_data, const void *bytes, size_t length,
                                   const sdimage_decode_options *options, sdimage_size size, sdimage_image **image,
                                   sdimage_error **error) {
    const sdcs_drawing_kind *kind = user_data;
    void *job = NULL;
    sdimage_status status = make(kind, bytes, length, options, &job, error);
    if (status < 0)
        return status;
    /* The common members are the first ones of the job. */
    sdcs_drawing *self = job;
    /* With 0 x 0, the work determines the size. */
    self->size = size;
    self->draws = true;
    kind->work(job);
    status = collect_image(self, image, error);
    kind->release(job);
    return status;
}

sdimage_status sdcs_drawing_decode(void *user_data, const void *bytes, size_t length,
                                   const sdimage_decode_options *options, sdimage_image **image,
                                   sdimage_error **error) {
    return sdcs_drawing_render(user_data, bytes, length, options, (sdimage_size){0, 0}, image, error);
}

sdimage_status sdcs_drawing_describe(void *user_data, const void *bytes, size_t length,
                                     const sdimage_decode_options *options, sdimage_metadata *metadata,
                                     sdimage_error **error) {
    const sdcs_drawing_kind *kind = user_data;
    void *job = NULL;
    sdimage_status status = make(kind, bytes, length, options, &job, error);
    if (status < 0)
        return status;
    kind->work(job);
    status = collect_info(job, metadata, error);
    kind->release(job);
    return status;
}

bool sdcs_drawing_can_decode_format(void *user_data, sdimage_format format) {
    return format == ((const sdcs_drawing_kind *)user_data)->format;
}
