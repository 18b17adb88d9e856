/* figures.c: the output of sdimage bench. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "cli.h"

const char *name_of_way(way way) {
    static const char *const names[] = {"info",   "decode", "thumbnail",     "frames",
                                        "memory", "disk",   "network_first", "network"};
    return names[way];
}

static const char *about_way(way way) {
    static const char *const texts[] = {"headers alone",
                                        "all pixels, of bytes in memory",
                                        "into the box, of bytes in memory",
                                        "every frame, of bytes in memory",
                                        "a load that the memory cache answers",
                                        "a load that the disk cache answers",
                                        "a load over a new connection",
                                        "loads over the connection that is open"};
    return texts[way];
}

/* The bytes that a run processes: encoded bytes for reads, pixels of the file for decodes. */
static double bytes_of(const picture *picture, way way) {
    return way == WAY_MEMORY || way == WAY_INFO ? 0 : (double)sdimage_data_length(picture->data);
}

static double pixels_of(const picture *picture, way way) {
    double pixels = (double)picture->width * picture->height;
    return way == WAY_MEMORY || way == WAY_INFO ? 0 : way == WAY_FRAMES ? pixels * picture->frame_count : pixels;
}

static double millions_per_second(double count, uint64_t ns) {
    return count / 1e6 / ((double)ns / 1e9);
}

/* --- JSON */

static void put_measures(const picture *picture) {
    struct json measures = {stdout, false};
    for (way way = 0; way < WAY_COUNT; way++) {
        const measure *measure = &picture->measures[way];
        if (!measure->runs)
            continue;
        add_json_literal(&measures, name_of_way(way),
                         "{\"runs\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"least_ns\":%" PRIu64, measure->runs,
                         measure->median_ns, measure->least_ns);
        if (bytes_of(picture, way) > 0)
            printf(",\"mb_per_s\":%.3f,\"mpx_per_s\":%.3f",
                   millions_per_second(bytes_of(picture, way), measure->median_ns),
                   millions_per_second(pixels_of(picture, way), measure->median_ns));
        putchar('}');
    }
    putchar('}');
}

static void put_picture(const picture *picture, uint32_t width, uint32_t height) {
    json object = begin_json(stdout, picture->is_remote ? "url" : "file", picture->name);
    add_json_text(&object, "format", sdimage_format_name(picture->format));
    add_json_literal(&object, "width", "%u", picture->width);
    add_json_literal(&object, "height", "%u", picture->height);
    add_json_literal(&object, "frame_count", "%u", picture->frame_count);
    add_json_literal(&object, "bytes", "%zu", sdimage_data_length(picture->data));
    add_json_literal(&object, "thumbnail_size", "[%u,%u]", width, height);
    add_json_literal(&object, "measures", "%s", "");
    put_measures(picture);
    end_json(&object);
}

static void put_threads(const scaling *scalings, size_t count, uint64_t memory_before) {
    json object = {stdout, false};
    add_json_literal(&object, "threads", "[");
    for (size_t i = 0; i < count; i++)
        printf("%s{\"threads\":%u,\"decodes_per_s\":%.3f,\"mpx_per_s\":%.3f,\"speedup\":%.3f}", i ? "," : "",
               scalings[i].threads, scalings[i].pace.runs, scalings[i].pace.amount / 1e6,
               scalings[i].pace.amount / scalings[0].pace.amount);
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

static void put_rate(double millions) {
    if (millions > 0)
        printf(" %9.1f", millions);
    else
        printf(" %9s", "-");
}

void show_picture(const picture *picture, uint32_t width, uint32_t height, bool json) {
    if (json) {
        put_picture(picture, width, height);
        return;
    }
    char name[512];
    shorten_url(picture->name, name, sizeof name);
    put_plain(stdout, name);
    printf(": %s, %ux%u, %u frame%s, %.1f kB\n", sdimage_format_name(picture->format), picture->width, picture->height,
           picture->frame_count, picture->frame_count == 1 ? "" : "s",
           (double)sdimage_data_length(picture->data) / 1e3);
    printf("  %-14s %7s %10s %10s %9s %9s\n", "", "runs", "median", "fastest", "MB/s", "Mpx/s");
    for (way way = 0; way < WAY_COUNT; way++) {
        const measure *measure = &picture->measures[way];
        if (!measure->runs)
            continue;
        printf("  %-14s %7" PRIu64, name_of_way(way), measure->runs);
        put_time(measure->median_ns);
        put_time(measure->least_ns);
        put_rate(millions_per_second(bytes_of(picture, way), measure->median_ns));
        put_rate(millions_per_second(pixels_of(picture, way), measure->median_ns));
        if (way == WAY_THUMBNAIL)
            printf("  into %ux%u, of bytes in memory\n", width, height);
        else
            printf("  %s\n", about_way(way));
    }
    fflush(stdout);
}

void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json) {
    if (json) {
        put_threads(scalings, count, memory_before);
        return;
    }
    printf("threads, each decoding all of these in turn\n  %-14s %9s %9s %9s\n", "", "pictures/s", "Mpx/s", "speed-up");
    for (size_t i = 0; i < count; i++)
        printf("  %-14u %9.1f %9.1f %9.2f\n", scalings[i].threads, scalings[i].pace.runs, scalings[i].pace.amount / 1e6,
               scalings[i].pace.amount / scalings[0].pace.amount);
    printf("peak memory %.1f MB, %.1f MB before the first picture\n", (double)peak_memory() / 1e6,
           (double)memory_before / 1e6);
    puts("Medians. All but network: after one run that is not counted, so that files, disk cache and pixel memory are "
         "warm.\n"
         "MB are those of the file; Mpx its own pixels, also where a thumbnail is made. Loads wait for other threads; "
         "beside\n"
         "the threads above, a large picture is decoded with the help of a second core where one is idle.");
}
