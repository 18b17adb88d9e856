/* tables.c: the count of samples in the boxes of an MP4 or QuickTime file (see tables.h).
 *
 * The walk over the boxes (ISO/IEC 14496-12) follows that of libavformat, including its tolerance: a box that
 * libavformat would read and this walk would skip could hide samples. Only counts are read, so that the walk needs no
 * memory. */
#include "tables.h"

#include "boxes.h"
#include "input.h"

/* Limits: samples of all tracks (38 hours of 30 frames a second, in 100 MB of entries), also of those that edits
 * repeat, and nesting of boxes. */
enum { MOST_SAMPLES = 1 << 22, MOST_DEPTH = 16 };

/* Samples of sound in an entry of libavformat, if they last one tick each. */
enum { SOUND_SAMPLES = 1024 };

/* Memory of the encryption of a sample, and of one track of a fragment, in multiples of that of a sample in a table. */
enum { ENCRYPTED_ENTRIES = 6, FRAGMENT_ENTRIES = 3 };

typedef struct tables {
    sdav_movie *movie;
    AVIOContext *io;
    uint64_t samples; /* samples of finished tracks and of fragments */
    uint64_t edited;  /* samples of finished tracks, if each of their edits shows all of them */
    uint64_t tracks;  /* finished tracks */
    /* The track that is being read. */
    uint64_t own;                           /* samples of this track, by stsz or stz2 */
    uint64_t chunks, edits;                 /* entries of stco or co64, and of elst */
    uint32_t handler, runs, first_duration; /* media type (hdlr); entries of stts and the duration in the first */
    bool is_deflated;                       /* `cmov`: the movie is compressed */
    bool has_movie;                         /* `moov` was found */
    bool searches_free;                     /* `free` may be it */
} tables;

/* Recognizes the boxes that libavformat reads as containers of boxes. */
static bool is_container(uint32_t type) {
    static const uint32_t containers[] = {
        SDCS_FOURCC('m', 'o', 'o', 'v'), SDCS_FOURCC('t', 'r', 'a', 'k'), SDCS_FOURCC('m', 'd', 'i', 'a'),
        SDCS_FOURCC('m', 'i', 'n', 'f'), SDCS_FOURCC('s', 't', 'b', 'l'), SDCS_FOURCC('m', 'o', 'o', 'f'),
        SDCS_FOURCC('t', 'r', 'a', 'f'), SDCS_FOURCC('m', 'v', 'e', 'x'), SDCS_FOURCC('e', 'd', 't', 's'),
        SDCS_FOURCC('d', 'i', 'n', 'f'), SDCS_FOURCC('u', 'd', 't', 'a'), SDCS_FOURCC('t', 'r', 'e', 'f'),
        SDCS_FOURCC('s', 'i', 'n', 'f'), SDCS_FOURCC('s', 'c', 'h', 'i'), SDCS_FOURCC('w', 'a', 'v', 'e'),
        SDCS_FOURCC('m', 'e', 't', 'a'), SDCS_FOURCC('i', 'l', 's', 't'), SDCS_FOURCC('i', 'r', 'e', 'f')};
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (containers[i] == type)
            return true;
    }
    return false;
}

/* Replaces the type of a box that libavformat reads as `moov`: `hoov`, or `free` in a file without a movie, if it
 * begins with a box of a movie. */
static uint32_t type_of(tables *self, uint32_t type) {
    if (type != SDCS_FOURCC('h', 'o', 'o', 'v') && !(type == SDCS_FOURCC('f', 'r', 'e', 'e') && self->searches_free))
        return type;
    int64_t start = avio_tell(self->io);
    avio_skip(self->io, 4);
    uint32_t first = avio_rb32(self->io);
    avio_seek(self->io, start, SEEK_SET);
    bool is_movie = first == SDCS_FOURCC('m', 'v', 'h', 'd') || first == SDCS_FOURCC('c', 'm', 'o', 'v');
    return is_movie ? SDCS_FOURCC('m', 'o', 'o', 'v') : type;
}

/* Adds the samples of a finished track. libavformat reads sound whose samples last one tick each by chunks: an entry
 * has many samples. */
static void end_track(tables *self) {
    bool by_chunks = self->handler == SDCS_FOURCC('s', 'o', 'u', 'n') && self->runs == 1 && self->first_duration == 1;
    uint64_t entries = by_chunks ? self->own / SOUND_SAMPLES : self->own;
    self->samples += entries;
    uint64_t all = by_chunks ? entries + self->chunks : entries;
    self->edited += all && self->edits > MOST_SAMPLES / all ? MOST_SAMPLES + 1 : all * self->edits;
    self->tracks++;
    self->own = self->chunks = self->edits = self->handler = self->runs = self->first_duration = 0;
}

/* Stores the media type of the track. Other handlers, as those of metadata, do not change it. */
static void read_handler(tables *self, uint32_t handler) {
    static const uint32_t kinds[] = {SDCS_FOURCC('v', 'i', 'd', 'e'), SDCS_FOURCC('s', 'o', 'u', 'n'),
                                     SDCS_FOURCC('p', 'i', 'c', 't'), SDCS_FOURCC('s', 'u', 'b', 'p'),
                                     SDCS_FOURCC('c', 'l', 'c', 'p')};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i] == handler)
            self->handler = handler;
    }
}

