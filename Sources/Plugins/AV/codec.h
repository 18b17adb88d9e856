/* codec.h: the decoder of a movie's track, and the memory of the frames that it holds. */
#ifndef SDAV_CODEC_H
#define SDAV_CODEC_H

#include "movie.h"

/* The names of the supported decoders, separated by commas. */
extern const char sdav_codecs[];

/* Returns the decoder for a codec; NULL for none. */
const AVCodec *sdav_codec_for(enum AVCodecID id);

/* Opens movie->codec for movie->stream. Errors: TOO_LARGE, BAD_DATA, NO_MEMORY. */
sdimage_status sdav_codec_open(sdav_movie *movie, sdimage_error **error);

#endif
