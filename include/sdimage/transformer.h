/* transformer.h: pictures changed: other sizes and shapes, other colours; in a load or by a call.
 *
 *   sdimage_image_resize(image, 300, 200, SDIMAGE_SCALE_MODE_ASPECT_FILL, &small, &error);
 *
 *   sdimage_transformer_new_round_corner(20, SDIMAGE_CORNERS_ALL, 0, NULL, &round, NULL);
 *   sdimage_request_add_transformer(request, round);     once for each picture, on a worker; kept under its own key
 *
 * Lengths are points: pixels divided by the image's scale, which the result keeps. The origin is the top left corner of
 * the picture as displayed: a picture that still has an orientation to be applied is turned first. Resampling, blurring
 * and blending work on premultiplied colour, so that what is clear lends no colour to its neighbours, and in the
 * precision of the pixel format: 8 bits, 16 bits or float. A result has the pixel format of its picture, or the one
 * with alpha where it has parts that are clear (gray8 and rgb8 become rgba8; gray16 and rgb16 become rgba16).
 *
 * A transformer given an animation changes its first frame and returns a still; sdimage_image_transform_frames changes
 * all.
 *
 * These functions block, and work on the calling thread; while a manager exists, its idle workers help with large
 * pictures. Besides the result they take memory for some rows. All may be used in a forked child. Class: immutable. */
#ifndef SDIMAGE_TRANSFORMER_H
#define SDIMAGE_TRANSFORMER_H

#include "base.h"
#include "error.h"
#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

SDIMAGE_API sdimage_transformer *sdimage_transformer_ref(sdimage_transformer *transformer);
SDIMAGE_API void sdimage_transformer_unref(sdimage_transformer *transformer);

/* The text that stands for what it does, and enters the cache key: "SDImageFlippingTransformer(1,0)". Borrowed. */
SDIMAGE_API const char *sdimage_transformer_key(const sdimage_transformer *transformer);

/* Whether the result takes over format, extended data and the like of the picture. */
SDIMAGE_API bool sdimage_transformer_preserves_metadata(const sdimage_transformer *transformer);

/* --- The transformers. *transformer is the caller's. Errors of all: INVALID_ARGUMENT for numbers that are not finite,
 * and as said; a wish that makes no sense for a certain picture is reported when it is applied. */

/* How samples are weighted. All are centred, widened when shrinking so that nothing flickers, and end at the edges. */
typedef enum SDIMAGE_ENUM sdimage_resampling {
    SDIMAGE_RESAMPLING_LANCZOS = 0, /* three lobes: the sharpest */
    SDIMAGE_RESAMPLING_AREA = 1,    /* the exact mean of what an output pixel covers: the fastest */
    SDIMAGE_RESAMPLING_CUBIC = 2,   /* Catmull-Rom */
    SDIMAGE_RESAMPLING_LINEAR = 3,  /* a triangle: soft */
    SDIMAGE_RESAMPLING_NEAREST = 4  /* no new colours */
} sdimage_resampling;

/* To exactly that size, which may be larger. INVALID_ARGUMENT for a side of zero or less; applying it: TOO_LARGE. */
SDIMAGE_API sdimage_status sdimage_transformer_new_resize(double width, double height, sdimage_scale_mode mode,
                                                          sdimage_transformer **transformer, sdimage_error **error);
/* The same with a choice of weights, and of the space to weigh in: with `linear_light` the samples become light before
 * and sRGB again after, so that fine patterns keep their brightness. Its key ends in both choices where they are not
 * LANCZOS and false. */
SDIMAGE_API sdimage_status sdimage_transformer_new_resample(double width, double height, sdimage_scale_mode mode,
                                                            sdimage_resampling resampling, bool linear_light,
                                                            sdimage_transformer **transformer, sdimage_error **error);

/* A part, rounded outwards to whole pixels and held inside the picture. INVALID_ARGUMENT for an empty rectangle, and,
 * when applied, for one that does not touch the picture. No pixel is copied: the result keeps its whole picture alive,
 * and its memory cost says so; what a load delivers has memory of its own. */
SDIMAGE_API sdimage_status sdimage_transformer_new_crop(sdimage_rect rect, sdimage_transformer **transformer,
                                                        sdimage_error **error);

/* Corners of the picture as displayed: a set of bits. */
typedef enum SDIMAGE_ENUM sdimage_corners {
    SDIMAGE_CORNERS_TOP_LEFT = 1,    /* bit 0 */
    SDIMAGE_CORNERS_TOP_RIGHT = 2,   /* bit 1 */
    SDIMAGE_CORNERS_BOTTOM_LEFT = 4, /* bit 2 */
    SDIMAGE_CORNERS_BOTTOM_RIGHT = 8 /* bit 3 */
} sdimage_corners;
/* All four, and those that may come. */
#define SDIMAGE_CORNERS_ALL UINT64_MAX

/* Cuts corners round, at most to half the smaller side; the picture shrinks by the border, which is drawn over its edge
 * in `border_color` where that is not NULL. INVALID_ARGUMENT for a negative radius or width. */
