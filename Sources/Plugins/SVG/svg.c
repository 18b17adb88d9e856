/* svg.c: the SVG coder, by librsvg.
 *
 * 1. A job holds the text (text.c decompresses it) and the style sheet.
 * 2. check.c refuses documents that librsvg would read without a limit.
 * 3. librsvg parses the text, without a base URL, so that it reads no file.
 * 4. The intrinsic size comes from the width and height, the view box, or the extents of the drawing.
 * 5. drawing.c makes a cairo surface of the requested size, scales to it, and converts the result to straight alpha.
 *
 * librsvg cannot be interrupted: the library runs the functions of the coder on threads that it abandons at the time
 * limit (detached_stack). */
#include <sdimage/plugins/svg.h>

#include <librsvg/rsvg.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "check.h"
#include "module_path.h"

/* Pixels per inch, as in CSS. */
static const double DPI = 96;

/* --- The intrinsic size. */

/* Converts a length to pixels; 0 if it depends on the viewport. */
static double pixels_of(RsvgLength length) {
    switch (length.unit) {
    case RSVG_UNIT_PX: return length.length;
    /* Counts an em as 12 points, and an ex as half of it. */
    case RSVG_UNIT_EM: return length.length * 12 * DPI / 72;
    case RSVG_UNIT_EX: return length.length * 6 * DPI / 72;
    case RSVG_UNIT_IN: return length.length * DPI;
    case RSVG_UNIT_CM: return length.length * DPI / 2.54;
    case RSVG_UNIT_MM: return length.length * DPI / 25.4;
    case RSVG_UNIT_PT: return length.length * DPI / 72;
    case RSVG_UNIT_PC: return length.length * DPI / 6;
    default: return 0;
    }
}

/* Finds the ink extents: the area of a drawing without a declared size. */
static bool find_ink(RsvgHandle *handle, RsvgRectangle *area) {
    RsvgRectangle logical;
    return rsvg_handle_get_geometry_for_layer(handle, NULL, &(RsvgRectangle){0, 0, 1, 1}, area, &logical, NULL) &&
           area->width > 0 && area->height > 0;
}

/* Finds the area of the image, whose size is the intrinsic one; false for an image without a size. */
static bool find_area(RsvgHandle *handle, RsvgRectangle *area) {
    gboolean has_width, has_height, has_box;
    RsvgLength across, down;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &across, &has_height, &down, &has_box, &box);
    /* Percentages have no pixels, and count as missing. */
    double width = has_width ? pixels_of(across) : 0, height = has_height ? pixels_of(down) : 0;
    if (has_box && box.width > 0 && box.height > 0) {
        /* One side follows from the other by the proportions of the view box. Written so that NaN counts as missing. */
        if (!(width > 0) && !(height > 0))
            width = box.width, height = box.height;
        else if (!(width > 0))
            width = height * box.width / box.height;
        else if (!(height > 0))
            height = width * box.height / box.width;
    }
    *area = (RsvgRectangle){0, 0, width, height};
    return (width > 0 && height > 0) || find_ink(handle, area);
}

/* --- Drawing, on a thread that may outlive the call: a job owns everything it needs. */

/* One drawing. Used by one thread at a time. */
typedef struct job {
    sdcs_drawing drawing; /* first, because drawing.c receives a pointer to it */
    sdsvg_text text;
    char *style; /* SDIMAGE_SVG_STYLE; NULL for none */
} job;

static void release(void *pointer) {
    job *job = pointer;
    free(job->text.bytes);
    free(job->style);
    sdcs_drawing_clear(&job->drawing);
    free(job);
}

/* Parses the text and applies the style sheet; NULL, and an error in the job, on failure. */
static RsvgHandle *read_text(job *job) {
    GError *error = NULL;
    /* Without a base URL librsvg follows only data: URLs. */
    RsvgHandle *handle = rsvg_handle_new_from_data(job->text.bytes, job->text.length, &error);
    if (!handle) {
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_BAD_DATA, "svg: librsvg cannot read the text");
        g_clear_error(&error);
        return NULL;
    }
    rsvg_handle_set_dpi(handle, DPI);
    if (job->style && !rsvg_handle_set_stylesheet(handle, (const guint8 *)job->style, strlen(job->style), &error)) {
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_INVALID_ARGUMENT, "svg: style sheet cannot be read");
        g_clear_error(&error);
        g_object_unref(handle);
        return NULL;
    }
    return handle;
}

