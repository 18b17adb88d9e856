/* shim.h: Little CMS for Swift, for the conversion by color profiles. */
#include <lcms2.h>

/* Pixel layouts: function-like macros that Swift cannot import. */
enum {
    CLCMS_GRAY_16 = TYPE_GRAY_16,
    CLCMS_RGB_8 = TYPE_RGB_8,
    CLCMS_RGBA_8 = TYPE_RGBA_8,
    CLCMS_RGB_16 = TYPE_RGB_16,
    CLCMS_RGBA_16 = TYPE_RGBA_16,
    CLCMS_RGBA_FLOAT = TYPE_RGBA_FLT,
    CLCMS_CMYK_8 = TYPE_CMYK_8,
    CLCMS_CMYK_8_INVERTED = TYPE_CMYK_8_REV
};
