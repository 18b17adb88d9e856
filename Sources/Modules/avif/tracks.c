/* tracks.c: the tracks of a sequence, read from `moov` and its boxes (ISO/IEC 14496-12, whose sections the comments
 * give). The functions take the body of a box. Unless stated otherwise, they return false or 0 if a box is missing or
 * ends early. */
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "boxes.h"

/* Milliseconds: shorter frames are played as MISSING, as is a frame without a duration. */
enum { SHORTEST = 11, MISSING = 100 };

/* Size of a visual sample entry before its boxes (ISO/IEC 14496-12, 12.1.3). */
enum { VISUAL_ENTRY = 78 };

/* Reads the ticks per second: `mdhd` (ISO/IEC 14496-12, 8.4.2). Two times precede it, of 8 bytes each in version 1,
 * otherwise of 4. */
static uint32_t timescale_of(sdcs_span media) {
    sdcs_span header;
    uint32_t version, flags, timescale;
    if (!sdcs_find_box(media, SDCS_FOURCC('m', 'd', 'h', 'd'), &header) ||
        !sdcs_take_version(&header, &version, &flags) || !sdcs_skip(&header, version == 1 ? 16 : 8) ||
        !sdcs_take32(&header, &timescale))
        return 0;
    return timescale;
}

/* Reads the kind of a track: `hdlr` (8.4.3); 0 if it is missing. */
static uint32_t handler_of(sdcs_span media) {
    sdcs_span header;
    uint32_t handler;
    return sdcs_find_box(media, SDCS_FOURCC('h', 'd', 'l', 'r'), &header) && sdcs_skip(&header, 8) &&
                   sdcs_take32(&header, &handler)
               ? handler
               : 0;
}

/* Finds the next track of a movie that has media (`mdia`), and takes it and all boxes before it from the span. */
static bool next_track(sdcs_span *movie, sdcs_span *media) {
    sdcs_box box;
    while (sdcs_next_box(movie, &box))
        if (box.type == SDCS_FOURCC('t', 'r', 'a', 'k') &&
            sdcs_find_box(box.body, SDCS_FOURCC('m', 'd', 'i', 'a'), media))
            return true;
    return false;
}

/* Finds the sample table: `stbl` (8.5.1). */
static bool find_samples(sdcs_span media, sdcs_span *samples) {
    sdcs_span information;
    return sdcs_find_box(media, SDCS_FOURCC('m', 'i', 'n', 'f'), &information) &&
           sdcs_find_box(information, SDCS_FOURCC('s', 't', 'b', 'l'), samples);
}

/* Finds the runs of equal durations: `stts` (8.6.1.2). Skips version, flags and the number of runs: the body ends with
 * the last run. */
static bool find_runs(sdcs_span media, sdcs_span *runs) {
    sdcs_span samples;
    return find_samples(media, &samples) && sdcs_find_box(samples, SDCS_FOURCC('s', 't', 't', 's'), runs) &&
           sdcs_skip(runs, 8);
}

/* Rounds to milliseconds. `timescale` must not be 0; `ticks` has 32 bits, so that the product does not overflow. */
static uint32_t milliseconds(uint64_t ticks, uint32_t timescale) {
    uint64_t ms = (ticks * 1000 + timescale / 2) / timescale;
    return ms < SHORTEST ? MISSING : ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}

/* Writes the duration of each frame of the runs. Frames beyond the runs keep their values; runs beyond `count` are
 * ignored. */
static void spread(sdcs_span runs, uint32_t timescale, uint32_t *durations, uint32_t count) {
    uint32_t length, ticks, index = 0;
    while (index < count && sdcs_take32(&runs, &length) && sdcs_take32(&runs, &ticks))
        for (; length > 0 && index < count; length--)
            durations[index++] = milliseconds(ticks, timescale);
}

