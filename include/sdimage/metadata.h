/* metadata.h: properties of images: read from a header without decoding, or edited as a copy of those of an image.
 *
 * Class: sdimage_metadata single-owner. */
#ifndef SDIMAGE_METADATA_H
#define SDIMAGE_METADATA_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the header and returns a JSON object in UTF-8: "format", "width", "height" (as displayed), "stored_width",
 * "stored_height", "orientation", "frame_count", "loop_count", "duration_ms", "has_alpha", "bits_per_channel",
 * "channels", "is_progressive", "has_color_profile", "is_hdr" (PQ or HLG), "dpi_x" and "dpi_y" (null when absent),
 * "exif_bytes", "xmp_bytes", "color_profile_bytes" (0 when absent), and "text": an object with the comments, titles and
 * other texts of the file, at most 64 KiB. No pixel is decoded. Errors as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_info(const void *bytes, size_t length, sdimage_data **json, sdimage_error **error);

/* Kinds of metadata blocks that a file may contain. */
typedef enum SDIMAGE_ENUM sdimage_metadata_kind {
    SDIMAGE_METADATA_KIND_NONE = 0, /* no block */
    SDIMAGE_METADATA_KIND_EXIF = 1, /* a TIFF structure: begins with II or MM */
    SDIMAGE_METADATA_KIND_XMP = 2,  /* an XML packet; for JPEG with its extension */
    SDIMAGE_METADATA_KIND_ICC = 3   /* a colour profile */
} sdimage_metadata_kind;

/* Reads one metadata block of an image, decompressed and complete; a block of more than 1 MiB counts as absent. The
 * caller owns *data. For a coder of the host, its `info` supplies the blocks. Errors: NOT_FOUND when the image has no
 * such block, otherwise as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_read_metadata(const void *bytes, size_t length, sdimage_metadata_kind kind,
                                                 sdimage_data **data, sdimage_error **error);

/* --- Metadata: an editable copy of the properties of an image. Class: single-owner. */

/* A copy of the image's metadata. */
SDIMAGE_API sdimage_status sdimage_image_copy_metadata(const sdimage_image *image, sdimage_metadata **metadata,
                                                       sdimage_error **error);
SDIMAGE_API sdimage_metadata *sdimage_metadata_ref(sdimage_metadata *metadata);
SDIMAGE_API void sdimage_metadata_unref(sdimage_metadata *metadata);

/* Pixels per point; values below 1 become 1. */
SDIMAGE_API void sdimage_metadata_set_scale(sdimage_metadata *metadata, double scale);
/* File format that the image came from. */
SDIMAGE_API void sdimage_metadata_set_format(sdimage_metadata *metadata, sdimage_format format);
/* Orientation that remains to be applied. */
SDIMAGE_API void sdimage_metadata_set_orientation(sdimage_metadata *metadata, sdimage_orientation orientation);
/* Sets the colour space of pixels that are not sRGB: an ICC profile, NULL for none; and code points of ITU-T H.273 for
 * primaries, transfer characteristics and matrix. The matrix has no effect on pixels that are RGB already. A code above
 * 255 removes the code points. Known transfers: 1, 4, 5, 6, 8, 13, 14, 15, and for high dynamic range 16 (PQ) and 18
 * (HLG). Known primaries: 1, 5, 6, 7, 9, 12. All others count as sRGB. The library converts the pixels of a custom
 * coder to sRGB and removes both, unless the decode options prevent it. */
SDIMAGE_API void sdimage_metadata_set_color_profile(sdimage_metadata *metadata, sdimage_data *profile);
SDIMAGE_API void sdimage_metadata_set_cicp(sdimage_metadata *metadata, uint32_t primaries, uint32_t transfer,
                                           uint32_t matrix, bool full_range);
/* Sets blocks that the file has beside its pixels, for `info` of a coder: a TIFF structure with or without the prefix
 * "Exif", and an XMP packet. sdimage_read_metadata then finds them. NULL removes them. Referenced, not copied. */
SDIMAGE_API void sdimage_metadata_set_exif(sdimage_metadata *metadata, sdimage_data *exif);
SDIMAGE_API void sdimage_metadata_set_xmp(sdimage_metadata *metadata, sdimage_data *xmp);
/* Overrides the computed memory cost; SIZE_MAX restores it. */
SDIMAGE_API void sdimage_metadata_set_memory_cost(sdimage_metadata *metadata, size_t bytes);
/* Properties set by coders, for a header or for their pixels. The size is that of the encoded image as displayed; bits
 * and channels are those of its samples. */
SDIMAGE_API void sdimage_metadata_set_source_size(sdimage_metadata *metadata, uint32_t width, uint32_t height);
SDIMAGE_API void sdimage_metadata_set_has_alpha(sdimage_metadata *metadata, bool has_alpha);
SDIMAGE_API void sdimage_metadata_set_frame_count(sdimage_metadata *metadata, uint32_t count);
SDIMAGE_API void sdimage_metadata_set_loop_count(sdimage_metadata *metadata, uint32_t count);
SDIMAGE_API void sdimage_metadata_set_duration_ms(sdimage_metadata *metadata, uint64_t milliseconds);
SDIMAGE_API void sdimage_metadata_set_bits_per_channel(sdimage_metadata *metadata, uint32_t bits);
SDIMAGE_API void sdimage_metadata_set_channels(sdimage_metadata *metadata, uint32_t channels);
SDIMAGE_API void sdimage_metadata_set_progressive(sdimage_metadata *metadata, bool is_progressive);
/* Sets the value of the host stored with the image, referenced; NULL removes it. */
SDIMAGE_API void sdimage_metadata_set_extended_data(sdimage_metadata *metadata, sdimage_data *data);

/* Makes an image of the same pixels with other metadata; no pixel is copied. */
SDIMAGE_API sdimage_status sdimage_image_with_metadata(const sdimage_image *image, const sdimage_metadata *metadata,
                                                       sdimage_image **copy, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
