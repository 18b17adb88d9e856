/* cache.c: sdimage cache: lists and maintains a disk cache, which other processes may use meanwhile.
 *
 * Each subcommand is a function that returns false after printing a line on stderr. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "files.h"
#include "json.h"

/* The arguments of the command line, and the cache. */
typedef struct options {
    const char *command;                            /* "cache ls" */
    const char *directory, *name, *prefix, *output; /* NULL if not given; `name`: the namespace */
    uint64_t bytes;                                 /* the argument of trim */
    bool json, repair;
    char **arguments; /* arguments after the options, `count` of them */
    int count;
    sdimage_cache *cache;
} options;

/* Stores an option for parse_arguments; the table of commands decides which options a subcommand has. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    options *options = user_data;
    switch (option) {
    case OPTION_CACHE: options->directory = value; break;
    case OPTION_NAMESPACE: options->name = value; break;
    case OPTION_PREFIX: options->prefix = value; break;
    case OPTION_REPAIR: options->repair = true; break;
    case OPTION_OUTPUT: options->output = value; break;
    default: options->json = true; break;
    }
    return PARSE_OK;
}

/* Returns true, or prints a line on stderr. */
static bool fine(const options *options, sdimage_status status, sdimage_error **error) {
    if (status < 0)
        report_failure(options->json, "command", options->command, *error);
    return status >= 0;
}

/* A cache makes its folder, even one with a misspelled name, but no command of this group needs a new cache. Returns
 * true, or prints a line on stderr. */
static bool check_folder(const options *options) {
    sdimage_diagnosis *diagnosis = NULL;
    const char *directory = options->directory;
    char folder[PATH_MAX];
    if (!directory && sdimage_diagnosis_new(&diagnosis, NULL) >= 0)
        directory = sdimage_diagnosis_cache_path(diagnosis);
    snprintf(folder, sizeof folder, "%s/%s", directory ? directory : "", options->name ? options->name : "default");
    /* Without a directory, opening the cache tells why. */
    bool exists = !directory || access(folder, F_OK) == 0;
    sdimage_diagnosis_unref(diagnosis);
    if (!exists)
        report_failure(options->json, "directory", folder,
                       sdimage_error_new(SDIMAGE_STATUS_NOT_FOUND, "no cache in this folder"));
    return exists;
}

/* Opens the cache. Returns true, or prints a line on stderr. */
static bool open_cache(options *options) {
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    if (options->directory)
        sdimage_cache_config_set_directory(config, options->directory);
    if (options->name)
        sdimage_cache_config_set_namespace(config, options->name);
    /* Listing must neither refresh entries nor remove old ones: this command runs without an age limit. */
    sdimage_cache_config_set_max_disk_age(config, -1);
    sdimage_status status = sdimage_cache_new(config, &options->cache, &error);
    sdimage_cache_config_unref(config);
    return fine(options, status, &error);
}

/* --- ls */

/* Prints one entry as a line of size, last use in local time and key; or as an object. */
static void show_entry(const sdimage_cache_page *page, size_t index, bool json) {
    const char *key = sdimage_cache_page_key(page, index, NULL);
    unsigned long long bytes = sdimage_cache_page_length(page, index);
    time_t used = (time_t)(sdimage_cache_page_used_ns(page, index) / 1000000000u);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&used));
    if (!json) {
        printf("%10llu  %s  ", bytes, date);
        put_plain(stdout, key);
        putchar('\n');
        return;
    }
    struct json object = begin_json(stdout, "key", key);
    add_json_literal(&object, "bytes", "%llu", bytes);
    add_json_literal(&object, "stored_ns", "%llu", (unsigned long long)sdimage_cache_page_stored_ns(page, index));
    add_json_literal(&object, "used_ns", "%llu", (unsigned long long)sdimage_cache_page_used_ns(page, index));
    add_json_literal(&object, "is_file", sdimage_cache_page_is_file(page, index) ? "true" : "false");
    end_json(&object);
}

/* Lists the entries in pages of 500, so that memory does not grow with the cache. */
static bool run_ls(options *options) {
    sdimage_cache_query *query = sdimage_cache_query_new();
    sdimage_cache_page *page = NULL, *next = NULL;
    sdimage_error *error = NULL;
    bool is_last = false, is_fine = true;
    if (options->prefix)
        sdimage_cache_query_set_prefix(query, options->prefix, strlen(options->prefix));
    while (is_fine && !is_last) {
        /* The next page begins behind `page`; NULL requests the first. */
        is_fine = fine(options, sdimage_cache_list(options->cache, query, page, 500, &next, &error), &error);
        sdimage_cache_page_unref(page);
        page = is_fine ? next : NULL;
        for (size_t i = 0; i < sdimage_cache_page_count(page); i++)
            show_entry(page, i, options->json);
        is_last = sdimage_cache_page_is_last(page);
    }
    sdimage_cache_page_unref(page);
    sdimage_cache_query_unref(query);
    return is_fine;
}

/* --- Other commands. */

/* Bytes and entries on disk, and the folder, which the caller frees. */
static bool measure(options *options, uint64_t *bytes, uint64_t *count, sdimage_data **folder) {
    sdimage_error *error = NULL;
    return fine(options, sdimage_cache_get_disk_totals(options->cache, bytes, count, &error), &error) &&
           fine(options, sdimage_cache_get_directory(options->cache, folder, &error), &error);
}

