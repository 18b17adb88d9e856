#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "../common/boxes.h"

enum { SHORTEST = 11, MISSING = 100 };

/* Size of a visual sample entry before its boxes (ISO/IEC 14496-12, 12.1.3). */
enum { VISUAL_ENTRY = 78 };

/* Reads the ticks per second: `mdhd` (ISO/IEC 14496-12, 8.4.2). */
static uint32_t timescale_of(sdmod_span media) {
    sdmod_span header;
    uint32_t version, flags, timescale;
    if (!sdmod_find_box(media, SDMOD_TYPE('m', 'd', 'h', 'd'), &header) ||
        !sdmod_take_version(&header, &version, &flags) || !sdmod_skip(&header, version == 1 ? 16 : 8) ||
        !sdmod_take32(&header, &timescale))
        return 0;
    return timescale;
}

/* Reads the kind of a track: `hdlr` (8.4.3); 0 if it is missing. */
static uint32_t handler_of(sdmod_span media) {
    sdmod_span header;
    uint32_t handler;
    return sdmod_find_box(media, SDMOD_TYPE('h', 'd', 'l', 'r'), &header) && sdmod_skip(&header, 8) &&
                   sdmod_take32(&header, &handler)
               ? handler
               : 0;
}

/* Finds the next track of a movie. */
static bool next_track(sdmod_span *movie, sdmod_span *media) {
    sdmod_box box;
    while (sdmod_next_box(movie, &box))
        if (box.type == SDMOD_TYPE('t', 'r', 'a', 'k') &&
            sdmod_find_box(box.body, SDMOD_TYPE('m', 'd', 'i', 'a'), media))
            return true;
    return false;
}

/* Finds the sample table: `stbl` (8.5.1). */
static bool find_samples(sdmod_span media, sdmod_span *samples) {
    sdmod_span information;
    return sdmod_find_box(media, SDMOD_TYPE('m', 'i', 'n', 'f'), &information) &&
           sdmod_find_box(information, SDMOD_TYPE('s', 't', 'b', 'l'), samples);
}

/* Finds the runs of equal durations: `stts` (8.6.1.2). */
static bool find_runs(sdmod_span media, sdmod_span *runs) {
    sdmod_span samples;
    return find_samples(media, &samples) && sdmod_find_box(samples, SDMOD_TYPE('s', 't', 't', 's'), runs) &&
           sdmod_skip(runs, 8);
}

static uint32_t milliseconds(uint64_t ticks, uint32_t timescale) {
    uint64_t ms = (ticks * 1000 + timescale / 2) / timescale;
    return ms < SHORTEST ? MISSING : ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}

static void spread(sdmod_span runs, uint32_t timescale, uint32_t *durations, uint32_t count) {
    uint32_t length, ticks, index = 0;
    while (index < count && sdmod_take32(&runs, &length) && sdmod_take32(&runs, &ticks))
        for (; length > 0 && index < count; length--)
            durations[index++] = milliseconds(ticks, timescale);
}

uint32_t *sdavif_durations(const void *bytes, size_t length, uint32_t count) {
    uint32_t *durations = malloc(count * sizeof *durations);
    if (!durations)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        durations[i] = MISSING;
    sdmod_span file = {bytes, length}, movie, media, runs;
    if (!sdmod_find_box(file, SDMOD_TYPE('m', 'o', 'o', 'v'), &movie))
        return durations;
    while (next_track(&movie, &media)) {
        uint32_t timescale = timescale_of(media);
        if (handler_of(media) == SDMOD_TYPE('p', 'i', 'c', 't') && timescale && find_runs(media, &runs)) {
            spread(runs, timescale, durations, count);
            break;
        }
    }
    return durations;
}

/* Reports that an auxiliary track may be alpha: `auxi` in its sample entry (ISO/IEC 23008-12, 7.5.3.3) names alpha, or
 * is missing. */
static bool may_be_alpha(sdmod_span media) {
    static const char alpha[] = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";
    sdmod_span samples, entries, kind;
    sdmod_box entry;
    if (!find_samples(media, &samples) || !sdmod_find_box(samples, SDMOD_TYPE('s', 't', 's', 'd'), &entries) ||
        !sdmod_skip(&entries, 8) || !sdmod_next_box(&entries, &entry) || !sdmod_skip(&entry.body, VISUAL_ENTRY) ||
        !sdmod_find_box(entry.body, SDMOD_TYPE('a', 'u', 'x', 'i'), &kind) || !sdmod_skip(&kind, 4))
        return true;
    return kind.length >= sizeof alpha && memcmp(kind.bytes, alpha, sizeof alpha) == 0;
}

static bool is_shown(sdmod_span media) {
    switch (handler_of(media)) {
    case SDMOD_TYPE('p', 'i', 'c', 't'):
    case SDMOD_TYPE('v', 'i', 'd', 'e'): return true;
    case SDMOD_TYPE('a', 'u', 'x', 'v'): return may_be_alpha(media);
    default: return false;
    }
}

uint8_t *sdavif_without_other_tracks(const void *bytes, size_t length) {
    sdmod_span file = {bytes, length}, movie, media;
    sdmod_box box;
    uint8_t *copy = NULL;
    if (!sdmod_find_box(file, SDMOD_TYPE('m', 'o', 'o', 'v'), &movie))
        return NULL;
    for (const uint8_t *start = movie.bytes; sdmod_next_box(&movie, &box); start = movie.bytes) {
        if (box.type != SDMOD_TYPE('t', 'r', 'a', 'k') ||
            (sdmod_find_box(box.body, SDMOD_TYPE('m', 'd', 'i', 'a'), &media) && is_shown(media)))
            continue;
        if (!copy) {
            if (!(copy = malloc(length)))
                return NULL;
            memcpy(copy, bytes, length);
        }
        memcpy(copy + (start - file.bytes) + 4, "skip", 4);
    }
    return copy;
}
