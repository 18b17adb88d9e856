/* frame.h: decoded frames to pictures. */
#ifndef SDAV_FRAME_H
#define SDAV_FRAME_H

#include "movie.h"

/* What the track says. `frames`: of the picture. */
sdmod_facts sdav_facts(const sdav_movie *movie, uint32_t frames);

/* The movie's current frame. Errors: TOO_LARGE, UNSUPPORTED, BAD_DATA, NO_MEMORY. */
sdimage_status sdav_picture(const sdav_movie *movie, uint32_t frames, sdimage_image **image, sdimage_error **error);

#endif
