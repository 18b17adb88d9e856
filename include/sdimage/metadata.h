/* metadata.h: properties of images: read from a header without decoding, or edited as a copy of those of an image.
 *
 *   sdimage_info *info = NULL;
 *   if (sdimage_info_new(bytes, length, NULL, &info, &error) == SDIMAGE_STATUS_OK)
 *       printf("%u x %u\n", sdimage_info_size(info).width, sdimage_info_size(info).height);
 *   sdimage_info_unref(info);
 *
 * Classes: sdimage_info immutable, sdimage_metadata single-owner. */
#ifndef SDIMAGE_METADATA_H
#define SDIMAGE_METADATA_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Header information, read without decoding a pixel. Functions as for sdimage_decode: they block, start no thread
 * and may be used in a forked child. */

/* Reads the header information of an encoded image. `options` may be NULL; its named values reach coders, for example
 * the page of a document. The caller owns *info. Errors as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_info_new(const void *bytes, size_t length, const sdimage_decode_options *options,
                                            sdimage_info **info, sdimage_error **error);
/* Reads the header information of a file, like sdimage_info_new. `path` is NUL-terminated, in the bytes of the file
 * system. Further errors: NOT_FOUND, PERMISSION_DENIED, NOT_A_FILE, IO_ERROR. */
