/* info.c: sdimage info and sdimage doctor. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool show_info(const char *path, bool json) {
    size_t length = 0;
    void *bytes = read_file(path, &length);
    if (!bytes)
        return false;
    sdimage_data *info = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_info(bytes, length, &info, &error);
    free(bytes);
    if (status < 0) {
        complain_of(path, error);
        return false;
    }
    const char *text = sdimage_data_bytes(info);
    size_t size = sdimage_data_length(info);
    if (json && size > 1) {
        /* The library's object with the file's name as its first member. */
        fputs("{\"file\":", stdout);
        put_json_string(stdout, path);
        printf(",%.*s\n", (int)(size - 1), text + 1);
    } else {
        printf("%s:\n", path);
        put_object_as_text(stdout, text, size, 2);
    }
    sdimage_data_unref(info);
    return true;
}

/* Reads the one option that both commands have. False after a line on stderr. */
static bool parse_json_option(int argc, char **argv, bool *json) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option != 'j') {
            complain("%s: wrong option %s; see sdimage --help", argv[0], argv[optind - 1]);
            return false;
        }
        *json = true;
    }
    return true;
}

int run_info(int argc, char **argv) {
    bool json = false;
    if (!parse_json_option(argc, argv, &json))
        return EXIT_USAGE;
    if (optind == argc) {
        complain("info: a file is missing; see sdimage --help");
        return EXIT_USAGE;
    }
    int status = EXIT_FINE;
    for (; optind < argc; optind++) {
        if (!show_info(argv[optind], json))
            status = EXIT_NO_IMAGE;
    }
    return status;
}

int run_doctor(int argc, char **argv) {
    bool json = false;
    if (!parse_json_option(argc, argv, &json))
        return EXIT_USAGE;
    if (optind < argc) {
        complain("doctor: takes no argument; see sdimage --help");
        return EXIT_USAGE;
    }
    sdimage_data *report = NULL;
    sdimage_error *error = NULL;
    if (sdimage_doctor(&report, &error) < 0) {
        complain_of("doctor", error);
        return EXIT_NO_IMAGE;
    }
    const char *text = sdimage_data_bytes(report);
    size_t length = sdimage_data_length(report);
    if (json)
        printf("%.*s\n", (int)length, text);
    else
        put_object_as_text(stdout, text, length, 0);
    sdimage_data_unref(report);
    return EXIT_FINE;
}
