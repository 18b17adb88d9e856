/* bench.h: the measurements of sdimage bench and their output. */
#ifndef SDIMAGE_CLI_BENCH_H
#define SDIMAGE_CLI_BENCH_H

#include <sdimage.h>

#include "measure.h"

/* The measured paths of a load. */
typedef enum way {
    WAY_INFO,
    WAY_DECODE,
    WAY_THUMBNAIL,
    WAY_FRAMES,
    WAY_MEMORY,
    WAY_DISK,
    WAY_NETWORK_FIRST,
    WAY_NETWORK,
    WAY_COUNT
} way;

typedef struct picture {
    const char *name; /* as given on the command line */
    char *url;
    bool is_remote;
    sdimage_data *data;
    sdimage_format format;
    uint32_t width, height, frame_count;
    measure measures[WAY_COUNT];
} picture;

/* Throughput of all images together on a number of threads. */
typedef struct scaling {
    unsigned threads;
    pace pace; /* decodes, and pixels */
} scaling;

enum { MOST_SCALINGS = 16 };

const char *name_of_way(way way);

/* Prints the figures of an image as a table or as a JSON object. */
void show_picture(const picture *picture, uint32_t width, uint32_t height, bool json);

/* Prints the figures of threads and memory. */
void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json);

#endif
