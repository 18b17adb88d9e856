// photos_enums.hpp: the enums of the photo library's C headers (plugins/photos.h, photos_loader.h).
#ifndef SDIMAGE_PLUGINS_PHOTOS_ENUMS_HPP
#define SDIMAGE_PLUGINS_PHOTOS_ENUMS_HPP

#include <sdimage/plugins/photos_source.h>

#include "../status.hpp"

namespace sdimage {

namespace photos {

enum class media : int { // photos.h
    image = SDIMAGE_PHOTOS_MEDIA_IMAGE,
    video = SDIMAGE_PHOTOS_MEDIA_VIDEO,
    audio = SDIMAGE_PHOTOS_MEDIA_AUDIO,
    all = SDIMAGE_PHOTOS_MEDIA_ALL,
};

enum class origin : int { // photos.h
    own = SDIMAGE_PHOTOS_ORIGIN_OWN,
    shared = SDIMAGE_PHOTOS_ORIGIN_SHARED,
    synced = SDIMAGE_PHOTOS_ORIGIN_SYNCED,
    all = SDIMAGE_PHOTOS_ORIGIN_ALL,
};

enum class playback : int { // photos.h
    none = SDIMAGE_PHOTOS_PLAYBACK_NONE,
    still = SDIMAGE_PHOTOS_PLAYBACK_STILL,
    animated = SDIMAGE_PHOTOS_PLAYBACK_ANIMATED,
    video = SDIMAGE_PHOTOS_PLAYBACK_VIDEO,
};

enum class order : int { // photos.h
    date = SDIMAGE_PHOTOS_ORDER_DATE,
    name = SDIMAGE_PHOTOS_ORDER_NAME,
    modified = SDIMAGE_PHOTOS_ORDER_MODIFIED,
    size = SDIMAGE_PHOTOS_ORDER_SIZE,
};

enum class delivery : int { // photos_loader.h
    opportunistic = SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC,
    high_quality = SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY,
    fast = SDIMAGE_PHOTOS_DELIVERY_FAST,
};

enum class resize : int { // photos_loader.h
    none = SDIMAGE_PHOTOS_RESIZE_NONE,
    fast = SDIMAGE_PHOTOS_RESIZE_FAST,
    exact = SDIMAGE_PHOTOS_RESIZE_EXACT,
};

enum class content : int { // photos_loader.h
    aspect_fit = SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT,
    aspect_fill = SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL,
};

enum class version : int { // photos_loader.h
    current = SDIMAGE_PHOTOS_VERSION_CURRENT,
    unadjusted = SDIMAGE_PHOTOS_VERSION_UNADJUSTED,
    original = SDIMAGE_PHOTOS_VERSION_ORIGINAL,
};

} // namespace photos

namespace detail {

template <> struct c_enum<photos::media> { using type = sdimage_photos_media; };
template <> struct c_enum<photos::origin> { using type = sdimage_photos_origin; };
template <> struct c_enum<photos::playback> { using type = sdimage_photos_playback; };
template <> struct c_enum<photos::order> { using type = sdimage_photos_order; };
template <> struct c_enum<photos::delivery> { using type = sdimage_photos_delivery; };
template <> struct c_enum<photos::resize> { using type = sdimage_photos_resize; };
template <> struct c_enum<photos::content> { using type = sdimage_photos_content; };
template <> struct c_enum<photos::version> { using type = sdimage_photos_version; };

template <> inline constexpr bool is_set_of_bits<photos::media> = true;
template <> inline constexpr bool is_set_of_bits<photos::origin> = true;

} // namespace detail

} // namespace sdimage

#endif
