/* gain_map.h: gain maps (ISO 21496-1): a small image, and the numbers that turn its samples into the ratio of an SDR
 * and an HDR rendition.
 *
 * With the sample s of a channel from 0 to 1, and the weight w of the rendition:
 *
 *   gain = 2 ^ (w * (minimum + (maximum - minimum) * s ^ (1 / gamma)))
 *   light = (base light + base offset) * gain - alternate offset
 *
 * Light is linear, with the primaries of the base image, or with those of the other rendition, whose profile or code
 * points are those of the samples, if sdimage_gain_map_is_in_base_color_space is false. For a display with a headroom
 * of H stops, w is (H - base headroom) / (alternate headroom - base headroom), limited to 0 ... 1, and negated if the
 * base headroom is the larger one.
 *
 * A decode applies the map of a file (sdimage_decode_options_set_dynamic_range), or leaves the base image with its map
 * (sdimage_decode_options_set_keep_gain_map), to which sdimage_image_apply_gain_map applies it later.
 * sdimage_image_get_gain_map returns the map in both cases. A map for a base image is attached with
 * sdimage_metadata_set_gain_map, and written with sdimage_encode_options_set_embed_gain_map.
 *
 * Class: immutable. Channels are 0 to 2 for red, green and blue; other numbers return 0. */
#ifndef SDIMAGE_GAIN_MAP_H
#define SDIMAGE_GAIN_MAP_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Creation. The caller owns *map. */

/* Creates a map from its samples, an image of GRAY8 or RGB8, and its parameters in the binary form of ISO 21496-1
 * (annex C), which APP2 segments of JPEG, `tmap` items of HEIF and `jhgm` boxes of JPEG XL contain. The samples are
 * referenced; their orientation must have been applied. Errors: INVALID_ARGUMENT (samples of another format), BAD_DATA
 * (damaged parameters, those of a later version, numbers outside of their ranges), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_gain_map_new(const sdimage_image *samples, const void *parameters, size_t length,
                                                sdimage_gain_map **map, sdimage_error **error);
/* Creates a map of Apple's format, whose headroom is given by the maker note in the EXIF block of the base image
 * (sdimage_info_exif). Errors: INVALID_ARGUMENT, BAD_DATA (no headroom in the block). */
SDIMAGE_API sdimage_status sdimage_gain_map_new_apple(const sdimage_image *samples, const void *exif, size_t length,
                                                      sdimage_gain_map **map, sdimage_error **error);
/* Computes the map from an SDR image to its HDR rendition, a linear RGBA_FLOAT image of the same size. The map has the
 * same size too, and one channel if the gains of all channels are almost equal. Errors: INVALID_ARGUMENT (sizes or
 * formats), UNSUPPORTED (no matrix describes the colors of the SDR image; no pixel is brighter than SDR white),
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_gain_map_new_between(const sdimage_image *sdr, const sdimage_image *hdr,
                                                        sdimage_gain_map **map, sdimage_error **error);

/* --- Properties. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_gain_map *sdimage_gain_map_ref(const sdimage_gain_map *map);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_gain_map_unref(sdimage_gain_map *map);
/* Returns the samples, as an image of GRAY8 or RGB8, turned as the base image is. Borrowed. */
SDIMAGE_API const sdimage_image *sdimage_gain_map_image(const sdimage_gain_map *map);
/* Returns the headroom of the base image in stops. */
SDIMAGE_API double sdimage_gain_map_base_headroom(const sdimage_gain_map *map);
/* Returns the headroom of the other rendition in stops. */
SDIMAGE_API double sdimage_gain_map_alternate_headroom(const sdimage_gain_map *map);
/* Returns the gain of the sample 0 in stops. */
SDIMAGE_API double sdimage_gain_map_minimum(const sdimage_gain_map *map, uint32_t channel);
/* Returns the gain of the sample 1 in stops. */
SDIMAGE_API double sdimage_gain_map_maximum(const sdimage_gain_map *map, uint32_t channel);
/* Returns the exponent with which the samples were encoded. */
SDIMAGE_API double sdimage_gain_map_gamma(const sdimage_gain_map *map, uint32_t channel);
/* Returns the number that is added to the light of the base image. */
SDIMAGE_API double sdimage_gain_map_base_offset(const sdimage_gain_map *map, uint32_t channel);
/* Returns the number that is subtracted from the light of the other rendition. */
SDIMAGE_API double sdimage_gain_map_alternate_offset(const sdimage_gain_map *map, uint32_t channel);
/* True if the gains apply to light with the primaries of the base image, false for those of the other rendition. */
SDIMAGE_API bool sdimage_gain_map_is_in_base_color_space(const sdimage_gain_map *map);
/* True for Apple's format, whose numbers per channel are 0: with the linear light of a sample in sRGB, the gain is
 * 1 + (2 ^ (w * alternate headroom) - 1) * light. */
SDIMAGE_API bool sdimage_gain_map_is_linear(const sdimage_gain_map *map);
/* Makes a copy of the parameters in the binary form that sdimage_gain_map_new reads. The caller owns *parameters.
 * Errors: UNSUPPORTED (Apple's format), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_gain_map_copy_parameters(const sdimage_gain_map *map, sdimage_data **parameters,
                                                            sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
