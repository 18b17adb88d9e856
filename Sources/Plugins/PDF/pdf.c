/* The PDF coder, by poppler. */
#include <sdimage/plugins/pdf.h>

#include <poppler.h>
#include <stdlib.h>
#include <string.h>

#include "../common/drawing.h"
#include "../common/limited.h"

/* Bytes of a document; what strangers send is not copied without end. */
static const size_t MOST_BYTES = (size_t)256 << 20;

/* --- Drawing, on a thread that may be left behind: a job owns all that it needs. */

typedef struct job {
    uint8_t *bytes;
    size_t length;
    char *password;
    int64_t page;
    bool is_clear;
    sdmod_wish wish;
    sdimage_size size; /* 0 x 0: the page's own */
    bool draws;        /* else only the size and the number of pages are told */
    uint32_t count;
    double width, height;
    sdimage_image *image;
    sdimage_status status;
    sdimage_error *error;
} job;

static void release(void *pointer) {
    job *job = pointer;
    free(job->bytes);
    free(job->password);
    sdimage_image_unref(job->image);
    sdimage_error_unref(job->error);
    free(job);
}

static PopplerDocument *open_document(job *job) {
    GError *error = NULL;
    /* From a stream: where a password is wrong, poppler 22.12 reads freed memory of what was opened from bytes. */
    GInputStream *stream = g_memory_input_stream_new_from_data(job->bytes, (gssize)job->length, NULL);
    PopplerDocument *document =
        poppler_document_new_from_stream(stream, (goffset)job->length, job->password, NULL, &error);
    g_object_unref(stream);
    if (!document && g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED))
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_PERMISSION_DENIED,
                                 "the document is encrypted, and the password is missing or wrong");
    else if (!document)
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_BAD_DATA, "poppler cannot read the document");
    g_clear_error(&error);
    return document;
}

static PopplerPage *open_page(job *job, PopplerDocument *document) {
    int count = poppler_document_get_n_pages(document);
    job->count = count > 0 ? (uint32_t)count : 0;
    if (!job->count) {
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_BAD_DATA, "a document without pages");
        return NULL;
    }
    if (job->page < 0 || job->page >= job->count) {
        job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_INVALID_ARGUMENT, "no such page");
        return NULL;
    }
    PopplerPage *page = poppler_document_get_page(document, (int)job->page);
    if (page)
        poppler_page_get_size(page, &job->width, &job->height);
    if (page && job->width > 0 && job->height > 0)
        return page;
    if (page)
        g_object_unref(page);
    job->status = sdmod_fail(&job->error, SDIMAGE_STATUS_BAD_DATA, "a page that cannot be read");
    return NULL;
}

/* What is drawn. */
typedef struct drawing {
    PopplerPage *page;
    bool is_clear;
} drawing;

static bool draw(void *context, cairo_t *cairo) {
    const drawing *self = context;
    if (!self->is_clear) {
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_paint(cairo);
    }
    poppler_page_render(self->page, cairo);
    return true;
}

static void work(void *pointer) {
    job *job = pointer;
    PopplerDocument *document = open_document(job);
    PopplerPage *page = document ? open_page(job, document) : NULL;
    drawing drawing = {page, job->is_clear};
    if (page && job->draws)
        job->status =
            sdplug_draw(&job->wish, job->size, job->width, job->height, draw, &drawing, &job->image, &job->error);
    if (page)
        g_object_unref(page);
    if (document)
        g_object_unref(document);
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
    sdmod_facts facts = sdplug_drawing_facts(SDIMAGE_FORMAT_PDF, job->width, job->height);
    sdimage_status status = collect_status(job, error);
    return status < 0 ? status : sdmod_attach(&facts, job->image, place, error);
}

static sdimage_status collect_facts(void *pointer, void *place, sdimage_error **error) {
    job *job = pointer;
    sdmod_facts facts = sdplug_drawing_facts(SDIMAGE_FORMAT_PDF, job->width, job->height);
    sdimage_status status = collect_status(job, error);
    return status < 0 ? status : sdmod_describe(&facts, place, error);
}

static sdimage_status collect_count(void *pointer, void *place, sdimage_error **error) {
    (void)error;
    *(uint32_t *)place = ((const job *)pointer)->count;
    return SDIMAGE_STATUS_OK;
}

/* False for want of memory. */
static bool read_options(job *job, const sdimage_decode_options *options) {
    sdimage_options *values = sdimage_decode_options_copy_options(options);
    const char *password = sdimage_options_get_string(values, SDIMAGE_PDF_PASSWORD, NULL);
    job->page = sdimage_options_get_int64(values, SDIMAGE_PDF_PAGE, 0);
    job->is_clear = sdimage_options_get_bool(values, SDIMAGE_PDF_CLEAR, false);
    job->password = password ? strdup(password) : NULL;
    bool is_lost = password && !job->password;
    sdimage_options_unref(values);
    return !is_lost;
}

static sdimage_status make_job(const void *bytes, size_t length, const sdimage_decode_options *options, job **made,
                               sdimage_error **error) {
    if (length > MOST_BYTES)
        return sdmod_fail(error, SDIMAGE_STATUS_TOO_LARGE, "a document of more than 256 MiB");
    job *job = calloc(1, sizeof *job);
    if (job)
        job->bytes = malloc(length ? length : 1);
    if (!job || !job->bytes) {
        free(job);
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a decoder");
    }
    memcpy(job->bytes, bytes, length);
    job->length = length;
    job->wish = sdmod_wish_of(options);
    if (!read_options(job, options)) {
        release(job);
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a password");
    }
    *made = job;
    return SDIMAGE_STATUS_OK;
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
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_PDF;
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

static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    job *job = NULL;
    sdimage_status status = make_job(bytes, length, options, &job, error);
    if (status < 0)
        return status;
    return sdplug_run(job, work, collect_facts, metadata, release, sdplug_deadline_of(options), error);
}

static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .render = render,
    .describe = describe,
};

SDIMAGE_API sdimage_status sdimage_pdf_coder_new(sdimage_coder **coder, sdimage_error **error) {
    return sdimage_coder_new_custom("pdf", &table, NULL, NULL, coder, error);
}

SDIMAGE_API uint32_t sdimage_pdf_page_count(const void *bytes, size_t length) {
    job *job = NULL;
    uint32_t count = 0;
    if (!bytes || !length || make_job(bytes, length, NULL, &job, NULL) < 0)
        return 0;
    sdplug_run(job, work, collect_count, &count, release, sdplug_deadline_of(NULL), NULL);
    return count;
}

SDIMAGE_API const char *sdimage_pdf_library_version(void) {
    return poppler_get_version();
}