/* The document to draw. */
typedef struct sheet {
    RsvgHandle *handle;
    RsvgRectangle area;  /* the part to draw; it begins at the origin unless its size is that of the ink */
    uint64_t max_pixels; /* limit of an image that librsvg draws on */
    uint64_t surfaces;   /* largest number of such images at once */
    bool is_too_large;   /* set by `draw`: they would take too much memory */
} sheet;

/* Limit of the memory of all images that librsvg draws on, in bytes: 256 layers of a million pixels. */
static const uint64_t MOST_SURFACE_BYTES = (uint64_t)1 << 30;

/* Draws the area, in pixels of the intrinsic size. The view begins at the origin of the document. librsvg draws groups
 * with opacity, masks and filters on images of the size of the view, which therefore reaches to the end of the area as
 * far as memory permits; such groups are cut off before the origin. */
static bool draw(void *context, cairo_t *cairo) {
    sheet *self = context;
    RsvgRectangle area = self->area, view = {-area.x, -area.y, area.width, area.height};
    double right = area.width + fmax(area.x, 0), bottom = area.height + fmax(area.y, 0), across = right, down = bottom;
    cairo_user_to_device_distance(cairo, &across, &down);
    if (across <= SDCS_DRAWING_LONGEST && down <= SDCS_DRAWING_LONGEST && across * down <= (double)self->max_pixels)
        view.width = right, view.height = bottom;
    across = view.width, down = view.height;
    cairo_user_to_device_distance(cairo, &across, &down);
    self->is_too_large =
        self->surfaces > 0 && !(across * down * 4 <= (double)MOST_SURFACE_BYTES / (double)self->surfaces);
    return !self->is_too_large && rsvg_handle_render_document(self->handle, cairo, &view, NULL);
}

/* Performs a job: the entry `work` of sdcs_drawing_kind. */
static void work(void *pointer) {
    job *job = pointer;
    sdcs_drawing *drawing = &job->drawing;
    uint64_t surfaces = 0;
    drawing->status = sdsvg_check(&job->text, drawing->request.budget, &surfaces, &drawing->error);
    /* librsvg cannot be interrupted while it reads: it does not begin for a call that was abandoned. */
    if (drawing->status >= 0)
        drawing->status = sdcs_check_budget(drawing->request.budget, &drawing->error);
    RsvgHandle *handle = drawing->status < 0 ? NULL : read_text(job);
    if (!handle)
        return;
    sheet sheet = {.handle = handle, .max_pixels = drawing->request.max_bytes / 4, .surfaces = surfaces};
    if (find_area(handle, &sheet.area)) {
        drawing->width = sheet.area.width, drawing->height = sheet.area.height;
        sdcs_drawing_draw(drawing, draw, &sheet);
        if (sheet.is_too_large) {
            sdimage_error_unref(drawing->error);
            drawing->error = NULL;
            sdcs_drawing_fail(drawing, SDIMAGE_STATUS_TOO_LARGE, "svg: layers exceed the limit of 1 GiB");
        }
    } else {
        sdcs_drawing_fail(drawing, SDIMAGE_STATUS_BAD_DATA, "svg: image has no size");
    }
    g_object_unref(handle);
}

/* --- A job. */

/* Makes a job: the entry `make` of sdcs_drawing_kind. Errors: those of sdsvg_text_of. */
static sdimage_status make(const void *bytes, size_t length, const sdimage_decode_options *options, void **made,
                           sdimage_error **error) {
    job *job = calloc(1, sizeof *job);
    if (!job)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for a decoder");
    const sdimage_options *values = sdimage_decode_options_options(options);
    const char *style = sdimage_options_string(values, SDIMAGE_SVG_STYLE, NULL);
    job->style = style ? strdup(style) : NULL;
    bool is_lost = style && !job->style;
    sdimage_status status = is_lost ? sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for a style")
                                    : sdsvg_text_of(bytes, length, &job->text, error);
    if (status < 0)
        release(job);
    else
        *made = job;
    return status;
}

/* --- The coder. */

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdsvg_is_text(bytes, length);
}

static sdcs_drawing_kind kind = {SDIMAGE_FORMAT_SVG, make, work, release};

static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = sdcs_drawing_decode,
    .render = sdcs_drawing_render,
    .describe = sdcs_drawing_describe,
    .can_decode_format = sdcs_drawing_can_decode_format,
    .detached_stack = SDCS_DRAWING_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

SDIMAGE_API sdimage_status sdimage_svg_coder_new(sdimage_coder **coder, sdimage_error **error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sdsvg_prepare);
    return sdimage_coder_new_custom("svg", &table, &kind, NULL, coder, error);
}

SDIMAGE_API const char *sdimage_svg_library_version(void) {
    return LIBRSVG_VERSION;
}
