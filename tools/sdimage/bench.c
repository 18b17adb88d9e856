/* bench.c: sdimage bench: measures how long the user's own images take on this machine, for every path of a load.
 *
 * 1. Each image is read or fetched, then measured path by path: header, decode, thumbnail, frames, disk, memory.
 * 2. The manager is closed, so that its threads do not compete with the next measurement.
 * 3. All images are decoded on 1, 2, 4 and more threads.
 *
 * The cache is a temporary folder, which close_manager removes. measure.c repeats the runs, figures.c prints the
 * results. */
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "files.h"
#include "image.h"
#include "json.h"
#include "measure.h"
#include "url.h"

/* The arguments of the command line, and the state of the measurement. */
typedef struct bench {
    bool json;
    double seconds;                            /* measuring time for each image */
    uint32_t width, height;                    /* size of the thumbnail */
    sdimage_decode_options *thumbnail, *still; /* the first frame: small, and at full size */
    char folder[PATH_MAX];                     /* temporary cache folder; "" if none was made */
    sdimage_cache *cache;
    sdimage_manager *manager;
    input *inputs, *current; /* `count` measured images, and the one being measured */
    unsigned count;
    sdimage_error *error; /* error of the last run */
} bench;

/* Stores an option for parse_arguments. The measuring time is at most ten minutes for each image. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    bench *bench = user_data;
    char *end = NULL;
    switch (option) {
    case OPTION_SECONDS:
        bench->seconds = strtod(value, &end);
        return end != value && !*end && bench->seconds > 0 && bench->seconds <= 600 ? PARSE_OK : PARSE_INVALID;
    case OPTION_SIZE: return parse_size(value, &bench->width, &bench->height) ? PARSE_OK : PARSE_INVALID;
    default: bench->json = true; return PARSE_OK;
    }
}

/* --- One run of each measurement. */

/* Each returns false if a run fails, with bench->error unless a load came from another source. `subject`: the bench. */
static bool run_headers(void *subject) {
    bench *bench = subject;
    sdimage_info *info = NULL;
    sdimage_data *data = bench->current->data;
    sdimage_status status =
        sdimage_info_new(sdimage_data_bytes(data), sdimage_data_length(data), NULL, &info, &bench->error);
    sdimage_info_unref(info);
    return status >= 0;
}

/* Decodes the current image from memory, with all of its frames if required. */
static bool decode(bench *bench, const sdimage_decode_options *options, bool all_frames) {
    sdimage_image *image = NULL, *frame = NULL;
    sdimage_data *data = bench->current->data;
    bool is_fine =
        sdimage_decode(sdimage_data_bytes(data), sdimage_data_length(data), options, &image, &bench->error) >= 0;
    for (uint32_t i = 0; is_fine && all_frames && i < sdimage_image_frame_count(image); i++) {
        is_fine = sdimage_image_get_frame(image, i, &frame, &bench->error) >= 0;
        sdimage_image_unref(frame);
        frame = NULL;
    }
    sdimage_image_unref(image);
    return is_fine;
}

/* Decodes the first frame at full size. */
static bool run_decode(void *subject) {
    return decode(subject, ((bench *)subject)->still, false);
}

/* Decodes the first frame at the size of the thumbnail. */
static bool run_thumbnail(void *subject) {
    return decode(subject, ((bench *)subject)->thumbnail, false);
}

/* Decodes an animation frame by frame, at full size. */
static bool run_all_frames(void *subject) {
    return decode(subject, NULL, true);
}

/* A run must not change what the next one finds. */
static const sdimage_cache_policy NO_STORE =
    SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE | SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE;

/* Runs a load that must come from `source`; `skipped` has the bits of the stores that it skips. Unless `data` is NULL,
 * *data receives a reference to its bytes. */
