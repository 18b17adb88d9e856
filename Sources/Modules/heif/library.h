/* library.h: libheif, opened with dlopen at its first use, because its encoders take longer to load than a usual
 * photograph to decode. */
#ifndef SDHEIF_LIBRARY_H
#define SDHEIF_LIBRARY_H

#include <libheif/heif.h>
#include <sdimage/error.h>
#include <stdbool.h>

#define SDHEIF_SONAME "libheif.so.1"

/* The functions in use, found by name: for decoding, and for encoding. */
#define SDHEIF_DECODING(X)                                                                                             \
    X(context_alloc)                                                                                                   \
    X(context_free)                                                                                                    \
    X(context_set_maximum_image_size_limit)                                                                            \
    X(context_set_max_decoding_threads)                                                                                \
    X(context_read_from_memory_without_copy)                                                                           \
    X(context_get_primary_image_handle)                                                                                \
    X(image_handle_get_width)                                                                                          \
    X(image_handle_get_height)                                                                                         \
    X(image_handle_has_alpha_channel)                                                                                  \
    X(image_handle_get_raw_color_profile_size)                                                                         \
    X(image_handle_get_raw_color_profile)                                                                              \
    X(image_handle_release)                                                                                            \
    X(decoding_options_alloc)                                                                                          \
    X(decoding_options_free)                                                                                           \
    X(decode_image)                                                                                                    \
    X(image_get_width)                                                                                                 \
    X(image_get_height)                                                                                                \
    X(image_get_plane_readonly)                                                                                        \
    X(image_release)

#define SDHEIF_ENCODING(X)                                                                                             \
    X(have_encoder_for_format)                                                                                         \
    X(context_get_encoder_for_format)                                                                                  \
    X(encoder_release)                                                                                                 \
    X(encoder_set_lossy_quality)                                                                                       \
    X(encoder_set_logging_level)                                                                                       \
    X(encoder_set_parameter_string)                                                                                    \
    X(encoding_options_alloc)                                                                                          \
    X(encoding_options_free)                                                                                           \
    X(image_create)                                                                                                    \
    X(image_add_plane)                                                                                                 \
    X(image_get_plane)                                                                                                 \
    X(image_set_raw_color_profile)                                                                                     \
    X(image_set_nclx_color_profile)                                                                                    \
    X(image_set_content_light_level)                                                                                   \
    X(nclx_color_profile_alloc)                                                                                        \
    X(nclx_color_profile_free)                                                                                         \
    X(context_encode_image)                                                                                            \
    X(context_encode_thumbnail)                                                                                        \
    X(context_add_exif_metadata)                                                                                       \
    X(context_add_XMP_metadata)                                                                                        \
    X(context_write)

/* A pointer to each function, named without the prefix `heif_`. NULL before sdheif_library_open, and for a function
 * that the library lacks. */
typedef struct sdheif_library {
#define FIELD(name) __typeof__(&heif_##name) name;
    SDHEIF_DECODING(FIELD)
    SDHEIF_ENCODING(FIELD)
#undef FIELD
} sdheif_library;

extern sdheif_library sdheif_lib;

/* Opens the library once, permanently; false if it is missing. Must be called before functions that decode. */
bool sdheif_library_open(void);

/* Reports that the library has an H.265 encoder. Must be called before functions that encode. */
bool sdheif_library_encodes(void);

/* Converts a libheif result to a status. `failure` is the status for damage, the only general error that encoders
 * report. */
sdimage_status sdheif_check(struct heif_error result, sdimage_status failure, sdimage_error **error);

#endif
