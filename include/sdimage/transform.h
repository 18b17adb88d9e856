/* transform.h: transformers, which change the size, shape or colors of images, in a load or by a call.
 *
 *   sdimage_image_resize(image, 300, 200, SDIMAGE_SCALE_MODE_ASPECT_FILL, &small, &error);
 *
 *   sdimage_transformer_new_round_corner(20, SDIMAGE_CORNERS_ALL, 0, NULL, &round, NULL);
 *   sdimage_request_add_transformer(request, round);     once for each image, on a worker; cached under its own key
 *
 * Lengths are points: pixels divided by the image's scale, which the result keeps. The origin is the top left corner of
 * the image as displayed: an orientation that remains to be applied is applied first. Resampling, blurring and blending
 * use premultiplied color, so that transparent pixels do not affect the color of their neighbors. They use the
 * precision of the pixel format: 8 bits, 16 bits or float. A result has the pixel format of its image, or the one with
 * alpha if parts of it are transparent (gray8 and rgb8 become rgba8; gray16 and rgb16 become rgba16). Filters of colors
 * turn gray into RGB.
 *
 * A transformer applied to an animation changes its first frame and returns a still; sdimage_image_transform_frames
 * changes all frames.
 *
 * These functions block, and work on the calling thread; while a manager exists, its idle workers help with large
 * images. Besides the result they allocate memory for some rows. All may be used in a forked child. Class:
 * immutable. */
#ifndef SDIMAGE_TRANSFORM_H
#define SDIMAGE_TRANSFORM_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_transformer *sdimage_transformer_ref(const sdimage_transformer *transformer);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_transformer_unref(sdimage_transformer *transformer);

/* Text that identifies the transformation, and is part of the cache key: "SDImageFlippingTransformer(1,0)".
 * Borrowed. */
SDIMAGE_API const char *sdimage_transformer_key(const sdimage_transformer *transformer);

/* True if the result takes over format, extended data and other metadata of the image. */
SDIMAGE_API bool sdimage_transformer_should_preserve_metadata(const sdimage_transformer *transformer);

/* --- The transformers. *transformer is the caller's. Errors of all: INVALID_ARGUMENT for numbers that are not finite,
 * and those stated; parameters that do not fit a certain image are an error when applied. */

/* Weights of the samples. All kernels are centered, widened for reduction to avoid flicker, and end at the edges. */
typedef enum SDIMAGE_ENUM sdimage_resampling {
    SDIMAGE_RESAMPLING_LANCZOS = 0, /* three lobes: the sharpest, and the default */
    SDIMAGE_RESAMPLING_AREA = 1,    /* the exact mean of the area of an output pixel: the fastest */
    SDIMAGE_RESAMPLING_CUBIC = 2,   /* Catmull-Rom */
    SDIMAGE_RESAMPLING_LINEAR = 3,  /* triangle: soft */
    SDIMAGE_RESAMPLING_NEAREST = 4  /* adds no new colors */
} sdimage_resampling;

/* Makes a transformer that resizes to exactly that size, also to a larger one. INVALID_ARGUMENT for a side of zero or
 * less; when applied: TOO_LARGE. */
SDIMAGE_API sdimage_status sdimage_transformer_new_resize(double width, double height, sdimage_scale_mode mode,
                                                          sdimage_transformer **transformer, sdimage_error **error);
/* Makes a resizing transformer with a choice of kernel and of color space. With `linear_light` samples are converted
 * to linear light before, and to sRGB after, so that fine patterns keep their brightness. Its key ends with both
 * choices unless they are LANCZOS and false. */
SDIMAGE_API sdimage_status sdimage_transformer_new_resample(double width, double height, sdimage_scale_mode mode,
                                                            sdimage_resampling resampling, bool linear_light,
                                                            sdimage_transformer **transformer, sdimage_error **error);

/* Makes a transformer that crops to a rectangle, rounded outwards to whole pixels and clipped to the image.
 * INVALID_ARGUMENT for an empty rectangle, and, when applied, for one outside the image. No pixel is copied: the result
 * keeps its whole image alive, and its memory cost includes it. The images that a load delivers have memory of their
 * own. */
SDIMAGE_API sdimage_status sdimage_transformer_new_crop(sdimage_rect rect, sdimage_transformer **transformer,
                                                        sdimage_error **error);

/* Corners of the image as displayed: a bit set. */
typedef enum SDIMAGE_ENUM sdimage_corners {
    SDIMAGE_CORNERS_NONE = 0,        /* no corner */
    SDIMAGE_CORNERS_TOP_LEFT = 1,    /* bit 0 */
    SDIMAGE_CORNERS_TOP_RIGHT = 2,   /* bit 1 */
    SDIMAGE_CORNERS_BOTTOM_LEFT = 4, /* bit 2 */
    SDIMAGE_CORNERS_BOTTOM_RIGHT = 8 /* bit 3 */
} sdimage_corners;
/* All four corners, and all that may be added. */
#define SDIMAGE_CORNERS_ALL UINT64_MAX

