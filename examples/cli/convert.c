/* convert.c: sdimage convert and sdimage frames: files to files, without network and cache. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* Decodes a file, or standard input for "-". NULL after a line on stderr. */
static sdimage_image *read_picture(const char *path, const picture_wish *wish) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_status status;
    if (strcmp(path, "-")) {
        status = sdimage_decode_file(path, wish->decoding, &image, &error);
    } else {
        size_t length = 0;
        void *bytes = read_file(path, &length);
        if (!bytes)
            return NULL;
        status = sdimage_decode(bytes, length, wish->decoding, &image, &error);
        free(bytes);
    }
    if (status < 0)
        complain_of(path, error);
    return image;
}

/* Reads the options of a command into the wish, and how the output is named. False after a line on stderr. */
static bool parse(int argc, char **argv, picture_wish *wish, const char **folder) {
    static const struct option options[] = {PICTURE_OPTIONS, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        if (option == 'o' && folder) {
            *folder = optarg;
            continue;
        }
        if (option == '?' || option == ':' || option == 'o') {
            complain("%s: wrong option %s; see sdimage --help", argv[0], argv[optind - 1]);
            return false;
        }
        if (!parse_picture_option(argv[0], option, optarg, wish))
            return false;
    }
    return true;
}

static int convert(int argc, char **argv, picture_wish *wish) {
    if (!parse(argc, argv, wish, NULL))
        return EXIT_USAGE;
    if (argc - optind != 2) {
        complain("convert: wants one input and one output; see sdimage --help");
        return EXIT_USAGE;
    }
    const char *output = argv[optind + 1];
    if (wish->format == SDIMAGE_FORMAT_UNDEFINED && strcmp(output, "-") && !pixel_file_of(output) &&
        sdimage_format_of_name(output) == SDIMAGE_FORMAT_UNDEFINED) {
        complain("convert: %s: a name that tells no format; see --format", output);
        return EXIT_USAGE;
    }
    sdimage_image *image = read_picture(argv[optind], wish);
    bool is_fine = image && write_picture(output, image, wish);
    sdimage_image_unref(image);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}

/* Frame `index` as a numbered file of its own. */
static bool write_frame(const char *folder, const sdimage_image *image, uint32_t index, const picture_wish *wish) {
    sdimage_format format = wish->format == SDIMAGE_FORMAT_UNDEFINED ? SDIMAGE_FORMAT_PNG : wish->format;
    char path[PATH_MAX];
    sdimage_image *frame = NULL;
    sdimage_error *error = NULL;
    if (snprintf(path, sizeof path, "%s/frame-%04u.%s", folder, index + 1, sdimage_format_name(format)) >=
        (int)sizeof path) {
        complain("%s: too long a name", folder);
        return false;
    }
    if (sdimage_image_copy_frame(image, index, &frame, &error) < 0) {
        complain_of(path, error);
        return false;
    }
    bool is_fine = write_picture(path, frame, wish);
    sdimage_image_unref(frame);
    return is_fine;
}

static int frames(int argc, char **argv, picture_wish *wish) {
    const char *folder = NULL;
    if (!parse(argc, argv, wish, &folder))
        return EXIT_USAGE;
    if (argc - optind != 1 || !folder) {
        complain("frames: wants a file, and a folder with -o; see sdimage --help");
        return EXIT_USAGE;
    }
    if (mkdir(folder, 0777) && errno != EEXIST) {
        complain("%s: %s", folder, strerror(errno));
        return EXIT_NO_IMAGE;
    }
    sdimage_image *image = read_picture(argv[optind], wish);
    uint32_t count = sdimage_image_frame_count(image), done = 0;
    for (; done < count && write_frame(folder, image, done, wish); done++)
        show_progress("%u of %u frames", done + 1, count);
    show_progress("%s", "");
    if (image && done == count)
        printf("%u frames of %ux%u, %.3f s\n", count, sdimage_image_width(image), sdimage_image_height(image),
               (double)sdimage_image_duration_ms(image) / 1000);
    bool is_fine = image && done == count;
    sdimage_image_unref(image);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}

static int run(int argc, char **argv, int (*command)(int argc, char **argv, picture_wish *wish)) {
    picture_wish wish = {0};
    int status = EXIT_NO_IMAGE;
    if (open_picture_wish(&wish))
        status = command(argc, argv, &wish);
    else
        complain("%s: out of memory", argv[0]);
    close_picture_wish(&wish);
    return status;
}

int run_convert(int argc, char **argv) { return run(argc, argv, convert); }

int run_frames(int argc, char **argv) { return run(argc, argv, frames); }