/* Adds fragments, for each of which libavformat makes an entry with all tracks. */
static void add_fragments(tables *self, uint64_t count) {
    self->samples += count * FRAGMENT_ENTRIES * (self->tracks + 1);
}

/* Reads the number of samples in `saiz` (ISO/IEC 14496-12, 8.7.8), after a type and its parameter if flag 1 is set. */
static uint64_t read_saiz(AVIOContext *io) {
    avio_skip(io, avio_rb32(io) & 1 ? 9 : 1);
    return avio_rb32(io);
}

/* Reads the number of fragments in `sidx` (8.16.3), after two times of 4 bytes, or of 8 from version 1 on. */
static uint64_t read_sidx(AVIOContext *io) {
    int version = avio_r8(io);
    avio_skip(io, 11 + (version ? 16 : 8) + 2);
    return avio_rb16(io);
}

/* Reads one table (ISO/IEC 14496-12, 8.4.3, 8.6.1.2, 8.6.6, 8.7.3, 8.7.5 and 8.8.8; ISO/IEC 23001-7, 7.2). */
static void read_table(tables *self, uint32_t type) {
    switch (type) {
    case SDCS_FOURCC('h', 'd', 'l', 'r'):
        /* Version and flags, and a field of 4 bytes that is 0 or the type of component in QuickTime. */
        avio_skip(self->io, 8);
        read_handler(self, avio_rb32(self->io));
        break;
    case SDCS_FOURCC('s', 't', 't', 's'):
        avio_skip(self->io, 4);
        /* The number of runs, then for each a number of samples and their duration. */
        self->runs = avio_rb32(self->io);
        avio_skip(self->io, 4);
        self->first_duration = avio_rb32(self->io);
        break;
    case SDCS_FOURCC('s', 't', 's', 'z'):
    case SDCS_FOURCC('s', 't', 'z', '2'):
        /* Version and flags, and the size of all samples or the size of the fields. The number of samples is the next
         * field in both boxes. */
        avio_skip(self->io, 8);
        self->own += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('t', 'r', 'u', 'n'):
        avio_skip(self->io, 4);
        /* The samples of a run of a fragment. */
        self->samples += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('s', 'e', 'n', 'c'):
        avio_skip(self->io, 4);
        /* With a constant initialization vector, samples take no bytes in the box. */
        self->samples += (uint64_t)avio_rb32(self->io) * ENCRYPTED_ENTRIES;
        break;
    case SDCS_FOURCC('s', 'a', 'i', 'z'): self->samples += read_saiz(self->io) * ENCRYPTED_ENTRIES; break;
    case SDCS_FOURCC('s', 'i', 'd', 'x'): add_fragments(self, read_sidx(self->io)); break;
    case SDCS_FOURCC('s', 't', 'c', 'o'):
    case SDCS_FOURCC('c', 'o', '6', '4'):
        avio_skip(self->io, 4);
        self->chunks += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('e', 'l', 's', 't'):
        avio_skip(self->io, 4);
        self->edits += avio_rb32(self->io);
        break;
    case SDCS_FOURCC('c', 'm', 'o', 'v'): self->is_deflated = true; break;
    default: break;
    }
}

/* Recognizes the tables that read_table reads. */
static bool is_table(uint32_t type) {
    return type == SDCS_FOURCC('s', 't', 's', 'z') || type == SDCS_FOURCC('s', 't', 'z', '2') ||
           type == SDCS_FOURCC('s', 't', 't', 's') || type == SDCS_FOURCC('t', 'r', 'u', 'n') ||
           type == SDCS_FOURCC('s', 't', 'c', 'o') || type == SDCS_FOURCC('c', 'o', '6', '4') ||
           type == SDCS_FOURCC('e', 'l', 's', 't') || type == SDCS_FOURCC('c', 'm', 'o', 'v') ||
           type == SDCS_FOURCC('h', 'd', 'l', 'r') || type == SDCS_FOURCC('s', 'e', 'n', 'c') ||
           type == SDCS_FOURCC('s', 'a', 'i', 'z') || type == SDCS_FOURCC('s', 'i', 'd', 'x');
}

/* Reports that the rest of a container is not read: fragments of a source; and in libavformat, tracks and media data
 * outside of their places. */
static bool ends_early(const tables *self, uint32_t parent, uint32_t type) {
    if (type == SDCS_FOURCC('m', 'o', 'o', 'f') && self->movie->source)
        return true;
    return parent && parent != SDCS_FOURCC('m', 'o', 'o', 'v') &&
           (type == SDCS_FOURCC('t', 'r', 'a', 'k') || type == SDCS_FOURCC('m', 'd', 'a', 't'));
}

/* Reports that nothing more need be read. A track is read to its end, because later boxes decide whether its samples
 * count. */
static bool is_done(const tables *self) {
    return avio_feof(self->io) || self->is_deflated || self->samples > MOST_SAMPLES;
}

