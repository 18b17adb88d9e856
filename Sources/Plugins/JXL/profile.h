/* profile.h: the profiles that libjxl can use. */
#ifndef SDJXL_PROFILE_H
#define SDJXL_PROFILE_H

#include <sdimage.h>

/* The use of an ICC profile. */
typedef enum sdjxl_profile_use {
    SDJXL_PROFILE_UNUSABLE,   /* none, damaged, or of another color space than the pixels */
    SDJXL_PROFILE_STORED,     /* written as it is; libjxl must not convert colors from it */
    SDJXL_PROFILE_CONVERTIBLE /* libjxl may also convert colors from it */
} sdjxl_profile_use;

/* Examines a profile, or NULL, for pixels of 1, 3 or 4 channels of 8 or 16 bits. */
sdjxl_profile_use sdjxl_profile_examine(const sdimage_data *profile, int channels, int bits);

#endif
