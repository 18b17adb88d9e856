/* input.c: the callbacks through which libtiff reads bytes or a source, and the translation of its errors (see
 * input.h).
 *
 * They run on the thread of the coder's call. */
#include "input.h"

#include <stdio.h>
#include <string.h>

/* Bytes that libtiff may allocate at once, and in total if its version counts them. */
static const tmsize_t MOST_AT_ONCE = (tmsize_t)256 << 20;

/* Limit of the bytes that libtiff reads for one directory. It keeps a copy of the value of every tag, also of unknown
 * ones, and thousands of tags may have the same bytes of the file as their value. */
static const uint64_t MOST_DIRECTORY_BYTES = (uint64_t)256 << 20;

/* --- Callbacks of libtiff. */

/* Reads `count` bytes at the current offset, which the caller has checked; fewer after an error of the source. */
static size_t read_bytes(sdtiff_input *input, void *buffer, size_t count) {
    if (input->bytes) {
        memcpy(buffer, input->bytes + input->at, count);
        return count;
    }
    size_t done = 0, got = 0;
    while (done < count && !input->source_error &&
           sdimage_source_read(input->source, input->at + done, (uint8_t *)buffer + done, count - done, &got,
                               &input->source_error) >= 0 &&
           got)
        done += got;
    return done;
}

/* Callback of libtiff: returns the number of bytes read. */
static tmsize_t read_input(thandle_t handle, void *buffer, tmsize_t size) {
    sdtiff_input *input = handle;
    /* The end of the data and not an error, which is -1: libtiff 4.5 adds the result to a length before it checks it,
     * and then clears memory from one byte before its buffer. sdtiff_fail reports the reason. */
    if (sdcs_must_end(input->deadline))
        return 0;
    uint64_t left = input->at < input->length ? input->length - input->at : 0;
    size_t wanted = size < 0 ? 0 : (size_t)size;
    if (wanted > left)
        input->is_truncated = true;
    size_t count = wanted < left ? wanted : (size_t)left;
    if (count > input->allowance)
        input->is_exhausted = true;
    if (input->is_exhausted)
        return 0;
    count = count ? read_bytes(input, buffer, count) : 0;
    input->at += count;
    input->allowance -= count;
    return (tmsize_t)count;
}

/* Callback of libtiff, which it requires but does not call for reading. */
static tmsize_t write_nothing(thandle_t handle, void *buffer, tmsize_t size) {
    (void)handle, (void)buffer, (void)size;
    return -1;
}

/* Callback of libtiff: moves the current offset and returns it; -1 beyond the end. */
static toff_t seek_input(thandle_t handle, toff_t offset, int whence) {
    sdtiff_input *input = handle;
    uint64_t from = whence == SEEK_CUR ? input->at : whence == SEEK_END ? input->length : 0;
    if (offset > UINT64_MAX - from || from + offset > input->length) {
        input->is_truncated = true;
        return (toff_t)-1;
    }
    input->at = from + offset;
    return input->at;
}

/* Callback of libtiff. The input belongs to the caller. */
static int close_input(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of_input(thandle_t handle) {
    return ((const sdtiff_input *)handle)->length;
}

/* Callback of libtiff: keeps the first error message, which names the cause. 1: libtiff prints nothing. */
static int note(TIFF *file, void *user_data, const char *module, const char *format, va_list arguments) {
    (void)file, (void)module;
    sdtiff_input *input = user_data;
    if (!*input->message)
        vsnprintf(input->message, sizeof input->message, format, arguments);
    return 1;
}

/* Callback of libtiff: counts warnings, which fax.c compares. */
static int count_warning(TIFF *file, void *user_data, const char *module, const char *format, va_list arguments) {
    (void)file, (void)module, (void)format, (void)arguments;
    ((sdtiff_input *)user_data)->warnings++;
    return 1;
}

/* --- Opening. */

/* Ends the limit of a directory: strips and tiles have limits of their own. */
static sdimage_status end_directory(sdtiff_input *input, sdimage_error **error) {
    input->allowance = UINT64_MAX;
    /* libtiff ignores most tags that it could not read. */
    return input->is_exhausted ? sdtiff_fail(input, SDIMAGE_STATUS_BAD_DATA, "", error) : SDIMAGE_STATUS_OK;
}

/* Opens the file with limits of memory; libtiff reads the first directory. */
static sdimage_status open_input(sdtiff_input *input, sdimage_error **error) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for a decoder");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, MOST_AT_ONCE);
#if TIFFLIB_VERSION >= 20240911
    TIFFOpenOptionsSetMaxCumulatedMemAlloc(options, 2 * MOST_AT_ONCE);
#endif
    TIFFOpenOptionsSetErrorHandlerExtR(options, note, input);
    TIFFOpenOptionsSetWarningHandlerExtR(options, count_warning, input);
    /* m: disables memory mapping; every read goes through the functions above. */
    input->allowance = MOST_DIRECTORY_BYTES;
    input->file = TIFFClientOpenExt("picture", "rm", input, read_input, write_nothing, seek_input, close_input,
                                    size_of_input, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return input->file ? end_directory(input, error)
                       : sdtiff_fail(input, SDIMAGE_STATUS_BAD_DATA, "tiff: directory cannot be read", error);
}

sdimage_status sdtiff_turn_to(sdtiff_input *input, uint32_t page, sdimage_error **error) {
    input->allowance = MOST_DIRECTORY_BYTES;
    bool is_found = TIFFSetDirectory(input->file, (tdir_t)page);
    sdimage_status status = end_directory(input, error);
    if (status < 0 || is_found)
        return status;
    /* A page that cannot be read is not a page that does not exist. */
    if (input->source_error)
        return sdtiff_fail(input, SDIMAGE_STATUS_BAD_DATA, "tiff: page index is out of range", error);
    return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "tiff: page index is out of range");
}

sdimage_status sdtiff_open_bytes(sdtiff_input *input, const void *bytes, size_t length, sdcs_deadline deadline,
                                 sdimage_error **error) {
    *input = (sdtiff_input){.bytes = bytes, .length = length, .deadline = deadline};
    return open_input(input, error);
}

sdimage_status sdtiff_open_source(sdtiff_input *input, const sdimage_source *source, sdcs_deadline deadline,
                                  sdimage_error **error) {
    *input = (sdtiff_input){.source = source, .length = sdimage_source_size(source), .deadline = deadline};
    return open_input(input, error);
}

void sdtiff_close(sdtiff_input *input) {
    if (input->file)
        TIFFClose(input->file);
    sdimage_error_unref(input->source_error);
    *input = (sdtiff_input){0};
}

sdimage_status sdtiff_fail(sdtiff_input *input, sdimage_status status, const char *otherwise, sdimage_error **error) {
    if (input->source_error) {
        if (error)
            *error = sdimage_error_ref(input->source_error);
        return sdimage_error_code(input->source_error);
    }
    /* The deadline, and the end of the data, cause errors of libtiff: the cause is reported. */
    sdimage_status over = sdcs_check_deadline(input->deadline, error);
    if (over < 0)
        return over;
    if (input->is_exhausted)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "tiff: directory exceeds the limit of 256 MiB");
    if (input->is_truncated)
        return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "tiff: data ends early");
    return sdcs_fail(error, status, *input->message ? input->message : otherwise);
}
