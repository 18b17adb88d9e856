/* tint.c: a color over pixels, in the blend modes of W3C Compositing and Blending Level 1, whose sections the comments
   name. TintTransformer calls it for each row. The modes are of three kinds: factors for source and backdrop (weigh),
   sums (add), and blend functions (blend).

   Alpha of the backdrop is `ab`, that of the source `as`. Colors are straight: each result is divided by the alpha of
   the result. */
#include "sdpx_tint.h"

#include "curve.h"
#include "kernel.h"
#include "planes.h"

/* The factors of source and backdrop in the result: a constant, and a factor of the other's alpha (Porter and Duff). */
typedef struct {
    float source, source_by_alpha, backdrop, backdrop_by_alpha;
} factors;

/* Indexed by mode; blend modes have no entry of their own. */
static const factors porter_duff[] = {[SDPX_BLEND_NORMAL] = {1, 0, 1, -1},
                                      [SDPX_BLEND_CLEAR] = {0, 0, 0, 0},
                                      [SDPX_BLEND_COPY] = {1, 0, 0, 0},
                                      [SDPX_BLEND_SOURCE_IN] = {0, 1, 0, 0},
                                      [SDPX_BLEND_SOURCE_OUT] = {1, -1, 0, 0},
                                      [SDPX_BLEND_SOURCE_ATOP] = {0, 1, 1, -1},
                                      [SDPX_BLEND_DESTINATION_OVER] = {1, -1, 1, 0},
                                      [SDPX_BLEND_DESTINATION_IN] = {0, 0, 0, 1},
                                      [SDPX_BLEND_DESTINATION_OUT] = {0, 0, 1, -1},
                                      [SDPX_BLEND_DESTINATION_ATOP] = {1, -1, 0, 1},
                                      [SDPX_BLEND_XOR] = {1, -1, 1, -1}};

INLINE float least(float a, float b) {
    return a < b ? a : b;
}
INLINE float most(float a, float b) {
    return a > b ? a : b;
}

/* Returns 0 instead of dividing by 0: a transparent result has no color. */
INLINE float divided(float v, float by) {
    return by > 0 ? v / by : 0;
}

/* Composites by factors. The color is the source, the pixels are the backdrop. */
LOCAL_KERNEL(void, weigh, (p, n, color, f), sdpx_planes *p, size_t n, const float *color, const factors *f) {
    float *planes[3] = {p->red, p->green, p->blue}, as = color[3];
    float backdrop = f->backdrop + f->backdrop_by_alpha * as;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            /* Both parts are weighted by their alpha; the sum is the alpha of the result. */
            float ab = p->alpha[i], s = (f->source + f->source_by_alpha * ab) * as, b = backdrop * ab;
            planes[k][i] = divided(s * color[k] + b * planes[k][i], s + b);
        }
    for (size_t i = 0; i < n; i++) {
        float ab = p->alpha[i];
        p->alpha[i] = (f->source + f->source_by_alpha * ab) * as + backdrop * ab;
    }
}

/* Adds colors, or their complements for `darker`, clamped to the range of the format. PDF defines neither mode: as in
   Quartz. */
LOCAL_KERNEL(void, add, (p, n, color, darker), sdpx_planes *p, size_t n, const float *color, int darker) {
    float *planes[3] = {p->red, p->green, p->blue}, as = color[3];
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            float ab = p->alpha[i], sum = color[k] * as + planes[k][i] * ab, alpha = least(1, as + ab);
            float lighter = least(alpha, sum), dark = most(0, alpha - (as + ab) + sum);
            planes[k][i] = divided(darker ? dark : lighter, alpha);
        }
    for (size_t i = 0; i < n; i++)
        p->alpha[i] = least(1, as + p->alpha[i]);
}

/* The functions up to color_burn are those of section 10.1: `b` is the backdrop, `s` the source. */
INLINE float hard_light(float b, float s) {
    return s <= 0.5f ? 2 * b * s : b + (2 * s - 1) - b * (2 * s - 1);
}

/* `d` is the function of the backdrop that section 10.1 gives for bright sources. */
INLINE float soft_light(float b, float s) {
    float root = SQUARE_ROOT(b), d = b <= 0.25f ? ((16 * b - 12) * b + 4) * b : root;
    return s <= 0.5f ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b);
}

