/* track.h: the frames of one track of a movie. */
#ifndef SDAV_TRACK_H
#define SDAV_TRACK_H

#include "movie.h"

/* Reads the container. The caller closes the movie, also after a failure. Decoding frames also requires sdav_codec_open
 * (codec.h). Errors: BAD_DATA, TRUNCATED, TOO_LARGE (its tables), UNSUPPORTED (no track that can be decoded), TIMEOUT,
 * NO_MEMORY, those of the source. */
sdimage_status sdav_open(sdav_movie *movie, const void *bytes, const sdimage_source *source, uint64_t length,
                         const sdcs_request *request, sdcs_deadline deadline, sdimage_error **error);
void sdav_close(sdav_movie *movie);

/* Finds the times of all frames by reading the track without decoding it; after a failure none are known. TOO_LARGE:
 * more than 10000. */
sdimage_status sdav_count(sdav_movie *movie, sdimage_error **error);

/* The time that a frame is shown, in milliseconds. Requires sdav_count. */
uint32_t sdav_duration_ms(const sdav_movie *movie, uint32_t index);
/* The duration of the whole movie, from its header or the counted frames. */
uint64_t sdav_total_ms(const sdav_movie *movie);

/* Decode frame `index` (requires sdav_count) and the frame at a time, both into `frame`. Errors as above. */
sdimage_status sdav_decode_index(sdav_movie *movie, uint32_t index, sdimage_error **error);
sdimage_status sdav_decode_time(sdav_movie *movie, int64_t milliseconds, sdimage_error **error);

#endif