SDIMAGE_API sdimage_status sdimage_info_new_file(const char *path, const sdimage_decode_options *options,
                                                 sdimage_info **info, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_info *sdimage_info_ref(const sdimage_info *info);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_info_unref(sdimage_info *info);

/* Returns the format. */
SDIMAGE_API sdimage_format sdimage_info_format(const sdimage_info *info);
/* Returns the size in pixels as displayed, after the orientation is applied. */
SDIMAGE_API sdimage_size sdimage_info_size(const sdimage_info *info);
/* Returns the size in pixels as stored. */
SDIMAGE_API sdimage_size sdimage_info_stored_size(const sdimage_info *info);
/* Returns the orientation of the stored pixels. */
SDIMAGE_API sdimage_orientation sdimage_info_orientation(const sdimage_info *info);
/* Returns the number of frames; 1 for a still. */
SDIMAGE_API uint32_t sdimage_info_frame_count(const sdimage_info *info);
/* Returns the loop count of an animation; 0 = infinite, and for stills. */
SDIMAGE_API uint32_t sdimage_info_loop_count(const sdimage_info *info);
/* Returns the duration of one loop in milliseconds; 0 for stills. */
SDIMAGE_API uint64_t sdimage_info_duration_ms(const sdimage_info *info);
/* Returns true if pixels may be transparent. */
SDIMAGE_API bool sdimage_info_has_alpha(const sdimage_info *info);
/* Returns the bits of each channel of the samples: 1 to 32. */
SDIMAGE_API uint32_t sdimage_info_bits_per_channel(const sdimage_info *info);
/* Returns the number of channels of the samples: 1 to 4. */
SDIMAGE_API uint32_t sdimage_info_channel_count(const sdimage_info *info);
/* Returns true for a progressive JPEG and an interlaced PNG or GIF. */
SDIMAGE_API bool sdimage_info_is_progressive(const sdimage_info *info);
/* Returns true if the samples are in PQ or HLG (ITU-R BT.2100). */
SDIMAGE_API bool sdimage_info_is_hdr(const sdimage_info *info);
/* Returns the transfer characteristics of the samples as a code point of ITU-T H.273 (table 3): 16 for PQ, 18 for HLG.
 * 0 if the file has no code points. */
SDIMAGE_API uint32_t sdimage_info_transfer_characteristics(const sdimage_info *info);
/* Returns true if the file has a gain map that the library applies (gain_map.h), and the bytes extend to it. */
SDIMAGE_API bool sdimage_info_has_gain_map(const sdimage_info *info);
/* Returns the headroom of the brightest rendition in stops: that of the gain map, if the bytes extend to it, or of PQ
 * (5.62) and HLG (2.3); 0 for SDR. */
SDIMAGE_API double sdimage_info_content_headroom(const sdimage_info *info);
/* Returns true if the file describes a color space, as a profile or in another way. */
SDIMAGE_API bool sdimage_info_has_color_profile(const sdimage_info *info);
/* Returns the horizontal resolution in pixels per inch; 0 when absent. */
SDIMAGE_API double sdimage_info_dpi_x(const sdimage_info *info);
/* Returns the vertical resolution in pixels per inch; 0 when absent. */
SDIMAGE_API double sdimage_info_dpi_y(const sdimage_info *info);

/* Returns the EXIF block: a TIFF structure, which begins with II or MM. Blocks are decompressed and complete; NULL when
 * absent, or larger than 1 MiB. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_info_exif(const sdimage_info *info);
/* Returns the XMP packet; for JPEG with its extension. NULL as above. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_info_xmp(const sdimage_info *info);
/* Returns the ICC profile. NULL as above. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_info_color_profile(const sdimage_info *info);

/* Returns the number of texts: comments, titles and others, at most 64 KiB altogether. */
SDIMAGE_API size_t sdimage_info_text_count(const sdimage_info *info);
/* Returns the name of a text, such as "Title"; a name may occur more than once. NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_info_text_name(const sdimage_info *info, size_t index);
/* Returns the value of a text in UTF-8; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_info_text_value(const sdimage_info *info, size_t index);

/* Returns all of it as a JSON object in UTF-8, whose keys are the names of the getters; "width" and "height" are those
 * of the displayed size, "dpi_x" and "dpi_y" null if the file states none, "exif_bytes", "xmp_bytes" and
 * "color_profile_bytes" the lengths of the blocks, and "text" is an object. The caller owns *json. Errors:
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_info_to_json(const sdimage_info *info, sdimage_data **json, sdimage_error **error);

/* --- Metadata: an editable copy of the properties of an image. Class: single-owner. */

/* A copy of the image's metadata. */
SDIMAGE_API sdimage_status sdimage_image_copy_metadata(const sdimage_image *image, sdimage_metadata **metadata,
                                                       sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_metadata *sdimage_metadata_ref(const sdimage_metadata *metadata);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_metadata_unref(sdimage_metadata *metadata);

/* Sets the pixels per point; values below 1 become 1. */
SDIMAGE_API void sdimage_metadata_set_scale(sdimage_metadata *metadata, double scale);
/* Returns the pixels per point, at least 1. */
SDIMAGE_API double sdimage_metadata_scale(const sdimage_metadata *metadata);

/* Sets the file format that the image came from. */
SDIMAGE_API void sdimage_metadata_set_format(sdimage_metadata *metadata, sdimage_format format);
/* Returns the file format that the image came from. */
SDIMAGE_API sdimage_format sdimage_metadata_format(const sdimage_metadata *metadata);

/* Sets the orientation that remains to be applied. */
SDIMAGE_API void sdimage_metadata_set_orientation(sdimage_metadata *metadata, sdimage_orientation orientation);
/* Returns the orientation that remains to be applied. */
SDIMAGE_API sdimage_orientation sdimage_metadata_orientation(const sdimage_metadata *metadata);

/* Sets the ICC profile of pixels that are not sRGB; NULL for none. The library converts the pixels of a custom coder
 * to sRGB and removes profile and code points, unless the decode options prevent it. */
SDIMAGE_API void sdimage_metadata_set_color_profile(sdimage_metadata *metadata, sdimage_data *profile);
/* Returns the ICC profile; NULL for none. Borrowed until it is set again or the metadata are freed. */
SDIMAGE_API const sdimage_data *sdimage_metadata_color_profile(const sdimage_metadata *metadata);

/* Sets the color space of pixels that are not sRGB as code points of ITU-T H.273: primaries, transfer
 * characteristics and matrix. They take precedence over the profile. Pixels are not converted from YCbCr, and have full
 * range unless the matrix is 0 and `full_range` is false: from 16 to 235 of 255. A code above 255 removes the code
 * points. Known transfers: 1, 4, 5, 6, 8, 13, 14, 15, and for high dynamic range 16 (PQ) and 18 (HLG). Known primaries:
 * 1, 5, 6, 7, 9, 12. All others count as unspecified: the profile applies, or sRGB. */
SDIMAGE_API void sdimage_metadata_set_cicp(sdimage_metadata *metadata, uint32_t primaries, uint32_t transfer,
                                           uint32_t matrix, bool full_range);
/* Returns true if there are code points, through pointers that may be NULL; zeros and false if there are none. */
SDIMAGE_API bool sdimage_metadata_get_cicp(const sdimage_metadata *metadata, uint32_t *primaries, uint32_t *transfer,
                                           uint32_t *matrix, bool *full_range);

/* Sets the gain map of a base image; NULL removes it. The library applies the map of an image that a custom coder
 * decodes, if the options request it; samples and pixels must have the same orientation, and the pixels must be in
 * the color space of the file. For `info` only the parameters matter, and the samples may be one pixel. Referenced. */
SDIMAGE_API void sdimage_metadata_set_gain_map(sdimage_metadata *metadata, const sdimage_gain_map *map);
/* Returns the gain map; NULL for none. Borrowed until it is set again or the metadata are freed. */
SDIMAGE_API const sdimage_gain_map *sdimage_metadata_gain_map(const sdimage_metadata *metadata);

/* Sets the EXIF block that the file has beside its pixels, for `info` of a coder: a TIFF structure with or without
 * the prefix "Exif". sdimage_info_exif then returns it. NULL removes it. Referenced, not copied. */
SDIMAGE_API void sdimage_metadata_set_exif(sdimage_metadata *metadata, sdimage_data *exif);
/* Returns the EXIF block set; NULL for none. Borrowed until it is set again or the metadata are freed. */
SDIMAGE_API const sdimage_data *sdimage_metadata_exif(const sdimage_metadata *metadata);

/* Sets the XMP packet that the file has beside its pixels, for `info` of a coder. NULL removes it. Referenced, not
 * copied. */
SDIMAGE_API void sdimage_metadata_set_xmp(sdimage_metadata *metadata, sdimage_data *xmp);
/* Returns the XMP packet set; NULL for none. Borrowed until it is set again or the metadata are freed. */
SDIMAGE_API const sdimage_data *sdimage_metadata_xmp(const sdimage_metadata *metadata);

/* Overrides the computed memory cost; SIZE_MAX restores it. */
SDIMAGE_API void sdimage_metadata_set_memory_cost(sdimage_metadata *metadata, size_t bytes);
/* Returns the memory cost set; SIZE_MAX if it is computed. */
SDIMAGE_API size_t sdimage_metadata_memory_cost(const sdimage_metadata *metadata);

/* --- Properties set by coders, for a header or for their pixels. */

/* Sets the size of the encoded image as displayed. */
SDIMAGE_API void sdimage_metadata_set_source_size(sdimage_metadata *metadata, uint32_t width, uint32_t height);
/* Returns the size of the encoded image as displayed; 0 x 0 if it is unknown. */
SDIMAGE_API sdimage_size sdimage_metadata_source_size(const sdimage_metadata *metadata);

/* Marks pixels that may be transparent. Of others, encoders drop an alpha channel, whatever its samples; transformers
 * expect the samples of opaque pixels in it. */
SDIMAGE_API void sdimage_metadata_set_has_alpha(sdimage_metadata *metadata, bool has_alpha);
/* Returns true if pixels may be transparent. */
SDIMAGE_API bool sdimage_metadata_has_alpha(const sdimage_metadata *metadata);

/* Sets the number of frames; 0 counts as 1. */
SDIMAGE_API void sdimage_metadata_set_frame_count(sdimage_metadata *metadata, uint32_t count);
/* Returns the number of frames. */
SDIMAGE_API uint32_t sdimage_metadata_frame_count(const sdimage_metadata *metadata);

/* Sets the number of loops; 0 = infinite. */
SDIMAGE_API void sdimage_metadata_set_loop_count(sdimage_metadata *metadata, uint32_t count);
/* Returns the number of loops; 0 = infinite, and for stills. */
SDIMAGE_API uint32_t sdimage_metadata_loop_count(const sdimage_metadata *metadata);

/* Sets the duration of one loop in milliseconds. */
SDIMAGE_API void sdimage_metadata_set_duration_ms(sdimage_metadata *metadata, uint64_t milliseconds);
/* Returns the duration of one loop in milliseconds; 0 for stills. */
SDIMAGE_API uint64_t sdimage_metadata_duration_ms(const sdimage_metadata *metadata);

/* Sets the bits of each channel in the file. */
SDIMAGE_API void sdimage_metadata_set_bits_per_channel(sdimage_metadata *metadata, uint32_t bits);
/* Returns the bits of each channel in the file; 0 if they are unknown. */
SDIMAGE_API uint32_t sdimage_metadata_bits_per_channel(const sdimage_metadata *metadata);

/* Sets the number of channels in the file. */
SDIMAGE_API void sdimage_metadata_set_channels(sdimage_metadata *metadata, uint32_t channels);
/* Returns the number of channels in the file; 0 if it is unknown. */
SDIMAGE_API uint32_t sdimage_metadata_channels(const sdimage_metadata *metadata);

/* Marks a file whose bytes have the image from coarse to fine. */
SDIMAGE_API void sdimage_metadata_set_progressive(sdimage_metadata *metadata, bool progressive);
/* Returns true if the bytes of the file have the image from coarse to fine. */
SDIMAGE_API bool sdimage_metadata_is_progressive(const sdimage_metadata *metadata);

/* Sets the value of the host stored with the image, referenced; NULL removes it. */
SDIMAGE_API void sdimage_metadata_set_extended_data(sdimage_metadata *metadata, sdimage_data *data);
/* Returns the value of the host stored with the image; NULL for none. Borrowed until it is set again or the metadata
 * are freed. */
SDIMAGE_API const sdimage_data *sdimage_metadata_extended_data(const sdimage_metadata *metadata);

/* --- Application. */

/* Makes an image of the same pixels with other metadata; no pixel is copied. */
SDIMAGE_API sdimage_status sdimage_image_with_metadata(const sdimage_image *image, const sdimage_metadata *metadata,
                                                       sdimage_image **copy, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
