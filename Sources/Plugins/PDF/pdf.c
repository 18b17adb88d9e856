/* pdf.c: the PDF coder, by poppler.
 *
 * 1. A job copies the bytes and the options: the thread that draws may outlive the call, because poppler cannot be
 *    interrupted.
 * 2. poppler opens the document from a stream, with the password if there is one, and the requested page.
 * 3. The size of the page in points is the intrinsic size.
 * 4. drawing.c makes a cairo surface of the requested size, scales to it, and converts the result to straight alpha.
 *
 * The library runs the functions of the coder on threads that it abandons at the time limit (detached_stack). */
#include <sdimage/plugins/pdf.h>

#include <poppler.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "exit_gate.h"
#include "module_path.h"
#include "pages.h"

/* Limit of the bytes of a document: untrusted input is not copied without a bound. */
static const size_t MOST_BYTES = (size_t)256 << 20;

/* --- Drawing, on a thread that may outlive the call: a job owns everything it needs. */

/* One page to draw or measure. Used by one thread at a time. */
typedef struct job {
    sdcs_drawing drawing; /* first, because drawing.c receives a pointer to it */
    uint8_t *bytes;       /* a copy of the document */
    size_t length;
    char *password; /* NULL for none */
    int64_t page;   /* counted from 0; not yet checked */
    bool is_clear;  /* the paper is transparent */
} job;

static void release(void *pointer) {
    job *job = pointer;
    free(job->bytes);
    free(job->password);
    sdcs_drawing_clear(&job->drawing);
    free(job);
}

/* Keeps a document open: poppler reads the files of its parameters for the first document, and frees them with the last
 * one. In the sandbox of a worker process they can be read only before the first image. */
static void keep_parameters(void) {
    static const char text[] = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                               "2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
    GBytes *bytes = g_bytes_new_static(text, sizeof text - 1);
    /* Its reference is never released. */
    poppler_document_new_from_bytes(bytes, NULL, NULL);
    g_bytes_unref(bytes);
}

/* Opens the document; NULL, and an error in the job, if it cannot be read. The document reads the bytes of the job,
 * which must outlive it. */
static PopplerDocument *open_document(job *job) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_parameters);
    GError *error = NULL;
    /* Read from a stream: after a wrong password poppler 22.12 reads freed memory of documents opened from bytes. */
    GInputStream *stream = g_memory_input_stream_new_from_data(job->bytes, (gssize)job->length, NULL);
    PopplerDocument *document =
        poppler_document_new_from_stream(stream, (goffset)job->length, job->password, NULL, &error);
    g_object_unref(stream);
    if (!document && g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED))
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_PERMISSION_DENIED,
                          "pdf: document is encrypted, and the password is missing or wrong");
    else if (!document)
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_BAD_DATA, "pdf: poppler cannot read the document");
    g_clear_error(&error);
    return document;
}

/* Returns the number of pages; 0 for a damaged document. */
static uint32_t count_of(PopplerDocument *document) {
    int count = poppler_document_get_n_pages(document);
    return count > 0 ? (uint32_t)count : 0;
}

/* Opens the requested page and stores its size in points in the job; NULL, and an error in the job, on failure. */
static PopplerPage *open_page(job *job, PopplerDocument *document) {
    uint32_t count = count_of(document);
    if (!count) {
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_BAD_DATA, "pdf: document has no pages");
        return NULL;
    }
    if (job->page < 0 || job->page >= count) {
        sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_INVALID_ARGUMENT, "pdf: page index is out of range");
        return NULL;
    }
    PopplerPage *page = poppler_document_get_page(document, (int)job->page);
    if (page)
        poppler_page_get_size(page, &job->drawing.width, &job->drawing.height);
    /* A page without an area cannot be drawn. */
    if (page && job->drawing.width > 0 && job->drawing.height > 0)
        return page;
    if (page)
        g_object_unref(page);
    sdcs_drawing_fail(&job->drawing, SDIMAGE_STATUS_BAD_DATA, "pdf: page cannot be read");
    return NULL;
}

/* The page to draw, and its background: clear or white. */
typedef struct sheet {
    PopplerPage *page;
    bool is_clear;
} sheet;