/* Prints the current totals. */
static void show_totals(const options *options, uint64_t bytes, uint64_t count, const char *folder) {
    if (!options->json) {
        printf("%" PRIu64 " bytes in %" PRIu64 " %s: %s\n", bytes, count, count == 1 ? "entry" : "entries", folder);
        return;
    }
    json object = begin_json(stdout, "directory", folder);
    add_json_literal(&object, "bytes", "%" PRIu64, bytes);
    add_json_literal(&object, "entries", "%" PRIu64, count);
    end_json(&object);
}

/* Prints the totals of the disk cache. */
static bool run_du(options *options) {
    uint64_t bytes = 0, count = 0;
    sdimage_data *folder = NULL;
    bool is_fine = measure(options, &bytes, &count, &folder);
    if (is_fine)
        show_totals(options, bytes, count, sdimage_data_bytes(folder));
    sdimage_data_unref(folder);
    return is_fine;
}

/* Writes the stored bytes of a key to the output. */
static bool run_get_entry(options *options) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    const char *key = options->arguments[0];
    if (sdimage_cache_get_data(options->cache, key, SDIMAGE_NUL_TERMINATED, &data, &error) < 0) {
        report_failure(options->json, "key", key, error);
        return false;
    }
    bool is_written = write_bytes(options->output, sdimage_data_bytes(data), sdimage_data_length(data), &error);
    if (!is_written) {
        report_write_failure(options->json, "key", key, options->output, error);
    } else if (options->json) {
        /* When the data goes to standard output, the object goes to stderr. */
        json object = begin_json(strcmp(options->output, "-") ? stdout : stderr, "key", key);
        add_json_text(&object, "output", options->output);
        add_json_literal(&object, "bytes", "%zu", sdimage_data_length(data));
        end_json(&object);
    }
    sdimage_data_unref(data);
    return is_written;
}

/* Removes an entry; a missing one is an error, unlike in the library. */
static bool remove_entry(const options *options, const char *key, sdimage_error **error) {
    if (sdimage_cache_contains(options->cache, key, SDIMAGE_NUL_TERMINATED) & SDIMAGE_CACHE_LAYERS_DISK)
        return sdimage_cache_remove(options->cache, key, SDIMAGE_NUL_TERMINATED, SDIMAGE_CACHE_LAYERS_DISK, error) >= 0;
    *error = sdimage_error_new(SDIMAGE_STATUS_NOT_FOUND, "no such entry");
    return false;
}

/* Removes entries; a failure does not end the command. */
static bool run_rm(options *options) {
    bool is_fine = true;
    for (int i = 0; i < options->count; i++) {
        const char *key = options->arguments[i];
        sdimage_error *error = NULL;
        if (!remove_entry(options, key, &error)) {
            report_failure(options->json, "key", key, error);
            is_fine = false;
        } else if (options->json) {
            json object = begin_json(stdout, "key", key);
            add_json_literal(&object, "removed", "true");
            end_json(&object);
        }
    }
    return is_fine;
}

/* Removes entries and, for JSON, prints what is left. */
static bool shrink(options *options, sdimage_status (*act)(struct options *options, sdimage_error **error)) {
    sdimage_error *error = NULL;
    if (!fine(options, act(options, &error), &error))
        return false;
    return !options->json || run_du(options);
}

static sdimage_status clear(options *options, sdimage_error **error) {
    return sdimage_cache_clear(options->cache, SDIMAGE_CACHE_LAYERS_DISK, error);
}

static bool run_clear(options *options) {
    return shrink(options, clear);
}

static sdimage_status trim(options *options, sdimage_error **error) {
    return sdimage_cache_trim(options->cache, options->bytes, error);
}

static bool run_trim(options *options) {
    return shrink(options, trim);
}

/* Verifies the cache and prints the report. Damage that is not repaired is a failure. */
static bool run_verify(options *options) {
    sdimage_cache_verification *found = NULL;
    sdimage_data *report = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_cache_verify(options->cache, options->repair, &found, &error);
    if (status >= 0)
        status = sdimage_cache_verification_to_json(found, &report, &error);
    bool is_sound = sdimage_cache_verification_is_sound(found);
    sdimage_cache_verification_unref(found);
    if (!fine(options, status, &error))
        return false;
    const char *text = sdimage_data_bytes(report);
    int length = (int)sdimage_data_length(report);
    if (options->json)
        printf("%.*s\n", length, text);
    else
        put_object_as_text(stdout, text, (size_t)length, 0);
    sdimage_data_unref(report);
    if (!is_sound && !options->repair)
        complain("cache verify: the cache is damaged; use --repair");
    return is_sound || options->repair;
}

int run_cache(const command_row *command, int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*run)(options *options);
    } commands[] = {{"ls", run_ls},       {"du", run_du},     {"get", run_get_entry}, {"rm", run_rm},
                    {"clear", run_clear}, {"trim", run_trim}, {"verify", run_verify}};
    options options = {.command = command->name};
    /* The last word of the command: the subcommand (see run_command). */
    const char *name = argv[0];
    unsigned long long bytes = 0;
    if (!parse_arguments(command, argc, argv, set_option, &options))
        return EXIT_USAGE;
    options.arguments = argv + optind;
    options.count = argc - optind;
    if (!strcmp(name, "trim") && !parse_number(options.arguments[0], 0, UINT64_MAX, &bytes)) {
        complain("cache trim: invalid number of bytes '%s'", options.arguments[0]);
        return EXIT_USAGE;
    }
    options.bytes = bytes;
    bool is_fine = check_folder(&options) && open_cache(&options);
    for (size_t i = 0; is_fine && i < sizeof commands / sizeof *commands; i++) {
        if (!strcmp(name, commands[i].name)) {
            is_fine = commands[i].run(&options);
            break;
        }
    }
    sdimage_cache_unref(options.cache);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}