SDIMAGE_API sdimage_status sdimage_transformer_new_round_corner(double radius, uint64_t corners, double border_width,
                                                                const sdimage_color *border_color,
                                                                sdimage_transformer **transformer,
                                                                sdimage_error **error);

/* Mirrors left and right, top and bottom, or both, which is half a turn. */
SDIMAGE_API sdimage_status sdimage_transformer_new_flip(bool horizontal, bool vertical,
                                                        sdimage_transformer **transformer, sdimage_error **error);

/* Turns counter-clockwise by radians. With `fit_size` the result is as large as the turned picture, else as large as
 * the picture, without its corners. Multiples of a quarter turn move pixels, others are interpolated (Catmull-Rom) with
 * smooth edges. */
SDIMAGE_API sdimage_status sdimage_transformer_new_rotate(double angle, bool fit_size,
                                                          sdimage_transformer **transformer, sdimage_error **error);

/* How a colour meets the picture beneath it: W3C Compositing and Blending Level 1; the numbers are CGBlendMode's. */
typedef enum SDIMAGE_ENUM sdimage_blend_mode {
    SDIMAGE_BLEND_MODE_NORMAL = 0,            /* the colour over the picture */
    SDIMAGE_BLEND_MODE_MULTIPLY = 1,          /* product: never lighter */
    SDIMAGE_BLEND_MODE_SCREEN = 2,            /* product of what is missing: never darker */
    SDIMAGE_BLEND_MODE_OVERLAY = 3,           /* multiply or screen, by the picture */
    SDIMAGE_BLEND_MODE_DARKEN = 4,            /* the darker of both */
    SDIMAGE_BLEND_MODE_LIGHTEN = 5,           /* the lighter of both */
    SDIMAGE_BLEND_MODE_COLOR_DODGE = 6,       /* brightens the picture to reflect the colour */
    SDIMAGE_BLEND_MODE_COLOR_BURN = 7,        /* darkens the picture to reflect the colour */
    SDIMAGE_BLEND_MODE_SOFT_LIGHT = 8,        /* darken or lighten a little, by the colour */
    SDIMAGE_BLEND_MODE_HARD_LIGHT = 9,        /* multiply or screen, by the colour */
    SDIMAGE_BLEND_MODE_DIFFERENCE = 10,       /* the lighter less the darker */
    SDIMAGE_BLEND_MODE_EXCLUSION = 11,        /* the same with less contrast */
    SDIMAGE_BLEND_MODE_HUE = 12,              /* the colour's hue; saturation and luminosity of the picture */
    SDIMAGE_BLEND_MODE_SATURATION = 13,       /* the colour's saturation; hue and luminosity of the picture */
    SDIMAGE_BLEND_MODE_COLOR = 14,            /* the colour's hue and saturation; luminosity of the picture */
    SDIMAGE_BLEND_MODE_LUMINOSITY = 15,       /* the colour's luminosity; hue and saturation of the picture */
    SDIMAGE_BLEND_MODE_CLEAR = 16,            /* nothing: all is clear */
    SDIMAGE_BLEND_MODE_COPY = 17,             /* the colour in place of the picture */
    SDIMAGE_BLEND_MODE_SOURCE_IN = 18,        /* the colour in the shape of the picture */
    SDIMAGE_BLEND_MODE_SOURCE_OUT = 19,       /* the colour where the picture is not */
    SDIMAGE_BLEND_MODE_SOURCE_ATOP = 20,      /* the colour over the picture, where the picture is */
    SDIMAGE_BLEND_MODE_DESTINATION_OVER = 21, /* the picture over the colour */
    SDIMAGE_BLEND_MODE_DESTINATION_IN = 22,   /* the picture, as opaque as the colour */
    SDIMAGE_BLEND_MODE_DESTINATION_OUT = 23,  /* the picture, as clear as the colour is opaque */
    SDIMAGE_BLEND_MODE_DESTINATION_ATOP = 24, /* the picture over the colour, where the colour is */
    SDIMAGE_BLEND_MODE_XOR = 25,              /* where only one of both is */
    SDIMAGE_BLEND_MODE_PLUS_DARKER = 26,      /* sum, less white */
    SDIMAGE_BLEND_MODE_PLUS_LIGHTER = 27      /* sum, up to white */
} sdimage_blend_mode;

/* Lays a colour over the whole picture. A clear colour changes nothing, whatever the mode: the same image,
   referenced. */
SDIMAGE_API sdimage_status sdimage_transformer_new_tint(sdimage_color color, sdimage_blend_mode mode,
                                                        sdimage_transformer **transformer, sdimage_error **error);

/* A Gaussian blur as three box means (SVG 1.1, 15.17), with the edges continued. A radius of zero changes nothing.
 * INVALID_ARGUMENT for a negative radius. */
SDIMAGE_API sdimage_status sdimage_transformer_new_blur(double radius, sdimage_transformer **transformer,
                                                        sdimage_error **error);