/* Draws the page in points on a cairo context that is scaled to the image. poppler does not report failures. */
static bool draw(void *context, cairo_t *cairo) {
    const sheet *self = context;
    if (!self->is_clear) {
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_paint(cairo);
    }
    poppler_page_render(self->page, cairo);
    return true;
}

/* Performs a job: the entry `work` of sdcs_drawing_kind. */
static void work(void *pointer) {
    job *job = pointer;
    job->drawing.status = sdcs_exit_gate_enter(&job->drawing.error);
    if (job->drawing.status < 0)
        return;
    PopplerDocument *document = open_document(job);
    PopplerPage *page = document ? open_page(job, document) : NULL;
    if (page) {
        sdcs_drawing_draw(&job->drawing, draw, &(sheet){page, job->is_clear});
        g_object_unref(page);
    }
    if (document)
        g_object_unref(document);
    sdcs_exit_gate_leave();
}

/* --- A job. */

/* Copies the options; false if memory is exhausted. */
static bool read_options(job *job, const sdimage_decode_options *options) {
    const sdimage_options *values = sdimage_decode_options_options(options);
    const char *password = sdimage_options_string(values, SDIMAGE_PDF_PASSWORD, NULL);
    job->page = sdimage_options_int64(values, SDIMAGE_PDF_PAGE, 0);
    job->is_clear = sdimage_options_is_true(values, SDIMAGE_PDF_CLEAR, false);
    job->password = password ? strdup(password) : NULL;
    bool is_lost = password && !job->password;
    return !is_lost;
}

/* Makes a job: the entry `make` of sdcs_drawing_kind. */
static sdimage_status make(const void *bytes, size_t length, const sdimage_decode_options *options, void **made,
                           sdimage_error **error) {
    if (length > MOST_BYTES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "pdf: document exceeds the limit of 256 MiB");
    job *job = calloc(1, sizeof *job);
    if (job)
        /* malloc(0) may return NULL, which would count as exhausted memory. */
        job->bytes = malloc(length ? length : 1);
    if (!job || !job->bytes) {
        free(job);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "pdf: no memory for a decoder");
    }
    memcpy(job->bytes, bytes, length);
    job->length = length;
    if (!read_options(job, options)) {
        release(job);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "pdf: no memory for a password");
    }
    *made = job;
    return SDIMAGE_STATUS_OK;
}

/* --- The coder. */

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_PDF;
}

/* Counts the pages for `describe`. */
static sdimage_status describe_pages(const void *bytes, size_t length, const sdimage_decode_options *options,
                                     sdimage_metadata *metadata, sdimage_error **error) {
    void *job = NULL;
    sdimage_status status = make(bytes, length, options, &job, error);
    if (status < 0)
        return status;
    status = sdcs_exit_gate_enter(error);
    if (status >= 0) {
        PopplerDocument *document = open_document(job);
        status = sdcs_describe_pages(SDIMAGE_FORMAT_PDF, document ? count_of(document) : 0, metadata, error);
        if (document)
            g_object_unref(document);
        sdcs_exit_gate_leave();
    }
    release(job);
    return status;
}

static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    return sdcs_counts_pages(options) ? describe_pages(bytes, length, options, metadata, error)
                                      : sdcs_drawing_describe(user_data, bytes, length, options, metadata, error);
}

static sdcs_drawing_kind kind = {SDIMAGE_FORMAT_PDF, make, work, release};

static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = sdcs_drawing_decode,
    .render = sdcs_drawing_render,
    .describe = describe,
    .can_decode_format = sdcs_drawing_can_decode_format,
    .detached_stack = SDCS_DRAWING_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

SDIMAGE_API sdimage_status sdimage_pdf_coder_new(sdimage_coder **coder, sdimage_error **error) {
    sdcs_exit_gate_open();
    return sdimage_coder_new_custom("pdf", &table, &kind, NULL, coder, error);
}

SDIMAGE_API uint32_t sdimage_pdf_page_count(const void *bytes, size_t length) {
    return sdcs_page_count(bytes, length, SDIMAGE_FORMAT_PDF);
}

SDIMAGE_API const char *sdimage_pdf_library_version(void) {
    return poppler_get_version();
}