/* Reads all tables up to an offset, wherever they begin.
 *
 * - In a description of samples libavformat looks for boxes behind fields that depend on the codec.
 * - In properties it looks for boxes as often as they are associated. */
static void search_tables(tables *self, uint32_t parent, int64_t end) {
    uint32_t type = 0;
    uint64_t before = self->samples;
    for (int64_t at = avio_tell(self->io); at < end && !is_done(self); at++) {
        /* The last four bytes, so that a table is found at any offset. */
        type = type << 8 | (uint32_t)avio_r8(self->io);
        if (!is_table(type))
            continue;
        read_table(self, type);
        if (avio_seek(self->io, at + 1, SEEK_SET) < 0)
            return;
    }
    /* libavformat reads a property once for each association: any sample counted here exceeds the limit. */
    if (parent == SDCS_FOURCC('i', 'p', 'r', 'p') && self->samples > before)
        self->samples = MOST_SAMPLES + 1;
}

/* Skips the fields of a container before its boxes. */
static void skip_fields(tables *self, uint32_t type, int64_t end) {
    if (type == SDCS_FOURCC('i', 'r', 'e', 'f'))
        avio_skip(self->io, 4);
    /* A full box, or not: libavformat looks for its first box. */
    while (type == SDCS_FOURCC('m', 'e', 't', 'a') && !is_done(self) && end - avio_tell(self->io) > 8)
        if (avio_rb32(self->io) == SDCS_FOURCC('h', 'd', 'l', 'r')) {
            avio_skip(self->io, -8);
            return;
        }
}

/* Reads the boxes of `parent` up to an offset; 0 for the file. */
static void read_boxes(tables *self, uint32_t parent, int64_t end, int depth) {
    while (!is_done(self)) {
        int64_t start = avio_tell(self->io), left = end - start;
        if (left < 8)
            return;
        /* Size 1: a size of 64 bits follows the type. Size 0: up to the end of the container. */
        uint32_t word = avio_rb32(self->io), type = avio_rb32(self->io);
        uint64_t size = word == 1 ? avio_rb64(self->io) : word ? word : (uint64_t)left;
        /* As in libavformat: a box that exceeds its container ends with the container. */
        int64_t next = size > (uint64_t)left ? end : start + (int64_t)size;
        /* A box that is shorter than its own header. */
        if (next < avio_tell(self->io) || ends_early(self, parent, type))
            return;
        type = type_of(self, type);
        self->has_movie |= type == SDCS_FOURCC('m', 'o', 'o', 'v');
        add_fragments(self, type == SDCS_FOURCC('m', 'o', 'o', 'f'));
        if (is_container(type) && depth < MOST_DEPTH) {
            skip_fields(self, type, next);
            read_boxes(self, type, next, depth + 1);
        } else if (type == SDCS_FOURCC('s', 't', 's', 'd') || type == SDCS_FOURCC('i', 'p', 'r', 'p')) {
            search_tables(self, type, next);
        } else {
            read_table(self, type);
        }
        /* All boxes of the track have been read. */
        if (type == SDCS_FOURCC('t', 'r', 'a', 'k'))
            end_track(self);
        if (avio_seek(self->io, next, SEEK_SET) < 0)
            return;
    }
}

/* Reads the boxes of the file. libavformat reads it again if it found no movie. */
static void read_file(tables *self) {
    if (avio_seek(self->io, 0, SEEK_SET) < 0)
        return;
    read_boxes(self, 0, (int64_t)self->movie->length, 0);
    if (self->has_movie || self->is_deflated || self->samples + self->own > MOST_SAMPLES)
        return;
    /* The second pass of libavformat accepts a movie inside `free`. */
    *self = (tables){.movie = self->movie, .io = self->io, .searches_free = true};
    if (avio_seek(self->io, 0, SEEK_SET) >= 0)
        read_boxes(self, 0, (int64_t)self->movie->length, 0);
}

sdimage_status sdav_check_tables(sdav_movie *movie, sdimage_error **error) {
    tables tables = {.movie = movie, .io = movie->io};
    if (movie->length > INT64_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: source exceeds the limit of 2^63 bytes");
    /* Other containers than ISO base media files have no such tables. */
    avio_skip(movie->io, 4);
    bool has_boxes = avio_rb32(movie->io) == SDCS_FOURCC('f', 't', 'y', 'p');
    if (has_boxes)
        read_file(&tables);
    if (tables.samples + tables.own > MOST_SAMPLES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "video: samples exceed the limit of 4194304");
    if (tables.is_deflated)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "video: compressed tables are not read");
    if (movie->source_error || sdcs_must_end(movie->deadline))
        return sdav_fail(movie, AVERROR_EXIT, "", error);
    movie->has_many_edits = tables.edited > MOST_SAMPLES;
    /* Restores the state before the walk, which reads up to the end of the file: that is no truncation. */
    avio_seek(movie->io, 0, SEEK_SET);
    movie->io->error = movie->io->eof_reached = 0;
    movie->is_truncated = false;
    return SDIMAGE_STATUS_OK;
}