/* A filter by its name or one of its aliases, with numbers for its parameters; what `parameters` lacks, or NULL, has
 * its default. Its key has the name, and what was given: "SDImageFilterTransformer(CISepiaTone,intensity=0.500000)".
 *
 * Filters see straight colours and leave alpha as it is, but for matrices with a row for alpha; those that look at
 * neighbours weigh them by alpha. Invert, gamma, exposure, temperature and the colour matrix compute with light; all
 * others with samples as sRGB encodes them, whatever the pixel format, but for sums over neighbours of float pixels,
 * which are light.
 *
 * INVALID_ARGUMENT for an unknown name or parameter, a value that is not an int64 or a double, or outside what the
 * parameter may be. */
SDIMAGE_API sdimage_status sdimage_transformer_new_filter(const char *name, const sdimage_options *parameters,
                                                          sdimage_transformer **transformer, sdimage_error **error);

/* The filters that there are, by index; NULL behind the last. Static. */
SDIMAGE_API size_t sdimage_filter_count(void);
SDIMAGE_API const char *sdimage_filter_name(size_t index);
/* What a filter does and takes, as a JSON object in UTF-8: "name", "aliases", "summary", "space" ("light" or
 * "encoded"), and "parameters": a list of objects with "name", "default", "minimum" and "maximum", lengths in points
 * and angles in radians. INVALID_ARGUMENT for an unknown name. */
SDIMAGE_API sdimage_status sdimage_filter_describe(const char *name, sdimage_data **json, sdimage_error **error);

/* Several, one after the other; `count` may be 0. The transformers are referenced. Its key is theirs, joined by "-". */
SDIMAGE_API sdimage_status sdimage_transformer_new_pipeline(sdimage_transformer *const *transformers, size_t count,
                                                            sdimage_transformer **transformer, sdimage_error **error);

/* --- Transformers of one's own. */

/* Called on worker threads, from several at once; they return, they do not wait. Tables grow at the end: `size` is
 * sizeof of the caller's. */
typedef struct sdimage_transformer_vtable {
    size_t size;
    /* Makes *result of the picture; the image itself, referenced, where nothing changes. `cache_key` is the printed
     * form of the key of the result (manager.h), `key_length` bytes, empty outside a load. A failure ends what called
     * it, but for a load, which delivers the picture as it was. */
    sdimage_status (*transform)(void *user_data, const sdimage_image *image, const char *cache_key, size_t key_length,
                                sdimage_image **result, sdimage_error **error);
    /* Whether the result takes over what belongs to the picture (sdimage_transformer_preserves_metadata); NULL for
       true. */
    bool (*preserves_metadata)(void *user_data);
} sdimage_transformer_vtable;

/* `key` must tell apart what this transformer does from all others, its parameters included; it is copied.
 * `destroy(user_data)` is called once, also when this call fails. INVALID_ARGUMENT: no key, or an empty one. */
SDIMAGE_API sdimage_status sdimage_transformer_new_custom(const char *key, const sdimage_transformer_vtable *vtable,
                                                          void *user_data, sdimage_destroy_fn destroy,
                                                          sdimage_transformer **transformer, sdimage_error **error);

/* --- Applying them. *result is the caller's; it may be the image itself, referenced. Errors: INVALID_ARGUMENT,
 * TOO_LARGE (the result, or the working memory, takes more than 256 MiB), TIMEOUT (it takes longer than 60 s),
 * NO_MEMORY, and those of a transformer of the host. In a load the time limit is that of its decode. */

/* The picture changed; of an animation its first frame. */
SDIMAGE_API sdimage_status sdimage_image_transform(const sdimage_image *image, const sdimage_transformer *transformer,
                                                   sdimage_image **result, sdimage_error **error);

/* Every frame of an animation, each when it is asked for; durations and loop count stay. Stills as above. */
SDIMAGE_API sdimage_status sdimage_image_transform_frames(const sdimage_image *image,
                                                          const sdimage_transformer *transformer,
                                                          sdimage_image **result, sdimage_error **error);

/* One transformer each, made and applied. */
SDIMAGE_API sdimage_status sdimage_image_resize(const sdimage_image *image, double width, double height,
                                                sdimage_scale_mode mode, sdimage_image **result, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_crop(const sdimage_image *image, sdimage_rect rect, sdimage_image **result,
                                              sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_round_corner(const sdimage_image *image, double radius, uint64_t corners,
                                                      double border_width, const sdimage_color *border_color,
                                                      sdimage_image **result, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_flip(const sdimage_image *image, bool horizontal, bool vertical,
                                              sdimage_image **result, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_rotate(const sdimage_image *image, double angle, bool fit_size,
                                                sdimage_image **result, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_tint(const sdimage_image *image, sdimage_color color, sdimage_blend_mode mode,
                                              sdimage_image **result, sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_blur(const sdimage_image *image, double radius, sdimage_image **result,
                                              sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_image_filter(const sdimage_image *image, const char *name,
                                                const sdimage_options *parameters, sdimage_image **result,
                                                sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
