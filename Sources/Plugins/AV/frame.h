/* frame.h: conversion of decoded frames to images. */
#ifndef SDAV_FRAME_H
#define SDAV_FRAME_H

#include "movie.h"

/* Returns the image properties that the track declares. `frames`: the frame count of the image. */
sdcs_info sdav_info(const sdav_movie *movie, uint32_t frames);

/* Converts the movie's current frame to an image. Errors: TOO_LARGE, UNSUPPORTED, BAD_DATA, NO_MEMORY. */
sdimage_status sdav_make_image(const sdav_movie *movie, uint32_t frames, sdimage_image **image, sdimage_error **error);

#endif
