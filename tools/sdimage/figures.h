/* figures.h: the measurements of sdimage bench and their output. */
#ifndef SDIMAGE_CLI_FIGURES_H
#define SDIMAGE_CLI_FIGURES_H

#include <sdimage.h>

#include "measure.h"

/* The measured paths of a load. */
typedef enum metric {
    METRIC_INFO,
    METRIC_DECODE,
    METRIC_THUMBNAIL,
    METRIC_FRAMES,
    METRIC_MEMORY,
    METRIC_DISK,
    METRIC_NETWORK_FIRST,
    METRIC_NETWORK,
    METRIC_COUNT
} metric;

typedef struct input {
    const char *name; /* as given on the command line */
    char *url;
    bool is_remote;
    sdimage_data *data;
    sdimage_format format;
    uint32_t width, height, frame_count;
    measure measures[METRIC_COUNT];
} input;

/* Throughput of all images together on a number of threads. */
typedef struct scaling {
    unsigned threads;
    throughput throughput; /* decodes, and pixels */
} scaling;

enum { MOST_SCALINGS = 16 };

const char *metric_name(metric metric);

/* Prints the figures of an image as a table or as a JSON object. */
void show_input(const input *input, uint32_t width, uint32_t height, bool json);

/* Prints the figures of threads and memory. */
void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json);

#endif