INLINE float color_dodge(float b, float s) {
    return b <= 0 ? 0 : s >= 1 ? 1 : least(1, b / (1 - s));
}
INLINE float color_burn(float b, float s) {
    return b >= 1 ? 1 : s <= 0 ? 0 : 1 - least(1, (1 - b) / s);
}

/* Blend functions of section 10.1, for a backdrop and a source. */
INLINE float blended(int mode, float b, float s) {
    switch (mode) {
    case SDPX_BLEND_MULTIPLY: return b * s;
    case SDPX_BLEND_SCREEN: return b + s - b * s;
    case SDPX_BLEND_OVERLAY: return hard_light(s, b);
    case SDPX_BLEND_DARKEN: return least(b, s);
    case SDPX_BLEND_LIGHTEN: return most(b, s);
    case SDPX_BLEND_COLOR_DODGE: return color_dodge(b, s);
    case SDPX_BLEND_COLOR_BURN: return color_burn(b, s);
    case SDPX_BLEND_SOFT_LIGHT: return soft_light(b, s);
    case SDPX_BLEND_HARD_LIGHT: return hard_light(b, s);
    case SDPX_BLEND_DIFFERENCE: return b > s ? b - s : s - b;
    case SDPX_BLEND_EXCLUSION: return b + s - 2 * b * s;
    default: return s;
    }
}

/* Section 10: the blend applies where both overlap, each alone elsewhere. */
INLINE float mixed(float b, float ab, float s, float as, float blend) {
    float sum = as * (1 - ab) * s + ab * (1 - as) * b + as * ab * blend;
    return divided(sum, as + ab - as * ab);
}

/* Blends each channel separately. */
INLINE void blend_channels(sdpx_planes *p, size_t n, const float *color, int mode) {
    float *planes[3] = {p->red, p->green, p->blue};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            float b = unit(planes[k][i]);
            planes[k][i] = mixed(b, p->alpha[i], color[k], color[3], blended(mode, b, color[k]));
        }
}

typedef struct {
    float red, green, blue;
} rgb;

/* Section 10.2. */
INLINE float luminosity(rgb c) {
    return 0.3f * c.red + 0.59f * c.green + 0.11f * c.blue;
}
/* The lowest and the highest channel; their difference is the saturation. */
INLINE float lowest(rgb c) {
    return least(c.red, least(c.green, c.blue));
}
INLINE float highest(rgb c) {
    return most(c.red, most(c.green, c.blue));
}

/* Moves a color toward a gray, or away from it. */
INLINE rgb toward(rgb c, float center, float factor) {
    return (rgb){center + (c.red - center) * factor, center + (c.green - center) * factor,
                 center + (c.blue - center) * factor};
}

/* Shifts a color to a luminosity (SetLum), and moves it toward gray as far as it leaves 0 ... 1 (ClipColor). */
INLINE rgb with_luminosity(rgb c, float luminosity_wanted) {
    /* The shift preserves the differences of the channels. */
    float d = luminosity_wanted - luminosity(c);
    c = (rgb){c.red + d, c.green + d, c.blue + d};
    float l = luminosity(c), low = lowest(c), high = highest(c);
    c = toward(c, l, low < 0 ? divided(l, l - low) : 1);
    return toward(c, l, high > 1 ? divided(1 - l, high - l) : 1);
}

/* Scales the range of the channels to a saturation (SetSat). */
INLINE rgb with_saturation(rgb c, float saturation) {
    float low = lowest(c), factor = divided(saturation, highest(c) - low);
    return (rgb){(c.red - low) * factor, (c.green - low) * factor, (c.blue - low) * factor};
}

/* Blends the three channels together, by the modes of section 10.2. */
INLINE rgb blended_whole(int mode, rgb b, rgb s) {
    switch (mode) {
    case SDPX_BLEND_HUE: return with_luminosity(with_saturation(s, highest(b) - lowest(b)), luminosity(b));
    case SDPX_BLEND_SATURATION: return with_luminosity(with_saturation(b, highest(s) - lowest(s)), luminosity(b));
    case SDPX_BLEND_COLOR: return with_luminosity(s, luminosity(b));
    default: return with_luminosity(b, luminosity(s));
    }
}