/* Makes a transformer that rounds corners, at most to half the smaller side. The image shrinks by the border, which is
 * drawn over its edge in `border_color` unless that is NULL. INVALID_ARGUMENT for a negative radius or width. */
SDIMAGE_API sdimage_status sdimage_transformer_new_round_corner(double radius, uint64_t corners, double border_width,
                                                                const sdimage_color *border_color,
                                                                sdimage_transformer **transformer,
                                                                sdimage_error **error);

/* Creates the same with a radius relative to the shorter side of the image: 0.5, the maximum, makes a circle of a
 * square image. The border is in points. */
SDIMAGE_API sdimage_status sdimage_transformer_new_round_corner_fraction(double fraction, uint64_t corners,
                                                                         double border_width,
                                                                         const sdimage_color *border_color,
                                                                         sdimage_transformer **transformer,
                                                                         sdimage_error **error);

/* Makes a transformer that mirrors left and right, top and bottom, or both, which rotates by 180 degrees. */
SDIMAGE_API sdimage_status sdimage_transformer_new_flip(bool horizontal, bool vertical,
                                                        sdimage_transformer **transformer, sdimage_error **error);

/* Makes a transformer that rotates counter-clockwise by radians. With `fit_size` the result has the size of the rotated
 * image, otherwise that of the original, without its corners. Multiples of 90 degrees move pixels; other angles
 * interpolate (Catmull-Rom) with smooth edges. */
SDIMAGE_API sdimage_status sdimage_transformer_new_rotate(double angle, bool fit_size,
                                                          sdimage_transformer **transformer, sdimage_error **error);

/* Blending of a color with the image below: W3C Compositing and Blending Level 1; the numbers are those of
 * CGBlendMode. */
typedef enum SDIMAGE_ENUM sdimage_blend_mode {
    SDIMAGE_BLEND_MODE_NORMAL = 0,            /* the color over the image */
    SDIMAGE_BLEND_MODE_MULTIPLY = 1,          /* product: never lighter */
    SDIMAGE_BLEND_MODE_SCREEN = 2,            /* inverted product of the inverses: never darker */
    SDIMAGE_BLEND_MODE_OVERLAY = 3,           /* multiply or screen, depending on the image */
    SDIMAGE_BLEND_MODE_DARKEN = 4,            /* the darker of both */
    SDIMAGE_BLEND_MODE_LIGHTEN = 5,           /* the lighter of both */
    SDIMAGE_BLEND_MODE_COLOR_DODGE = 6,       /* brightens the image to reflect the color */
    SDIMAGE_BLEND_MODE_COLOR_BURN = 7,        /* darkens the image to reflect the color */
    SDIMAGE_BLEND_MODE_SOFT_LIGHT = 8,        /* darkens or lightens a little, depending on the color */
    SDIMAGE_BLEND_MODE_HARD_LIGHT = 9,        /* multiply or screen, depending on the color */
    SDIMAGE_BLEND_MODE_DIFFERENCE = 10,       /* the lighter minus the darker */
    SDIMAGE_BLEND_MODE_EXCLUSION = 11,        /* the same with less contrast */
    SDIMAGE_BLEND_MODE_HUE = 12,              /* the color's hue; saturation and luminosity of the image */
    SDIMAGE_BLEND_MODE_SATURATION = 13,       /* the color's saturation; hue and luminosity of the image */
    SDIMAGE_BLEND_MODE_COLOR = 14,            /* the color's hue and saturation; luminosity of the image */
    SDIMAGE_BLEND_MODE_LUMINOSITY = 15,       /* the color's luminosity; hue and saturation of the image */
    SDIMAGE_BLEND_MODE_CLEAR = 16,            /* transparent */
    SDIMAGE_BLEND_MODE_COPY = 17,             /* the color in place of the image */
    SDIMAGE_BLEND_MODE_SOURCE_IN = 18,        /* the color with the alpha of the image */
    SDIMAGE_BLEND_MODE_SOURCE_OUT = 19,       /* the color outside the image */
    SDIMAGE_BLEND_MODE_SOURCE_ATOP = 20,      /* the color over the image, inside the image */
    SDIMAGE_BLEND_MODE_DESTINATION_OVER = 21, /* the image over the color */
    SDIMAGE_BLEND_MODE_DESTINATION_IN = 22,   /* the image with the alpha of the color */
    SDIMAGE_BLEND_MODE_DESTINATION_OUT = 23,  /* the image with the inverse alpha of the color */
    SDIMAGE_BLEND_MODE_DESTINATION_ATOP = 24, /* the image over the color, inside the color */
    SDIMAGE_BLEND_MODE_XOR = 25,              /* either one outside the other */
    SDIMAGE_BLEND_MODE_PLUS_DARKER = 26,      /* sum minus white */
    SDIMAGE_BLEND_MODE_PLUS_LIGHTER = 27      /* sum, at most white */
} sdimage_blend_mode;

/* Makes a transformer that blends a color with the whole image. A transparent color changes nothing, in any mode: the
 * same image, referenced. */
SDIMAGE_API sdimage_status sdimage_transformer_new_tint(sdimage_color color, sdimage_blend_mode mode,
                                                        sdimage_transformer **transformer, sdimage_error **error);

