/* convert.c: sdimage convert and sdimage frames: convert files without network and cache. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "files.h"
#include "image.h"
#include "json.h"
#include "url.h"

/* The arguments of the command line. */
typedef struct options {
    image_options image;
    const char *folder; /* the output of frames */
    bool json;
} options;

/* Stores an option for parse_arguments; the table of commands decides which options each command has. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    options *options = user_data;
    if (is_image_option(option) || is_rendition_option(option))
        return set_image_option(&options->image, option, value);
    if (option == OPTION_FOLDER)
        options->folder = value;
    else
        options->json = true;
    return PARSE_OK;
}

/* Decodes a file, or standard input for "-". Returns NULL after printing a line on stderr. */
static sdimage_image *read_image(const char *name, const char *path, const options *options) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    size_t length = 0;
    void *bytes = read_file(path, &length);
    if (bytes)
        sdimage_decode(bytes, length, options->image.decoding, &image, &error);
    else
        error = error_of_file(path);
    free(bytes);
    if (!image)
        report_failure(options->json, name, path, error);
    return image;
}

/* --- convert */

/* Prints the object of a written image. */
static void report_written(const char *input, const char *output, const sdimage_image *image) {
    /* When the image goes to standard output, the object goes to stderr, where the user still sees it. */
    json object = begin_json(strcmp(output, "-") ? stdout : stderr, "input", input);
    add_json_text(&object, "output", output);
    add_json_length(&object, output);
    add_json_literal(&object, "width", "%u", sdimage_image_width(image));
    add_json_literal(&object, "height", "%u", sdimage_image_height(image));
    end_json(&object);
}

/* Converts one file. Returns the exit status. */
static int convert(const command_row *command, int argc, char **argv, options *options) {
    if (!parse_arguments(command, argc, argv, set_option, options) ||
        !check_output(command, argv[optind + 1], &options->image))
        return EXIT_USAGE;
    const char *input = argv[optind], *output = argv[optind + 1];
    sdimage_image *image = read_image("input", input, options), *written = NULL;
    sdimage_error *error = NULL;
    bool is_fine = image && write_image(output, image, &options->image, &written, &error);
    if (image && !is_fine)
        report_write_failure(options->json, "input", input, output, error);
    else if (is_fine && options->json)
        report_written(input, output, written);
    sdimage_image_unref(written);
    sdimage_image_unref(image);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}

/* --- frames */

/* Writes frame `index` to a numbered file. */
static bool write_frame(const char *file, const sdimage_image *image, uint32_t index, const options *options) {
    sdimage_format format =
        options->image.format == SDIMAGE_FORMAT_UNKNOWN ? SDIMAGE_FORMAT_PNG : options->image.format;
    char path[PATH_MAX];
    sdimage_image *frame = NULL, *written = NULL;
    sdimage_error *error = NULL;
    /* Numbered from 1, with four digits or more, so that names sort in their order. */
    if (snprintf(path, sizeof path, "%s/frame-%04u.%s", options->folder, index + 1, sdimage_format_name(format)) >=
        (int)sizeof path)
        error = error_of_errno(ENAMETOOLONG);
    else if (sdimage_image_get_frame(image, index, &frame, &error) >= 0)
        write_image(path, frame, &options->image, &written, &error);
    bool is_fine = written != NULL;
    if (!is_fine)
        report_write_failure(options->json, "file", file, path, error);
    if (is_fine && options->json) {
        json object = begin_json(stdout, "file", file);
        add_json_literal(&object, "frame", "%u", index + 1);
        add_json_text(&object, "output", path);
        add_json_literal(&object, "width", "%u", sdimage_image_width(written));
        add_json_literal(&object, "height", "%u", sdimage_image_height(written));
        add_json_literal(&object, "duration_ms", "%u", sdimage_image_frame_duration_ms(image, index));
        end_json(&object);
    }
    sdimage_image_unref(written);
    sdimage_image_unref(frame);
    return is_fine;
}

/* Writes all frames of a file. Returns the exit status; the first failure ends the command. */
static int frames(const command_row *command, int argc, char **argv, options *options) {
    if (!parse_arguments(command, argc, argv, set_option, options))
        return EXIT_USAGE;
    const char *file = argv[optind];
    if (mkdir(options->folder, 0777) && errno != EEXIST) {
        report_write_failure(options->json, "file", file, options->folder, error_of_errno(errno));
        return EXIT_NO_IMAGE;
    }
    sdimage_image *image = read_image("file", file, options);
    uint32_t count = sdimage_image_frame_count(image), done = 0;
    for (; done < count && write_frame(file, image, done, options); done++)
        show_progress("%u of %u frames", done + 1, count);
    show_progress("%s", "");
    bool is_fine = image && done == count;
    if (is_fine && !options->json)
        printf("%u frame%s of %ux%u, %.3f s\n", count, count == 1 ? "" : "s", sdimage_image_width(image),
               sdimage_image_height(image), (double)sdimage_image_duration_ms(image) / 1000);
    sdimage_image_unref(image);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}

/* Calls the function of a command with initialized options, and releases them. */
static int run(const command_row *command, int argc, char **argv,
               int (*body)(const command_row *command, int argc, char **argv, options *options)) {
    options options = {.folder = NULL};
    int status = EXIT_NO_IMAGE;
    if (init_image_options(&options.image))
        status = body(command, argc, argv, &options);
    else
        complain("%s: out of memory", command->name);
    release_image_options(&options.image);
    return status;
}

int run_convert(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, convert);
}

int run_frames(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, frames);
}