/* Blends whole colors. */
INLINE void blend_colors(sdpx_planes *p, size_t n, const float *color, int mode) {
    rgb s = {color[0], color[1], color[2]};
    for (size_t i = 0; i < n; i++) {
        float ab = p->alpha[i];
        rgb b = {unit(p->red[i]), unit(p->green[i]), unit(p->blue[i])}, c = blended_whole(mode, b, s);
        p->red[i] = mixed(b.red, ab, s.red, color[3], c.red);
        p->green[i] = mixed(b.green, ab, s.green, color[3], c.green);
        p->blue[i] = mixed(b.blue, ab, s.blue, color[3], c.blue);
    }
}

/* The mode is a compile-time constant in each of these calls, so that the loop has no branch. */
LOCAL_KERNEL(void, blend, (p, n, color, mode), sdpx_planes *p, size_t n, const float *color, int mode) {
    switch (mode) {
    case SDPX_BLEND_MULTIPLY: blend_channels(p, n, color, SDPX_BLEND_MULTIPLY); break;
    case SDPX_BLEND_SCREEN: blend_channels(p, n, color, SDPX_BLEND_SCREEN); break;
    case SDPX_BLEND_OVERLAY: blend_channels(p, n, color, SDPX_BLEND_OVERLAY); break;
    case SDPX_BLEND_DARKEN: blend_channels(p, n, color, SDPX_BLEND_DARKEN); break;
    case SDPX_BLEND_LIGHTEN: blend_channels(p, n, color, SDPX_BLEND_LIGHTEN); break;
    case SDPX_BLEND_COLOR_DODGE: blend_channels(p, n, color, SDPX_BLEND_COLOR_DODGE); break;
    case SDPX_BLEND_COLOR_BURN: blend_channels(p, n, color, SDPX_BLEND_COLOR_BURN); break;
    case SDPX_BLEND_SOFT_LIGHT: blend_channels(p, n, color, SDPX_BLEND_SOFT_LIGHT); break;
    case SDPX_BLEND_HARD_LIGHT: blend_channels(p, n, color, SDPX_BLEND_HARD_LIGHT); break;
    case SDPX_BLEND_DIFFERENCE: blend_channels(p, n, color, SDPX_BLEND_DIFFERENCE); break;
    case SDPX_BLEND_EXCLUSION: blend_channels(p, n, color, SDPX_BLEND_EXCLUSION); break;
    case SDPX_BLEND_HUE: blend_colors(p, n, color, SDPX_BLEND_HUE); break;
    case SDPX_BLEND_SATURATION: blend_colors(p, n, color, SDPX_BLEND_SATURATION); break;
    case SDPX_BLEND_COLOR: blend_colors(p, n, color, SDPX_BLEND_COLOR); break;
    default: blend_colors(p, n, color, SDPX_BLEND_LUMINOSITY); break;
    }
    for (size_t i = 0; i < n; i++)
        p->alpha[i] = color[3] + p->alpha[i] * (1 - color[3]);
}

void sdpx_tint_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels,
                   const float *color, int mode) {
    size_t to_size = sdpx_pixel_size(to_format), from_size = sdpx_pixel_size(from_format);
    if (mode < SDPX_BLEND_NORMAL || mode > SDPX_BLEND_PLUS_LIGHTER)
        return;
    for (size_t offset = 0; offset < pixels; offset += SDPX_PLANE) {
        size_t n = pixels - offset < SDPX_PLANE ? pixels - offset : SDPX_PLANE;
        sdpx_planes planes;
        sdpx_read_planes(&planes, (const uint8_t *)from + offset * from_size, from_format, n);
        /* The modes are ordered: normal, blend modes, compositing modes, sums. */
        if (mode >= SDPX_BLEND_PLUS_DARKER)
            add(&planes, n, color, mode == SDPX_BLEND_PLUS_DARKER);
        else if (mode == SDPX_BLEND_NORMAL || mode >= SDPX_BLEND_CLEAR)
            weigh(&planes, n, color, &porter_duff[mode]);
        else
            blend(&planes, n, color, mode);
        sdpx_write_planes((uint8_t *)to + offset * to_size, to_format, &planes, n);
    }
}