static bool load(bench *bench, sdimage_image_source source, sdimage_cache_policy skipped, sdimage_data **data) {
    sdimage_request *request = sdimage_request_new(bench->current->url);
    sdimage_result *result = NULL;
    bool is_cached = source == SDIMAGE_IMAGE_SOURCE_MEMORY || source == SDIMAGE_IMAGE_SOURCE_DISK;
    /* Only the measured source may deliver the image. */
    sdimage_request_set_source_policy(request,
                                      is_cached ? SDIMAGE_SOURCE_POLICY_CACHE_ONLY : SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
    sdimage_request_set_cache_policy(request, source == SDIMAGE_IMAGE_SOURCE_MEMORY
                                                  ? skipped | SDIMAGE_CACHE_POLICY_SKIP_DISK_READ
                                                  : skipped | SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ);
    sdimage_request_set_include_data(request, data != NULL);
    bool is_fine = sdimage_manager_load_sync(bench->manager, request, &result, &bench->error) >= 0 &&
                   sdimage_result_image(result) && sdimage_result_source(result) == source;
    if (is_fine && data && sdimage_result_data(result))
        *data = sdimage_data_ref(sdimage_result_data(result));
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    return is_fine;
}

/* Loads the image from the memory cache. The two functions below load it from their sources in the same way. */
static bool run_memory(void *subject) {
    return load(subject, SDIMAGE_IMAGE_SOURCE_MEMORY, NO_STORE, NULL);
}

static bool run_disk(void *subject) {
    return load(subject, SDIMAGE_IMAGE_SOURCE_DISK, NO_STORE, NULL);
}

static bool run_network(void *subject) {
    return load(subject, SDIMAGE_IMAGE_SOURCE_NETWORK, NO_STORE, NULL);
}

/* Decodes an image on one of several threads. Returns its pixels, which measure_threads adds up; 0 means a failure. */
static uint64_t run_thread(void *subject, unsigned thread, unsigned round) {
    const bench *bench = subject;
    /* Threads begin with different images, so that they rarely decode the same one at once. */
    const input *input = &bench->inputs[(thread + round) % bench->count];
    sdimage_image *image = NULL;
    sdimage_decode(sdimage_data_bytes(input->data), sdimage_data_length(input->data), bench->still, &image, NULL);
    uint64_t pixels = (uint64_t)sdimage_image_width(image) * sdimage_image_height(image);
    sdimage_image_unref(image);
    return pixels;
}

/* --- One image. */

/* Measures one path for a fifth of the time, but with at least `least` and at most `most` runs. Transfers are not
 * warmed up. */
static bool measure_metric(bench *bench, metric metric, bool (*run)(void *subject), uint32_t least, uint32_t most) {
    measure_plan plan = {bench->seconds / 5, least, most, metric != METRIC_NETWORK_FIRST && metric != METRIC_NETWORK};
    show_progress("%s: %s", bench->current->name, metric_name(metric));
    return measure_runs(run, bench, &plan, &bench->current->measures[metric]);
}

/* The first transfer opens the connection. Its bytes are the input of all other measurements. */
static bool fetch(bench *bench) {
    input *input = bench->current;
    uint64_t start = now_ns();
    if (!load(bench, SDIMAGE_IMAGE_SOURCE_NETWORK, NO_STORE, &input->data) || !input->data)
        return false;
    uint64_t elapsed = now_ns() - start;
    input->measures[METRIC_NETWORK_FIRST] = (measure){1, elapsed, elapsed};
    /* The server may be shared with others: at most five runs. */
    return measure_metric(bench, METRIC_NETWORK, run_network, 1, 5);
}

/* Reads a local file; false, and bench->error, if that fails. */
static bool read_bytes(bench *bench) {
    input *input = bench->current;
    size_t length = 0;
    void *bytes = read_file(input->name, &length);
    if (!bytes)
        bench->error = error_of_errno(errno);
    else
        sdimage_data_new(bytes, length, &input->data, &bench->error);
    free(bytes);
    return input->data != NULL;
}

/* Reads the image's properties. */
static bool read_properties(bench *bench) {
    input *input = bench->current;
    sdimage_image *image = NULL;
    if (sdimage_decode(sdimage_data_bytes(input->data), sdimage_data_length(input->data), NULL, &image, &bench->error) <
        0)
        return false;
    input->format = sdimage_image_format(image);
    input->width = sdimage_image_width(image);
    input->height = sdimage_image_height(image);
    input->frame_count = sdimage_image_frame_count(image);
    sdimage_image_unref(image);
    return true;
}

/* Takes all measurements of the current image, in an order in which each one prepares the next. */
static bool measure_input(bench *bench) {
    input *input = bench->current;
    input->is_remote = !strncmp(input->name, "http:", 5) || !strncmp(input->name, "https:", 6);
    if (is_url(input->name) && !input->is_remote) {
        bench->error = sdimage_error_new(SDIMAGE_STATUS_UNSUPPORTED, "expected a file or an http or https URL");
        return false;
    }
    input->url = input->is_remote ? strdup(input->name) : url_of_file(input->name);
    if (!input->url) {
        bench->error = error_of_errno(errno);
        return false;
    }
    if (!(input->is_remote ? fetch(bench) : read_bytes(bench)))
        return false;
    sdimage_data *data = input->data;
    /* Stores the bytes before the disk is measured. The load after it puts the image into the memory cache, which is
     * measured last. */
    return read_properties(bench) && measure_metric(bench, METRIC_INFO, run_headers, 3, 2000) &&
           measure_metric(bench, METRIC_DECODE, run_decode, 3, 2000) &&
           measure_metric(bench, METRIC_THUMBNAIL, run_thumbnail, 3, 2000) &&
           (input->frame_count < 2 || measure_metric(bench, METRIC_FRAMES, run_all_frames, 1, 2000)) &&
           sdimage_cache_store_data(bench->cache, input->url, strlen(input->url), data, &bench->error) >= 0 &&
           measure_metric(bench, METRIC_DISK, run_disk, 3, 2000) &&
           load(bench, SDIMAGE_IMAGE_SOURCE_DISK, SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE, NULL) &&
           measure_metric(bench, METRIC_MEMORY, run_memory, 3, 2000);
}

/* --- All images. */

/* Callback of nftw, which visits the contents of a folder before the folder. */
static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *position) {
    (void)status, (void)kind, (void)position;
    return remove(path);
}

