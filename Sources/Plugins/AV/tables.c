#include "tables.h"

#include "boxes.h"
#include "input.h"

/* Limits: samples of all tracks (38 hours of 30 frames a second, in 100 MB of entries), and nesting of boxes. */
enum { MOST_SAMPLES = 1 << 22, MOST_DEPTH = 16 };

typedef struct tables {
    sdav_movie *movie;
    AVIOContext *io;
    uint64_t samples; /* samples of finished tracks and of fragments */
    /* The track that is being read. */
    uint64_t own;
    uint32_t handler, runs, first_duration;
    bool is_deflated;
} tables;

/* Recognizes the boxes that libavformat reads as containers of boxes. */
static bool is_container(uint32_t type) {
    static const uint32_t containers[] = {
        SDCS_FOURCC('m', 'o', 'o', 'v'), SDCS_FOURCC('t', 'r', 'a', 'k'), SDCS_FOURCC('m', 'd', 'i', 'a'),
        SDCS_FOURCC('m', 'i', 'n', 'f'), SDCS_FOURCC('s', 't', 'b', 'l'), SDCS_FOURCC('m', 'o', 'o', 'f'),
        SDCS_FOURCC('t', 'r', 'a', 'f'), SDCS_FOURCC('m', 'v', 'e', 'x'), SDCS_FOURCC('e', 'd', 't', 's'),
        SDCS_FOURCC('d', 'i', 'n', 'f'), SDCS_FOURCC('u', 'd', 't', 'a'), SDCS_FOURCC('t', 'r', 'e', 'f'),
        SDCS_FOURCC('s', 'i', 'n', 'f'), SDCS_FOURCC('s', 'c', 'h', 'i'), SDCS_FOURCC('w', 'a', 'v', 'e')};
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (containers[i] == type)
            return true;
    }
    return false;
}

/* libavformat reads sound whose samples last one tick each by chunks: its samples take no entries. */
static void end_track(tables *self) {
    bool by_chunks = self->handler == SDCS_FOURCC('s', 'o', 'u', 'n') && self->runs == 1 && self->first_duration == 1;
    self->samples += by_chunks ? 0 : self->own;
    self->own = self->handler = self->runs = self->first_duration = 0;
}

/* Reads one table (ISO/IEC 14496-12, 8.4.3, 8.6.1.2, 8.7.3 and 8.8.8). */
static void read_table(tables *self, uint32_t type) {
    switch (type) {
    case SDCS_FOURCC('h', 'd', 'l', 'r'):
        avio_skip(self->io, 8);
        self->handler = avio_rb32(self->io);
        break;
    case SDCS_FOURCC('s', 't', 't', 's'):
        avio_skip(self->io, 4);
        self->runs = avio_rb32(self->io);
        avio_skip(self->io, 4);
        self->first_duration = avio_rb32(self->io);
        break;
    case SDCS_FOURCC('s', 't', 's', 'z'):
    case SDCS_FOURCC('s', 't', 'z', '2'):
        avio_skip(self->io, 8);
        self->own += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('t', 'r', 'u', 'n'):
        avio_skip(self->io, 4);
        self->samples += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('c', 'm', 'o', 'v'): self->is_deflated = true; break;
    default: break;
    }
}

/* Reads the boxes up to an offset. */
static void read_boxes(tables *self, int64_t end, int depth) {
    while (!avio_feof(self->io) && !self->is_deflated && self->samples + self->own <= MOST_SAMPLES) {
        int64_t start = avio_tell(self->io), left = end - start;
        if (left < 8)
            return;
        uint32_t word = avio_rb32(self->io), type = avio_rb32(self->io);
        uint64_t size = word == 1 ? avio_rb64(self->io) : word ? word : (uint64_t)left;
        /* As in libavformat: a box that exceeds its container ends with the container. */
        int64_t next = size > (uint64_t)left ? end : start + (int64_t)size;
        if (next < avio_tell(self->io) || (type == SDCS_FOURCC('m', 'o', 'o', 'f') && self->movie->source))
            return;
        if (is_container(type) && depth < MOST_DEPTH)
            read_boxes(self, next, depth + 1);
        else
            read_table(self, type);
        if (type == SDCS_FOURCC('t', 'r', 'a', 'k'))
            end_track(self);
        if (avio_seek(self->io, next, SEEK_SET) < 0)
            return;
    }
}

sdimage_status sdav_check_tables(sdav_movie *movie, sdimage_error **error) {
    tables tables = {.movie = movie, .io = movie->io};
    if (movie->length > INT64_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: source exceeds the limit of 2^63 bytes");
    avio_skip(movie->io, 4);
    bool has_boxes = avio_rb32(movie->io) == SDCS_FOURCC('f', 't', 'y', 'p');
    if (avio_seek(movie->io, 0, SEEK_SET) >= 0 && has_boxes)
        read_boxes(&tables, (int64_t)movie->length, 0);
    if (tables.samples + tables.own > MOST_SAMPLES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: samples exceed the limit of 4194304");
    if (tables.is_deflated)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "video: compressed tables are not read");
    if (movie->source_error || sdcs_must_end(movie->deadline))
        return sdav_fail(movie, AVERROR_EXIT, "", error);
    avio_seek(movie->io, 0, SEEK_SET);
    movie->io->error = movie->io->eof_reached = 0;
    movie->is_truncated = false;
    return SDIMAGE_STATUS_OK;
}
