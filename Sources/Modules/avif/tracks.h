/* tracks.h: what the tracks of a sequence say beside what libavif reads. */
#ifndef SDAVIF_TRACKS_H
#define SDAVIF_TRACKS_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds of each frame, 100 for less than 11 as for other animations; to be freed. NULL when memory is
 * refused. libavif tells the same, but each answer of its takes time in proportion to the table. */
uint32_t *sdavif_durations(const void *bytes, size_t length, uint32_t count);

/* A copy of the bytes in which tracks that are neither pictures nor their alpha are hidden, to be freed; NULL where
 * there are none, or memory is refused. libavif before 1.0 refuses files with sound, whose track has no size, and takes
 * depth for alpha. */
uint8_t *sdavif_without_other_tracks(const void *bytes, size_t length);

#endif