/* Makes the temporary cache folder, a manager with its cache, and the options of the decodes. */
static bool open_bench(bench *bench, sdimage_error **error) {
    const char *temporary = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%s/sdimage-bench-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(bench->folder)) {
        /* close_manager must not remove a folder that was not made. */
        *bench->folder = '\0';
        *error = error_of_errno(errno);
        return false;
    }
    sdimage_cache_config *cache = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_cache_config_set_directory(cache, bench->folder);
    bool is_fine = sdimage_cache_new(cache, &bench->cache, error) >= 0;
    sdimage_manager_config_set_cache(config, bench->cache);
    is_fine = is_fine && sdimage_manager_new(config, &bench->manager, error) >= 0;
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(cache);
    bench->thumbnail = sdimage_decode_options_new();
    bench->still = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(bench->thumbnail, bench->width, bench->height,
                                              SDIMAGE_SCALE_MODE_ASPECT_FIT);
    /* The other frames of an animation have a measurement of their own. */
    sdimage_decode_options_set_first_frame_only(bench->thumbnail, true);
    sdimage_decode_options_set_first_frame_only(bench->still, true);
    return is_fine;
}

/* Stops the worker threads of loads, so that the measured threads run alone. */
static void close_manager(bench *bench) {
    if (bench->manager)
        sdimage_manager_close(bench->manager, 1000, NULL);
    sdimage_manager_unref(bench->manager);
    bench->manager = NULL;
    sdimage_cache_unref(bench->cache);
    bench->cache = NULL;
    if (*bench->folder)
        /* FTW_PHYS: links are removed, not followed. */
        nftw(bench->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Releases the images and options; the manager is closed before. */
static void close_bench(bench *bench) {
    for (unsigned i = 0; i < bench->count; i++) {
        free(bench->inputs[i].url);
        sdimage_data_unref(bench->inputs[i].data);
    }
    free(bench->inputs);
    sdimage_decode_options_unref(bench->thumbnail);
    sdimage_decode_options_unref(bench->still);
}

/* Measures 1, 2, 4 and so on threads, up to the number of processors. */
static void measure_scaling(bench *bench, uint64_t memory_before) {
    scaling scalings[MOST_SCALINGS];
    size_t count = 0;
    unsigned most = processor_count(), threads = 1;
    do {
        scaling *scaling = &scalings[count];
        show_progress("%u threads", threads);
        scaling->threads = threads;
        /* A failure ends the series; the rows before it are shown. */
        if (!measure_threads(run_thread, bench, threads, bench->seconds / 2, &scaling->throughput))
            break;
        count++;
        /* The last step is the number of processors, even if it is no power of two. */
        threads = threads < most && threads * 2 > most ? most : threads * 2;
    } while (threads <= most && count < MOST_SCALINGS);
    show_progress("%s", "");
    show_threads(scalings, count, memory_before, bench->json);
}

/* Measures all images and returns the number of failures. Only images that could be measured remain in `inputs`. */
static unsigned measure_all(bench *bench, char **names, unsigned count) {
    unsigned failed = 0;
    for (unsigned i = 0; i < count; i++) {
        input *input = bench->current = &bench->inputs[bench->count];
        *input = (struct input){.name = names[i]};
        bool is_fine = measure_input(bench);
        show_progress("%s", "");
        if (is_fine) {
            show_input(input, bench->width, bench->height, bench->json);
            bench->count++;
            continue;
        }
        /* The next image takes this place in the array. */
        failed++;
        /* A load without an error can come from another source than the measured one. */
        if (!bench->error)
            bench->error = sdimage_error_new(SDIMAGE_STATUS_NOT_FOUND, "the cache did not store the image");
        report_failure(bench->json, is_url(names[i]) ? "url" : "file", names[i], bench->error);
        bench->error = NULL;
        free(input->url);
        sdimage_data_unref(input->data);
    }
    return failed;
}

int run_bench(const command_row *command, int argc, char **argv) {
    bench bench = {.seconds = 1, .width = 256, .height = 256};
    sdimage_error *error = NULL;
    if (!parse_arguments(command, argc, argv, set_option, &bench))
        return EXIT_USAGE;
    unsigned count = (unsigned)(argc - optind), failed = count;
    /* Before the first image. */
    uint64_t memory_before = peak_memory();
    bench.inputs = calloc(count, sizeof *bench.inputs);
    if (bench.inputs && open_bench(&bench, &error))
        failed = measure_all(&bench, argv + optind, count);
    else
        report_failure(bench.json, "command", "bench", error);
    close_manager(&bench);
    if (bench.count)
        measure_scaling(&bench, memory_before);
    close_bench(&bench);
    return failed ? EXIT_NO_IMAGE : EXIT_FINE;
}
