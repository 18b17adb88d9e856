// image_enums.hpp: the enums of images; the C headers document each value.
#ifndef SDIMAGE_IMAGE_ENUMS_HPP
#define SDIMAGE_IMAGE_ENUMS_HPP

#include "status.hpp"

namespace sdimage {

enum class metadata_kind : int { // coder.h
    exif = SDIMAGE_METADATA_KIND_EXIF,
    xmp = SDIMAGE_METADATA_KIND_XMP,
    icc = SDIMAGE_METADATA_KIND_ICC,
};

enum class chroma : int { // encoder.h
    yuv420 = SDIMAGE_CHROMA_420,
    yuv422 = SDIMAGE_CHROMA_422,
    yuv444 = SDIMAGE_CHROMA_444,
};

enum class webp_parameter : int { // encoder.h
    method = SDIMAGE_WEBP_PARAMETER_METHOD,
    pass = SDIMAGE_WEBP_PARAMETER_PASS,
    preprocessing = SDIMAGE_WEBP_PARAMETER_PREPROCESSING,
    thread_level = SDIMAGE_WEBP_PARAMETER_THREAD_LEVEL,
    low_memory = SDIMAGE_WEBP_PARAMETER_LOW_MEMORY,
    target_psnr = SDIMAGE_WEBP_PARAMETER_TARGET_PSNR,
    segments = SDIMAGE_WEBP_PARAMETER_SEGMENTS,
    sns_strength = SDIMAGE_WEBP_PARAMETER_SNS_STRENGTH,
    filter_strength = SDIMAGE_WEBP_PARAMETER_FILTER_STRENGTH,
    filter_sharpness = SDIMAGE_WEBP_PARAMETER_FILTER_SHARPNESS,
    filter_type = SDIMAGE_WEBP_PARAMETER_FILTER_TYPE,
    autofilter = SDIMAGE_WEBP_PARAMETER_AUTOFILTER,
    alpha_compression = SDIMAGE_WEBP_PARAMETER_ALPHA_COMPRESSION,
    alpha_filtering = SDIMAGE_WEBP_PARAMETER_ALPHA_FILTERING,
    alpha_quality = SDIMAGE_WEBP_PARAMETER_ALPHA_QUALITY,
    show_compressed = SDIMAGE_WEBP_PARAMETER_SHOW_COMPRESSED,
    partitions = SDIMAGE_WEBP_PARAMETER_PARTITIONS,
    partition_limit = SDIMAGE_WEBP_PARAMETER_PARTITION_LIMIT,
    use_sharp_yuv = SDIMAGE_WEBP_PARAMETER_USE_SHARP_YUV,
};

enum class pixel_format : int { // image.h
    automatic = SDIMAGE_PIXEL_FORMAT_AUTOMATIC,
    gray8 = SDIMAGE_PIXEL_FORMAT_GRAY8,
    rgb8 = SDIMAGE_PIXEL_FORMAT_RGB8,
    rgba8 = SDIMAGE_PIXEL_FORMAT_RGBA8,
    rgba8_premultiplied = SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
    bgra8_premultiplied = SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED,
    gray16 = SDIMAGE_PIXEL_FORMAT_GRAY16,
    rgb16 = SDIMAGE_PIXEL_FORMAT_RGB16,
    rgba16 = SDIMAGE_PIXEL_FORMAT_RGBA16,
    rgba_float = SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
};

enum class format : int { // image.h
    undefined = SDIMAGE_FORMAT_UNDEFINED,
    jpeg = SDIMAGE_FORMAT_JPEG,
    png = SDIMAGE_FORMAT_PNG,
    gif = SDIMAGE_FORMAT_GIF,
    tiff = SDIMAGE_FORMAT_TIFF,
    webp = SDIMAGE_FORMAT_WEBP,
    heic = SDIMAGE_FORMAT_HEIC,
    heif = SDIMAGE_FORMAT_HEIF,
    pdf = SDIMAGE_FORMAT_PDF,
    svg = SDIMAGE_FORMAT_SVG,
    bmp = SDIMAGE_FORMAT_BMP,
    raw = SDIMAGE_FORMAT_RAW,
    ico = SDIMAGE_FORMAT_ICO,
    avif = SDIMAGE_FORMAT_AVIF,
    jxl = SDIMAGE_FORMAT_JXL,
};

enum class orientation : int { // image.h
    up = SDIMAGE_ORIENTATION_UP,
    up_mirrored = SDIMAGE_ORIENTATION_UP_MIRRORED,
    down = SDIMAGE_ORIENTATION_DOWN,
    down_mirrored = SDIMAGE_ORIENTATION_DOWN_MIRRORED,
    left_mirrored = SDIMAGE_ORIENTATION_LEFT_MIRRORED,
    right = SDIMAGE_ORIENTATION_RIGHT,
    right_mirrored = SDIMAGE_ORIENTATION_RIGHT_MIRRORED,
    left = SDIMAGE_ORIENTATION_LEFT,
};

enum class transition : int { // target.h
    none = SDIMAGE_TRANSITION_NONE,
    fade = SDIMAGE_TRANSITION_FADE,
    flip_from_left = SDIMAGE_TRANSITION_FLIP_FROM_LEFT,
    flip_from_right = SDIMAGE_TRANSITION_FLIP_FROM_RIGHT,
    flip_from_top = SDIMAGE_TRANSITION_FLIP_FROM_TOP,
    flip_from_bottom = SDIMAGE_TRANSITION_FLIP_FROM_BOTTOM,
    curl_up = SDIMAGE_TRANSITION_CURL_UP,
    curl_down = SDIMAGE_TRANSITION_CURL_DOWN,
};

enum class scale_mode : int { // transformer.h
    fill = SDIMAGE_SCALE_MODE_FILL,
    aspect_fit = SDIMAGE_SCALE_MODE_ASPECT_FIT,
    aspect_fill = SDIMAGE_SCALE_MODE_ASPECT_FILL,
};

enum class resampling : int { // transformer.h
    lanczos = SDIMAGE_RESAMPLING_LANCZOS,
    area = SDIMAGE_RESAMPLING_AREA,
    cubic = SDIMAGE_RESAMPLING_CUBIC,
    linear = SDIMAGE_RESAMPLING_LINEAR,
    nearest = SDIMAGE_RESAMPLING_NEAREST,
};

enum class corners : int { // transformer.h
    top_left = SDIMAGE_CORNERS_TOP_LEFT,
    top_right = SDIMAGE_CORNERS_TOP_RIGHT,
    bottom_left = SDIMAGE_CORNERS_BOTTOM_LEFT,
    bottom_right = SDIMAGE_CORNERS_BOTTOM_RIGHT,
    all = -1, // every bit: SDIMAGE_CORNERS_ALL
};

enum class blend_mode : int { // transformer.h
    normal = SDIMAGE_BLEND_MODE_NORMAL,
    multiply = SDIMAGE_BLEND_MODE_MULTIPLY,
    screen = SDIMAGE_BLEND_MODE_SCREEN,
    overlay = SDIMAGE_BLEND_MODE_OVERLAY,
    darken = SDIMAGE_BLEND_MODE_DARKEN,
    lighten = SDIMAGE_BLEND_MODE_LIGHTEN,
    color_dodge = SDIMAGE_BLEND_MODE_COLOR_DODGE,
    color_burn = SDIMAGE_BLEND_MODE_COLOR_BURN,
    soft_light = SDIMAGE_BLEND_MODE_SOFT_LIGHT,
    hard_light = SDIMAGE_BLEND_MODE_HARD_LIGHT,
    difference = SDIMAGE_BLEND_MODE_DIFFERENCE,
    exclusion = SDIMAGE_BLEND_MODE_EXCLUSION,
    hue = SDIMAGE_BLEND_MODE_HUE,
    saturation = SDIMAGE_BLEND_MODE_SATURATION,
    color = SDIMAGE_BLEND_MODE_COLOR,
    luminosity = SDIMAGE_BLEND_MODE_LUMINOSITY,
    clear = SDIMAGE_BLEND_MODE_CLEAR,
    copy = SDIMAGE_BLEND_MODE_COPY,
    source_in = SDIMAGE_BLEND_MODE_SOURCE_IN,
    source_out = SDIMAGE_BLEND_MODE_SOURCE_OUT,
    source_atop = SDIMAGE_BLEND_MODE_SOURCE_ATOP,
    destination_over = SDIMAGE_BLEND_MODE_DESTINATION_OVER,
    destination_in = SDIMAGE_BLEND_MODE_DESTINATION_IN,
    destination_out = SDIMAGE_BLEND_MODE_DESTINATION_OUT,
    destination_atop = SDIMAGE_BLEND_MODE_DESTINATION_ATOP,
    xor_ = SDIMAGE_BLEND_MODE_XOR,
    plus_darker = SDIMAGE_BLEND_MODE_PLUS_DARKER,
    plus_lighter = SDIMAGE_BLEND_MODE_PLUS_LIGHTER,
};

namespace detail {

template <> struct c_enum<metadata_kind> { using type = sdimage_metadata_kind; };
template <> struct c_enum<chroma> { using type = sdimage_chroma; };
template <> struct c_enum<webp_parameter> { using type = sdimage_webp_parameter; };
template <> struct c_enum<pixel_format> { using type = sdimage_pixel_format; };
template <> struct c_enum<format> { using type = sdimage_format; };
template <> struct c_enum<orientation> { using type = sdimage_orientation; };
template <> struct c_enum<transition> { using type = sdimage_transition; };
template <> struct c_enum<scale_mode> { using type = sdimage_scale_mode; };
template <> struct c_enum<resampling> { using type = sdimage_resampling; };
template <> struct c_enum<corners> { using type = sdimage_corners; };
template <> struct c_enum<blend_mode> { using type = sdimage_blend_mode; };

template <> inline constexpr bool is_set_of_bits<corners> = true;

} // namespace detail

} // namespace sdimage

#endif
