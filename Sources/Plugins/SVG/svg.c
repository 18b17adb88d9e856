/* The SVG coder, by librsvg. */
#include <sdimage/plugins/svg.h>

#include <librsvg/rsvg.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../common/drawing.h"
#include "../common/limited.h"
#include "check.h"

/* Pixels an inch, as CSS has them. */
static const double DPI = 96;

/* --- The picture's own size. */

/* In pixels; 0 for what depends on where the picture is shown. */
static double pixels_of(RsvgLength length) {
    switch (length.unit) {
    case RSVG_UNIT_PX:
        return length.length;
    case RSVG_UNIT_EM:
        return length.length * 12 * DPI / 72;
    case RSVG_UNIT_EX:
        return length.length * 6 * DPI / 72;
    case RSVG_UNIT_IN:
        return length.length * DPI;
    case RSVG_UNIT_CM:
        return length.length * DPI / 2.54;
    case RSVG_UNIT_MM:
        return length.length * DPI / 25.4;
    case RSVG_UNIT_PT:
        return length.length * DPI / 72;
    case RSVG_UNIT_PC:
        return length.length * DPI / 6;
    default:
        return 0;
    }
}

/* A drawing that says nothing of its size is as large as what it draws. */
static bool find_ink(RsvgHandle *handle, double *width, double *height) {
    RsvgRectangle ink, logical;
    if (!rsvg_handle_get_geometry_for_element(handle, NULL, &ink, &logical, NULL))
        return false;
    *width = ink.width, *height = ink.height;
    return ink.width > 0 && ink.height > 0;
}

static sdimage_status size_of(RsvgHandle *handle, double *width, double *height, sdimage_error **error) {
    gboolean has_width, has_height, has_box;
    RsvgLength across, down;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &across, &has_height, &down, &has_box, &box);
    *width = has_width ? pixels_of(across) : 0;
    *height = has_height ? pixels_of(down) : 0;
    if (has_box && box.width > 0 && box.height > 0) {
        if (!(*width > 0) && !(*height > 0))
            *width = box.width, *height = box.height;
        else if (!(*width > 0))
            *width = *height * box.width / box.height;
        else if (!(*height > 0))
            *height = *width * box.height / box.width;
    }
    if ((*width > 0 && *height > 0) || find_ink(handle, width, height))
        return SDIMAGE_STATUS_OK;
    return sdmod_fail(error, SDIMAGE_STATUS_BAD_DATA, "a picture without a size");
}

/* --- Drawing, on a thread that may be left behind: a job owns all that it needs. */

typedef struct job {
    sdsvg_text text;
    char *style;
    sdmod_wish wish;
    sdimage_size size; /* 0 x 0: the picture's own */
    bool draws;        /* else only the size is told */
    double width, height;
    sdimage_image *image;
    sdimage_status status;
    sdimage_error *error;
} job;

static void release(void *pointer) {
    job *job = pointer;
    free(job->text.bytes);
    free(job->style);
    sdimage_image_unref(job->image);
    sdimage_error_unref(job->error);
    free(job);
}

static RsvgHandle *read_text(job *job) {
    GError *error = NULL;
    /* Without a base nothing but data: URLs is followed. */
    RsvgHandle *handle = rsvg_handle_new_from_data(job->text.bytes, job->text.length, &error);
    if (!handle) {
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_BAD_DATA, "librsvg cannot read the text");
        g_clear_error(&error);
        return NULL;
    }
    rsvg_handle_set_dpi(handle, DPI);
    if (job->style && !rsvg_handle_set_stylesheet(handle, (const guint8 *)job->style, strlen(job->style), &error)) {
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_INVALID_ARGUMENT, "a style sheet that cannot be read");
        g_clear_error(&error);
        g_object_unref(handle);
        return NULL;
    }
    return handle;
}

/* What is drawn, and whose size is its own. */
typedef struct drawing {
    RsvgHandle *handle;
    RsvgRectangle view;
} drawing;

