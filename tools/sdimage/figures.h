/* figures.h: the measurements of sdimage bench and their output. */
#ifndef SDIMAGE_CLI_FIGURES_H
#define SDIMAGE_CLI_FIGURES_H

#include <sdimage.h>

#include "measure.h"

/* The measured paths of a load. */
typedef enum metric {
    METRIC_INFO,   /* header only */
    METRIC_DECODE, /* full size, from memory */
    METRIC_THUMBNAIL,
    METRIC_FRAMES,        /* all frames of an animation, from memory */
    METRIC_MEMORY,        /* a load from the memory cache */
    METRIC_DISK,          /* a load from the disk cache */
    METRIC_NETWORK_FIRST, /* a load over a new connection */
    METRIC_NETWORK,       /* a load over an open connection */
    METRIC_COUNT          /* number of the paths */
} metric;

/* An image and its measurements. */
typedef struct input {
    const char *name; /* as given on the command line */
    char *url;
    bool is_remote;
    sdimage_data *data; /* the encoded bytes */
    sdimage_format format;
    uint32_t width, height, frame_count;
    measure measures[METRIC_COUNT];
} input;

/* Throughput of all images together on a number of threads. */
typedef struct scaling {
    unsigned threads;
    throughput throughput; /* decodes, and pixels */
} scaling;

/* Limit of the measured numbers of threads: 1, 2, 4 and so on, up to the number of processors. */
enum { MOST_SCALINGS = 16 };

const char *metric_name(metric metric);

/* Prints the figures of an image as a table or as a JSON object. */
void show_input(const input *input, uint32_t width, uint32_t height, bool json);

/* Prints the figures of threads and memory. */
void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json);

#endif
