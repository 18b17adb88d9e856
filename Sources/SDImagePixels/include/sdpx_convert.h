/* sdpx_convert.h: conversion between pixel formats. */
#ifndef SDPX_CONVERT_H
#define SDPX_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Converts `pixels` pixels from one format to another. The two rows may be the same memory only if the pixel size is
   the same.
   - 16 to 8 bits is v >> 8, 8 to 16 is v * 257.
   - Gray is libjpeg's luma.
   - Alpha is dropped after dividing the color by it.
   - Between integers and float the sRGB transfer function applies. Integers are clamped and rounded to the nearest.
   An unknown format does nothing. */
void sdpx_convert_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels);

/* Converts a row of inverted CMYK (Adobe's convention: 255 is no ink) to RGB, by multiplying the inks. */
void sdpx_cmyk_to_rgb(uint8_t *to, const uint8_t *from, size_t pixels);

/* Converts luma of 16 ... 235 and chroma (blue and red differences) around 128, as in ITU-R BT.601, to RGB. One sample
   of each per pixel, rounded and clamped. */
void sdpx_video_to_rgb(uint8_t *to, const uint8_t *luma, const uint8_t *blue, const uint8_t *red, size_t pixels);

/* The first sets the alpha of RGBA8 or BGRA8 pixels to 255; the second reports that it is 255 already. */
void sdpx_make_opaque(uint8_t *row, size_t pixels);
int sdpx_is_opaque(const uint8_t *row, size_t pixels);

#endif