uint32_t *sdavif_durations(const void *bytes, size_t length, uint32_t count) {
    uint32_t *durations = malloc(count * sizeof *durations);
    if (!durations)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        durations[i] = MISSING;
    sdcs_span file = {bytes, length}, movie, media, runs;
    if (!sdcs_find_box(file, SDCS_FOURCC('m', 'o', 'o', 'v'), &movie))
        return durations;
    while (next_track(&movie, &media)) {
        uint32_t timescale = timescale_of(media);
        /* Only the first track of images that has durations counts. */
        if (handler_of(media) == SDCS_FOURCC('p', 'i', 'c', 't') && timescale && find_runs(media, &runs)) {
            spread(runs, timescale, durations, count);
            break;
        }
    }
    return durations;
}

void sdavif_coded_size(const void *bytes, size_t length, uint32_t *width, uint32_t *height) {
    sdcs_span file = {bytes, length}, movie, media, samples, entries;
    sdcs_box entry;
    uint64_t across, down;
    if (!sdcs_find_box(file, SDCS_FOURCC('m', 'o', 'o', 'v'), &movie))
        return;
    while (next_track(&movie, &media)) {
        /* The size follows 24 bytes of a visual sample entry. */
        if (!find_samples(media, &samples) || !sdcs_find_box(samples, SDCS_FOURCC('s', 't', 's', 'd'), &entries) ||
            !sdcs_skip(&entries, 8) || !sdcs_next_box(&entries, &entry) || !sdcs_skip(&entry.body, 24) ||
            !sdcs_take(&entry.body, 2, &across) || !sdcs_take(&entry.body, 2, &down))
            continue;
        *width = across > *width ? (uint32_t)across : *width;
        *height = down > *height ? (uint32_t)down : *height;
    }
}

/* Reports that an auxiliary track may be alpha: `auxi` in its sample entry (ISO/IEC 23008-12, 7.5.3.3) names alpha, or
 * is missing. */
static bool may_be_alpha(sdcs_span media) {
    static const char alpha[] = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";
    sdcs_span samples, entries, kind;
    sdcs_box entry;
    if (!find_samples(media, &samples) || !sdcs_find_box(samples, SDCS_FOURCC('s', 't', 's', 'd'), &entries) ||
        !sdcs_skip(&entries, 8) || !sdcs_next_box(&entries, &entry) || !sdcs_skip(&entry.body, VISUAL_ENTRY) ||
        !sdcs_find_box(entry.body, SDCS_FOURCC('a', 'u', 'x', 'i'), &kind) || !sdcs_skip(&kind, 4))
        return true;
    return kind.length >= sizeof alpha && memcmp(kind.bytes, alpha, sizeof alpha) == 0;
}

/* Reports that a track stays visible to libavif: images, video, and alpha. */
static bool is_shown(sdcs_span media) {
    switch (handler_of(media)) {
    case SDCS_FOURCC('p', 'i', 'c', 't'):
    case SDCS_FOURCC('v', 'i', 'd', 'e'): return true;
    case SDCS_FOURCC('a', 'u', 'x', 'v'): return may_be_alpha(media);
    default: return false;
    }
}

uint8_t *sdavif_without_other_tracks(const void *bytes, size_t length) {
    sdcs_span file = {bytes, length}, movie, media;
    sdcs_box box;
    uint8_t *copy = NULL;
    if (!sdcs_find_box(file, SDCS_FOURCC('m', 'o', 'o', 'v'), &movie))
        return NULL;
    /* `start` is the beginning of the current box with its header. */
    for (const uint8_t *start = movie.bytes; sdcs_next_box(&movie, &box); start = movie.bytes) {
        if (box.type != SDCS_FOURCC('t', 'r', 'a', 'k') ||
            (sdcs_find_box(box.body, SDCS_FOURCC('m', 'd', 'i', 'a'), &media) && is_shown(media)))
            continue;
        if (!copy) {
            if (!(copy = malloc(length)))
                return NULL;
            memcpy(copy, bytes, length);
        }
        /* The type follows the size of 4 bytes. A box of type `skip` is free space (8.1.2), so that no offset in the
         * file changes. */
        memcpy(copy + (start - file.bytes) + 4, "skip", 4);
    }
    return copy;
}
