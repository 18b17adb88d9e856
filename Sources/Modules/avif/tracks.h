/* tracks.h: track data of a sequence that libavif does not provide, or only slowly. */
#ifndef SDAVIF_TRACKS_H
#define SDAVIF_TRACKS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the milliseconds of each frame, to be freed; below 11 they become 100, as for other animations. NULL if
 * memory is exhausted. libavif reports durations too, but each call takes time proportional to the table. */
uint32_t *sdavif_durations(const void *bytes, size_t length, uint32_t count);

/* Enlarges a size to that of the coded frames of all tracks, which may be displayed smaller. */
void sdavif_coded_size(const void *bytes, size_t length, uint32_t *width, uint32_t *height);

/* Returns a copy of the bytes in which tracks other than images and their alpha are hidden, to be freed. NULL if there
 * are none, or memory is exhausted. libavif before 1.0 refuses files with sound, whose track has no size, and takes
 * depth for alpha. */
uint8_t *sdavif_without_other_tracks(const void *bytes, size_t length);

#endif