static bool draw(void *context, cairo_t *cairo) {
    drawing *self = context;
    return rsvg_handle_render_document(self->handle, cairo, &self->view, NULL);
}

static void work(void *pointer) {
    job *job = pointer;
    job->status = sdsvg_check(&job->text, &job->error);
    RsvgHandle *handle = job->status < 0 ? NULL : read_text(job);
    if (!handle)
        return;
    job->status = size_of(handle, &job->width, &job->height, &job->error);
    drawing drawing = {handle, {0, 0, job->width, job->height}};
    if (job->status >= 0 && job->draws)
        job->status =
            sdplug_draw(&job->wish, job->size, job->width, job->height, draw, &drawing, &job->image, &job->error);
    g_object_unref(handle);
}

/* --- The answer. */

static sdimage_status collect_status(job *job, sdimage_error **error) {
    if (job->status < 0 && error) {
        *error = job->error;
        job->error = NULL;
    }
    return job->status;
}

static sdimage_status collect_image(void *pointer, void *place, sdimage_error **error) {
    job *job = pointer;
    sdmod_facts facts = sdplug_drawing_facts(SDIMAGE_FORMAT_SVG, job->width, job->height);
    sdimage_status status = collect_status(job, error);
    return status < 0 ? status : sdmod_attach(&facts, job->image, place, error);
}

static sdimage_status collect_facts(void *pointer, void *place, sdimage_error **error) {
    job *job = pointer;
    sdmod_facts facts = sdplug_drawing_facts(SDIMAGE_FORMAT_SVG, job->width, job->height);
    sdimage_status status = collect_status(job, error);
    return status < 0 ? status : sdmod_describe(&facts, place, error);
}

static sdimage_status make_job(const void *bytes, size_t length, const sdimage_decode_options *options, job **made,
                               sdimage_error **error) {
    job *job = calloc(1, sizeof *job);
    if (!job)
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a decoder");
    job->wish = sdmod_wish_of(options);
    sdimage_options *values = sdimage_decode_options_copy_options(options);
    const char *style = sdimage_options_get_string(values, SDIMAGE_SVG_STYLE, NULL);
    job->style = style ? strdup(style) : NULL;
    bool is_lost = style && !job->style;
    sdimage_options_unref(values);
    sdimage_status status = is_lost ? sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a style")
                                    : sdsvg_text_of(bytes, length, &job->text, error);
    if (status < 0)
        release(job);
    else
        *made = job;
    return status;
}

static sdimage_status picture(const void *bytes, size_t length, const sdimage_decode_options *options,
                              sdimage_size size, sdimage_image **image, sdimage_error **error) {
    job *job = NULL;
    sdimage_status status = make_job(bytes, length, options, &job, error);
    if (status < 0)
        return status;
    job->size = size;
    job->draws = true;
    return sdplug_run(job, work, collect_image, image, release, sdplug_deadline_of(options), error);
}

/* --- The coder. */

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdsvg_is_text(bytes, length);
}

static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             const sdimage_options *bag, sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)bag;
    return picture(bytes, length, options, (sdimage_size){0, 0}, image, error);
}

static sdimage_status render(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_size size, sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    return picture(bytes, length, options, size, image, error);
}

static sdimage_status info(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error) {
    (void)user_data;
    job *job = NULL;
    sdimage_status status = make_job(bytes, length, NULL, &job, error);
    if (status < 0)
        return status;
    return sdplug_run(job, work, collect_facts, metadata, release, sdplug_deadline_of(NULL), error);
}

static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .render = render,
    .info = info,
};

SDIMAGE_API sdimage_status sdimage_svg_coder_new(sdimage_coder **coder, sdimage_error **error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sdsvg_prepare);
    return sdimage_coder_new_custom("svg", &table, NULL, NULL, coder, error);
}

SDIMAGE_API const char *sdimage_svg_library_version(void) {
    return LIBRSVG_VERSION;
}