/* Makes a transformer that applies a Gaussian blur as three box means (SVG 1.1, 15.17), with the edges extended.
 * `radius` is the standard deviation; one below 2 pixels counts as 2, and zero changes nothing. INVALID_ARGUMENT for a
 * negative radius. */
SDIMAGE_API sdimage_status sdimage_transformer_new_blur(double radius, sdimage_transformer **transformer,
                                                        sdimage_error **error);

/* Makes a transformer that applies a filter, given by its name or one of its aliases, with numbers for its parameters.
 * Parameters that `parameters` lacks have their defaults; NULL for all defaults. Its key has the name and the given
 * parameters: "SDImageFilterTransformer(CISepiaTone,intensity=0.500000)".
 *
 * Filters read straight colors and preserve alpha, except matrices with a row for alpha; filters that use neighboring
 * pixels weigh them by alpha. Invert, gamma, exposure, temperature and the color matrix compute in linear light. All
 * others compute with sRGB-encoded samples in any pixel format, except that sums over neighboring float pixels are in
 * linear light.
 *
 * INVALID_ARGUMENT for an unknown name or parameter, for a value that is neither an int64 nor a double, and for a value
 * outside the parameter's range. */
SDIMAGE_API sdimage_status sdimage_transformer_new_filter(const char *name, const sdimage_options *parameters,
                                                          sdimage_transformer **transformer, sdimage_error **error);

/* Returns the number of filters. The texts of filters are static. */
SDIMAGE_API size_t sdimage_filter_count(void);
/* Returns the index of the filter with a name or alias; SIZE_MAX if there is none. */
SDIMAGE_API size_t sdimage_filter_index(const char *name);
/* Returns the name of a filter; NULL beyond the last. */
SDIMAGE_API const char *sdimage_filter_name(size_t index);
/* Returns the effect of a filter in one sentence; NULL beyond the last. */
SDIMAGE_API const char *sdimage_filter_summary(size_t index);
/* Returns true if a filter computes in linear light, false for samples encoded by sRGB. */
SDIMAGE_API bool sdimage_filter_is_linear(size_t index);
/* Returns the number of further names of a filter. */
SDIMAGE_API size_t sdimage_filter_alias_count(size_t index);
/* Returns a further name of a filter; NULL beyond the last. */
SDIMAGE_API const char *sdimage_filter_alias(size_t index, size_t alias);
/* Returns the number of parameters of a filter. */
SDIMAGE_API size_t sdimage_filter_parameter_count(size_t index);
/* Returns the name of a parameter; NULL beyond the last. */
SDIMAGE_API const char *sdimage_filter_parameter_name(size_t index, size_t parameter);
/* Returns the default of a parameter, lengths in points and angles in radians; 0 beyond the last. */
SDIMAGE_API double sdimage_filter_parameter_default(size_t index, size_t parameter);
/* Returns the smallest value of a parameter; 0 beyond the last. */
SDIMAGE_API double sdimage_filter_parameter_minimum(size_t index, size_t parameter);
/* Returns the largest value of a parameter; 0 beyond the last. */
SDIMAGE_API double sdimage_filter_parameter_maximum(size_t index, size_t parameter);
/* Returns a filter as a JSON object in UTF-8: "name", "aliases", "summary", "space" ("light" or "encoded"), and
 * "parameters": a list of objects with "name", "default", "minimum" and "maximum". The caller owns *json. Errors:
 * INVALID_ARGUMENT (no such filter), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_filter_to_json(size_t index, sdimage_data **json, sdimage_error **error);

/* Makes a transformer that applies several in order; `count` may be 0. The transformers are referenced. Its key
 * consists of theirs, joined by "-". */
SDIMAGE_API sdimage_status sdimage_transformer_new_pipeline(sdimage_transformer *const *transformers, size_t count,
                                                            sdimage_transformer **transformer, sdimage_error **error);

/* --- Application. *result is the caller's; it may be the image itself, referenced. Errors: INVALID_ARGUMENT, TOO_LARGE
 * (the result, or the working memory, takes more than 256 MiB), TIMEOUT (it takes longer than 60 s), NO_MEMORY, and
 * those of a transformer of the host. In a load the time limit is that of its decode. */

/* Transforms the image; of an animation, the first frame. */
SDIMAGE_API sdimage_status sdimage_image_transform(const sdimage_image *image, const sdimage_transformer *transformer,
                                                   sdimage_image **result, sdimage_error **error);

/* Transforms every frame of an animation, each on demand; durations and loop count stay. Stills as above. */
SDIMAGE_API sdimage_status sdimage_image_transform_frames(const sdimage_image *image,
                                                          const sdimage_transformer *transformer,
                                                          sdimage_image **result, sdimage_error **error);

/* Resizes the image: the transformer of sdimage_transformer_new_resize, created and applied in one call. */
SDIMAGE_API sdimage_status sdimage_image_resize(const sdimage_image *image, double width, double height,
                                                sdimage_scale_mode mode, sdimage_image **result, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
