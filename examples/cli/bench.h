/* bench.h: what sdimage bench measures, and how it is told. */
#ifndef SDIMAGE_CLI_BENCH_H
#define SDIMAGE_CLI_BENCH_H

#include <sdimage.h>

#include "measure.h"

/* The ways that are measured. */
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
    const char *name; /* as it was given */
    char *url;
    bool is_remote;
    sdimage_data *data;
    sdimage_format format;
    uint32_t width, height, frame_count;
    measure measures[WAY_COUNT];
} picture;

/* What all pictures together do on so many threads. */
typedef struct scaling {
    unsigned threads;
    pace pace; /* decodes, and pixels */
} scaling;

enum { MOST_SCALINGS = 16 };

const char *name_of_way(way way);

/* A picture's figures as a table, or as an object. */
void show_picture(const picture *picture, uint32_t width, uint32_t height, bool json);

/* Those of the threads, and of the memory. */
void show_threads(const scaling *scalings, size_t count, uint64_t memory_before, bool json);

#endif
