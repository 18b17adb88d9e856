/* figures.c: the output of sdimage bench. */
#include "figures.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "measure.h"
#include "messages.h"
#include "url.h"

/* The names are those of the rows and of the JSON members, in the order of `metric`. */
const char *metric_name(metric metric) {
    static const char *const names[] = {"info",   "decode", "thumbnail",     "frames",
                                        "memory", "disk",   "network_first", "network"};
    return names[metric];
}

/* Returns the text at the end of a row. show_input replaces the text of the thumbnail by its size. */
static const char *metric_description(metric metric) {
    static const char *const texts[] = {"header only",
                                        "full size, data in memory",
                                        "thumbnail, data in memory",
                                        "all frames, data in memory",
                                        "load from the memory cache",
                                        "load from the disk cache",
                                        "load over a new connection",
                                        "load over an open connection"};
    return texts[metric];
}

/* The bytes that a run processes: encoded bytes for reads, pixels of the file for decodes. */
static double bytes_of(const input *input, metric metric) {
    return metric == METRIC_MEMORY || metric == METRIC_INFO ? 0 : (double)sdimage_data_length(input->data);
}

/* Returns the pixels that a run processes; 0 for runs that decode none. Thumbnails count as the full image. */
static double pixels_of(const input *input, metric metric) {
    double pixels = (double)input->width * input->height;
    return metric == METRIC_MEMORY || metric == METRIC_INFO ? 0
           : metric == METRIC_FRAMES                        ? pixels * input->frame_count
                                                            : pixels;
}

/* Returns a rate in millions, as MB/s or Mpx/s. `ns` is at least 1. */
static double millions_per_second(double count, uint64_t ns) {
    return count / 1e6 / ((double)ns / 1e9);
}

/* --- JSON */

/* Prints the member "measures", an object with a member for each path. */
static void put_measures(const input *input) {
    struct json measures = {stdout, false};
    for (metric metric = 0; metric < METRIC_COUNT; metric++) {
        const measure *measure = &input->measures[metric];
        /* Not measured: this path does not apply to the image. */
        if (!measure->runs)
            continue;
        add_json_literal(&measures, metric_name(metric),
                         "{\"runs\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"least_ns\":%" PRIu64, measure->runs,
                         measure->median_ns, measure->least_ns);
        if (bytes_of(input, metric) > 0)
            printf(",\"mb_per_s\":%.3f,\"mpx_per_s\":%.3f",
                   millions_per_second(bytes_of(input, metric), measure->median_ns),
                   millions_per_second(pixels_of(input, metric), measure->median_ns));
        putchar('}');
    }
    putchar('}');
}

/* Prints the object of an image. */
static void put_input(const input *input, uint32_t width, uint32_t height) {
    json object = begin_json(stdout, input->is_remote ? "url" : "file", input->name);
    add_json_text(&object, "format", sdimage_format_name(input->format));
    add_json_literal(&object, "width", "%u", input->width);
    add_json_literal(&object, "height", "%u", input->height);
    add_json_literal(&object, "frame_count", "%u", input->frame_count);
    add_json_literal(&object, "bytes", "%zu", sdimage_data_length(input->data));
    add_json_literal(&object, "thumbnail_size", "[%u,%u]", width, height);
    add_json_literal(&object, "measures", "%s", "");
    put_measures(input);
    end_json(&object);
}

/* Prints the object of threads and memory. A speed-up of 1 is that of one thread. */
static void put_threads(const scaling *scalings, size_t count, uint64_t memory_before) {
    json object = {stdout, false};
    add_json_literal(&object, "threads", "[");
    for (size_t i = 0; i < count; i++)
        printf("%s{\"threads\":%u,\"decodes_per_s\":%.3f,\"mpx_per_s\":%.3f,\"speedup\":%.3f}", i ? "," : "",
               scalings[i].threads, scalings[i].throughput.runs, scalings[i].throughput.amount / 1e6,
               scalings[i].throughput.amount / scalings[0].throughput.amount);
    putchar(']');
    add_json_literal(&object, "peak_rss_bytes", "%" PRIu64, peak_memory());
    add_json_literal(&object, "rss_before_bytes", "%" PRIu64, memory_before);
    end_json(&object);
}

/* --- Tables */

/* Prints a time such as "12.3 us" in ten columns. */
static void put_time(uint64_t ns) {
    double value = (double)ns;
    if (value < 1e3)
        printf(" %7.0f ns", value);
    else if (value < 1e6)
        printf(" %7.1f us", value / 1e3);
    else
        printf(" %7.1f ms", value / 1e6);
}

/* Prints a rate in ten columns, "-" for none. */
static void put_rate(double millions) {
    if (millions > 0)
        printf(" %9.1f", millions);
    else
        printf(" %9s", "-");
}

void show_input(const input *input, uint32_t width, uint32_t height, bool json) {
    if (json) {
        put_input(input, width, height);
        return;
    }
    char name[512];
    shorten_url(input->name, name, sizeof name);
    put_plain(stdout, name);
    printf(": %s, %ux%u, %u frame%s, %.1f kB\n", sdimage_format_name(input->format), input->width, input->height,
           input->frame_count, input->frame_count == 1 ? "" : "s", (double)sdimage_data_length(input->data) / 1e3);
    printf("  %-14s %7s %10s %10s %9s %9s\n", "", "runs", "median", "fastest", "MB/s", "Mpx/s");
    for (metric metric = 0; metric < METRIC_COUNT; metric++) {
        const measure *measure = &input->measures[metric];
        if (!measure->runs)
            continue;
        printf("  %-14s %7" PRIu64, metric_name(metric), measure->runs);
        put_time(measure->median_ns);
        put_time(measure->least_ns);
        put_rate(millions_per_second(bytes_of(input, metric), measure->median_ns));
        put_rate(millions_per_second(pixels_of(input, metric), measure->median_ns));
        if (metric == METRIC_THUMBNAIL)
            printf("  %ux%u, data in memory\n", width, height);
        else
            printf("  %s\n", metric_description(metric));
    }
    fflush(stdout);
}

void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json) {
    if (json) {
        put_threads(scalings, count, memory_before);
        return;
    }
    printf("Threads, each decoding all images in turn\n  %-14s %9s %9s %9s\n", "", "images/s", "Mpx/s", "speed-up");
    for (size_t i = 0; i < count; i++)
        printf("  %-14u %9.1f %9.1f %9.2f\n", scalings[i].threads, scalings[i].throughput.runs,
               scalings[i].throughput.amount / 1e6, scalings[i].throughput.amount / scalings[0].throughput.amount);
    printf("Peak memory: %.1f MB; %.1f MB before the first image\n", (double)peak_memory() / 1e6,
           (double)memory_before / 1e6);
    puts("Times are medians. All except network exclude a first run, so that files, disk cache and memory are warm.\n"
         "MB counts the encoded data and Mpx the pixels of the full-size image, for thumbnails too. A large image is\n"
         "decoded on a second core if one is idle, in addition to the threads above.");
}
