/* info.c: sdimage info and sdimage doctor. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "json.h"
#include "url.h"

/* Prints the properties of a file, as text or as an object on one line. Returns false after printing a line on
 * stderr. */
static bool show_info(const char *path, bool json) {
    size_t length = 0;
    void *bytes = read_file(path, &length);
    if (!bytes) {
        report_failure(json, "file", path, error_of_file(path));
        return false;
    }
    sdimage_info *header = NULL;
    sdimage_data *info = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_info_new(bytes, length, NULL, &header, &error);
    free(bytes);
    if (status >= 0)
        status = sdimage_info_to_json(header, &info, &error);
    sdimage_info_unref(header);
    if (status < 0) {
        report_failure(json, "file", path, error);
        return false;
    }
    const char *text = sdimage_data_bytes(info);
    size_t size = sdimage_data_length(info);
    if (json && size > 1) {
        /* The library's object, with the file's name as its first member. */
        fputs("{\"file\":", stdout);
        put_json_string(stdout, path);
        printf(",%.*s\n", (int)(size - 1), text + 1);
    } else {
        put_plain(stdout, path);
        puts(":");
        put_object_as_text(stdout, text, size, 2);
    }
    sdimage_data_unref(info);
    return true;
}

/* Handles the one option of both commands. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    (void)option, (void)value;
    *(bool *)user_data = true;
    return PARSE_OK;
}

int run_info(const command_row *command, int argc, char **argv) {
    bool json = false;
    if (!parse_arguments(command, argc, argv, set_option, &json))
        return EXIT_USAGE;
    int status = EXIT_FINE;
    for (; optind < argc; optind++) {
        if (!show_info(argv[optind], json))
            status = EXIT_NO_IMAGE;
    }
    return status;
}

/* Decodes an image of one pixel in a worker process. Returns NULL, or why that fails. */
static sdimage_error *try_worker(void) {
    static const char pixel[] = "GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_isolation(options, SDIMAGE_ISOLATION_ALL);
    /* Otherwise this process would decode the image, and hide that workers do not start. */
    sdimage_set_isolation_fallback(false);
    sdimage_decode(pixel, sizeof pixel - 1, options, &image, &error);
    sdimage_decode_options_unref(options);
    sdimage_image_unref(image);
    return error;
}

int run_doctor(const command_row *command, int argc, char **argv) {
    bool json = false;
    if (!parse_arguments(command, argc, argv, set_option, &json))
        return EXIT_USAGE;
    sdimage_diagnosis *diagnosis = NULL;
    sdimage_data *report = NULL;
    sdimage_error *error = NULL, *refusal = try_worker();
    const char *worker = refusal ? sdimage_error_message(refusal) : "started";
    sdimage_status status = sdimage_diagnosis_new(&diagnosis, &error);
    if (status >= 0)
        status = sdimage_diagnosis_to_json(diagnosis, &report, &error);
    sdimage_diagnosis_unref(diagnosis);
    if (status < 0) {
        report_failure(json, "command", "doctor", error);
        sdimage_error_unref(refusal);
        return EXIT_NO_IMAGE;
    }
    const char *text = sdimage_data_bytes(report);
    size_t length = sdimage_data_length(report);
    if (json && length > 1) {
        /* The library's object, with the result as its first member. */
        fputs("{\"worker\":", stdout);
        put_json_string(stdout, worker);
        printf(",%.*s\n", (int)(length - 1), text + 1);
    } else {
        printf("worker: %s\n", worker);
        put_object_as_text(stdout, text, length, 0);
    }
    sdimage_error_unref(refusal);
    sdimage_data_unref(report);
    return EXIT_FINE;
}
