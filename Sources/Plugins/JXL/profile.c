/* profile.c: the profiles that libjxl can use.
 *
 * For XYB, libjxl converts colors with Little CMS, and ends the process if no transform can be made (JXL_CHECK in
 * enc_xyb.cc), or if infinite or immense numbers result (assertions in enc_ac_strategy.h). Both are therefore tried
 * before. In a profile without tables each channel has a curve, and the results are sums: it is enough to try the
 * values of each channel alone. Tables may have an immense number anywhere. */
#include "profile.h"

#include <lcms2.h>
#include <math.h>

/* Limit of a result of one channel. White is about 1. */
static const float MOST = 4;

/* True if the profile has the tag `first`, of the perceptual intent, or that of another intent, which follow it. */
static bool has_any(cmsHPROFILE profile, cmsTagSignature first) {
    for (cmsTagSignature intent = INTENT_PERCEPTUAL; intent <= INTENT_ABSOLUTE_COLORIMETRIC; intent++)
        if (cmsIsTag(profile, first + intent))
            return true;
    return false;
}

/* Tries all values of each channel, the others being 0. */
static bool is_bounded(cmsHTRANSFORM transform, int channels, int bits) {
    uint32_t most = bits == 8 ? 255 : 65535;
    for (int c = 0; c < channels; c++)
        for (uint32_t value = 0; value <= most; value++) {
            float color[3] = {0, 0, 0}, xyz[3];
            color[c] = (float)value / (float)most;
            cmsDoTransform(transform, color, xyz, 1);
            /* Written so that NaN is refused. */
            if (!(fabsf(xyz[0]) <= MOST && fabsf(xyz[1]) <= MOST && fabsf(xyz[2]) <= MOST))
                return false;
        }
    return true;
}

/* Examines an open profile. `to`: the color space XYZ. */
static sdjxl_profile_use examine(cmsContext context, cmsHPROFILE from, cmsHPROFILE to, int channels, int bits) {
    bool is_gray = channels == 1, has_curves = !has_any(from, cmsSigAToB0Tag);
    /* A list of multi-process elements may refer to one of them thousands of times, and Little CMS computes each. */
    if (cmsGetColorSpace(from) != (is_gray ? cmsSigGrayData : cmsSigRgbData) || has_any(from, cmsSigDToB0Tag))
        return SDJXL_PROFILE_UNUSABLE;
    for (cmsUInt32Number intent = INTENT_PERCEPTUAL; intent <= INTENT_ABSOLUTE_COLORIMETRIC; intent++) {
        cmsHTRANSFORM transform =
            cmsCreateTransformTHR(context, from, is_gray ? TYPE_GRAY_FLT : TYPE_RGB_FLT, to, TYPE_XYZ_FLT, intent,
                                  cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION);
        /* The intent, with black point compensation, of libjxl's own transforms. */
        bool is_usable = transform && (!has_curves || intent != INTENT_RELATIVE_COLORIMETRIC ||
                                       is_bounded(transform, is_gray ? 1 : 3, bits));
        if (transform)
            cmsDeleteTransform(transform);
        if (!is_usable)
            return SDJXL_PROFILE_UNUSABLE;
    }
    return has_curves ? SDJXL_PROFILE_CONVERTIBLE : SDJXL_PROFILE_STORED;
}

sdjxl_profile_use sdjxl_profile_examine(const sdimage_data *profile, int channels, int bits) {
    cmsContext context = profile ? cmsCreateContext(NULL, NULL) : NULL;
    if (!context)
        return SDJXL_PROFILE_UNUSABLE;
    cmsUInt32Number length = (cmsUInt32Number)sdimage_data_length(profile);
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, sdimage_data_bytes(profile), length);
    cmsHPROFILE to = cmsCreateXYZProfileTHR(context);
    sdjxl_profile_use use = from && to ? examine(context, from, to, channels, bits) : SDJXL_PROFILE_UNUSABLE;
    if (from)
        cmsCloseProfile(from);
    if (to)
        cmsCloseProfile(to);
    cmsDeleteContext(context);
    return use;
}
