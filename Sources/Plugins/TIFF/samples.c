/* samples.c: from samples as libtiff returns them to pixels, row by row (see samples.h).
 *
 * Samples become numbers of 16 bits or floats in `values` (read_…), which become pixels (put_…). 8-bit RGB and gray
 * without alpha are copied. */
#include "samples.h"

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

#include "pixel_format.h"

/* Limit of the samples of a row: their buffers take at most 256 MiB. */
static const uint64_t MOST_SAMPLES = (uint64_t)1 << 26;

/* --- CMYK conversion by a profile. */

struct sdtiff_cmyk {
    cmsHTRANSFORM transform;
};

sdtiff_cmyk *sdtiff_cmyk_new(const sdtiff_layout *layout, bool wide) {
    if (layout->kind != SDTIFF_CMYK || !layout->profile.length || layout->profile.length > SDCS_BLOCK_LIMIT)
        return NULL;
    cmsHPROFILE from = cmsOpenProfileFromMem(layout->profile.bytes, (cmsUInt32Number)layout->profile.length);
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    cmsHTRANSFORM transform = NULL;
    /* Removes multi-process elements: a list may have one of them thousands of times, and Little CMS computes each. */
    if (from)
        cmsWriteTag(from, cmsSigDToB0Tag, NULL);
    if (from && to && cmsGetColorSpace(from) == cmsSigCmykData && !cmsIsTag(from, cmsSigDToB0Tag))
        transform = cmsCreateTransform(from, wide ? TYPE_CMYK_16 : TYPE_CMYK_8, to, wide ? TYPE_RGB_16 : TYPE_RGB_8,
                                       INTENT_PERCEPTUAL, cmsFLAGS_NOCACHE);
    /* Both profiles may be closed once the transform exists. */
    if (from)
        cmsCloseProfile(from);
    if (to)
        cmsCloseProfile(to);
    sdtiff_cmyk *cmyk = transform ? malloc(sizeof *cmyk) : NULL;
    if (cmyk)
        cmyk->transform = transform;
    else if (transform)
        cmsDeleteTransform(transform);
    return cmyk;
}

void sdtiff_cmyk_free(sdtiff_cmyk *cmyk) {
    if (cmyk)
        cmsDeleteTransform(cmyk->transform);
    free(cmyk);
}

/* --- Samples to numbers. */

/* The largest value of a sample. Samples of more than 16 bits are reduced to their upper 16. */
static uint32_t largest(const sdtiff_layout *layout) {
    return layout->bits > 16 ? 65535 : (1u << layout->bits) - 1;
}

/* Samples that do not fill bytes are packed without gaps, from the highest bit on. */
static void read_bits(const uint8_t *from, uint16_t bits, uint32_t count, uint16_t *to, size_t step) {
    uint64_t held = 0;
    unsigned have = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (have < bits) {
            held = held << 8 | *from++;
            have += 8;
        }
        have -= bits;
        uint64_t value = held >> have & (((uint64_t)1 << bits) - 1);
        /* The lower bits of deep samples are dropped. */
        to[i * step] = (uint16_t)(bits > 16 ? value >> (bits - 16) : value);
    }
}

/* Reads the upper 16 bits of samples of 2, 3 or 4 bytes. libtiff has converted them to native byte order. */
static void read_words(const uint8_t *from, size_t bytes, uint32_t count, uint16_t *to, size_t step) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    from += bytes - 2;
#endif
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + i * step, from + i * bytes, 2);
}

/* Reads `count` samples; they are stored `step` words apart. Signed samples are read as unsigned, as in other readers:
 * there is no agreed black level. */
static void read_integers(const sdtiff_layout *layout, const uint8_t *from, uint32_t count, uint16_t *to, size_t step) {
    if (layout->bits == 8) {
        for (uint32_t i = 0; i < count; i++)
            to[i * step] = from[i];
    } else if (layout->bits == 16 || layout->bits == 24 || layout->bits == 32) {
        read_words(from, layout->bits / 8u, count, to, step);
    } else {
        read_bits(from, layout->bits, count, to, step);
    }
}

/* IEEE 754, binary16. */
static float half_to_float(uint16_t half) {
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023, bits;
    float value;
    /* Zero and subnormal numbers: multiples of 2^-24. */
    if (exponent == 0) {
        value = (float)fraction / 16777216.0f;
        return half & 0x8000 ? -value : value;
    }
    /* 112 is the difference of the exponent biases, 127 and 15. The exponent 31 stands for infinity and NaN. */
    bits = (uint32_t)(half & 0x8000) << 16 | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns a sample of linear light. NaN and values beyond the range of binary16 become black. */
static float as_light(double value) {
    return value >= -65504 && value <= 65504 ? (float)value : 0;
}

/* Reads `count` samples of 16, 32 or 64 bits; they are stored `step` floats apart. */
static void read_floats(const sdtiff_layout *layout, const uint8_t *from, uint32_t count, float *to, size_t step) {
    for (uint32_t i = 0; i < count; i++) {
        uint16_t half;
        float single;
        double number;
        if (layout->bits == 16) {
            memcpy(&half, from + i * 2u, sizeof half);
            number = (double)half_to_float(half);
        } else if (layout->bits == 32) {
            memcpy(&single, from + i * 4u, sizeof single);
            number = (double)single;
        } else {
            memcpy(&number, from + i * (size_t)8, sizeof number);
        }
        to[i * step] = as_light(number);
    }
}

/* Reads samples into `values`, from index `offset` on in steps of `step`. */
static void read_plane(const sdtiff_unpacker *unpacker, const uint8_t *from, uint32_t count, size_t offset,
                       size_t step) {
    if (unpacker->layout->is_float)
        read_floats(unpacker->layout, from, count, (float *)unpacker->values + offset, step);
    else
        read_integers(unpacker->layout, from, count, (uint16_t *)unpacker->values + offset, step);
}

/* --- Numbers to pixels. */

/* Scales a sample from 0 ... `most` to 0 ... `to`, with rounding. */
static uint32_t scaled(uint32_t value, uint32_t most, uint32_t to) {
    return most == to ? value : (uint32_t)(((uint64_t)value * to + most / 2) / most);
}

/* Stores a sample of 8 or 16 bits in native byte order. */
static void put(bool wide, uint8_t *pixels, size_t index, uint32_t value) {
    uint16_t word = (uint16_t)value;
    if (wide)
        memcpy(pixels + index * 2, &word, sizeof word);
    else
        pixels[index] = (uint8_t)value;
}

/* A color component with premultiplied alpha divided out, rounded down as in other readers. */
static uint32_t straight(uint32_t color, uint32_t alpha, uint32_t most) {
    uint64_t value = alpha ? (uint64_t)color * most / alpha : 0;
    return value > most ? most : (uint32_t)value;
}

/* The color components of one pixel, scaled to 0 ... `to`: three, or one for gray. */
static void colors_of(const sdtiff_unpacker *unpacker, const uint16_t *values, uint32_t to, uint32_t *colors) {
    const sdtiff_layout *layout = unpacker->layout;
    uint32_t most = largest(layout);
    if (layout->kind == SDTIFF_PALETTE) {
        for (int c = 0; c < 3; c++)
            colors[c] = (uint32_t)(layout->palette[c][values[0]] >> layout->palette_shift) & 255;
        return;
    }
    if (layout->kind == SDTIFF_CMYK) {
        /* The plain conversion, without a profile: the light that color and black ink leave. */
        uint32_t black = most - values[3];
        for (int c = 0; c < 3; c++)
            colors[c] = scaled((uint32_t)((uint64_t)(most - values[c]) * black / most), most, to);
        return;
    }
    for (int c = 0; c < layout->colors; c++)
        colors[c] = scaled(layout->inverted ? most - values[c] : values[c], most, to);
}

/* Writes pixels of integer samples. */
static void put_pixels(const sdtiff_unpacker *unpacker, uint32_t count, uint8_t *pixels) {
    const sdtiff_layout *layout = unpacker->layout;
    bool wide = sdcs_is_16_bit(unpacker->format), has_alpha = layout->alpha >= 0;
    uint32_t to = wide ? 65535 : 255, most = largest(layout);
    unsigned channels = (unsigned)(sdimage_pixel_format_bytes(unpacker->format) / (wide ? 2 : 1));
    const uint16_t *values = unpacker->values;
    for (uint32_t x = 0; x < count; x++, values += layout->samples) {
        uint32_t colors[3] = {0, 0, 0}, alpha = has_alpha ? scaled(values[layout->alpha], most, to) : to;
        colors_of(unpacker, values, to, colors);
        /* Gray with alpha is written as RGBA. */
        if (layout->kind == SDTIFF_GRAY && channels > 1)
            colors[1] = colors[2] = colors[0];
        for (unsigned c = 0; c < (channels == 1 ? 1u : 3u); c++)
            put(wide, pixels, (size_t)x * channels + c,
                layout->premultiplied ? straight(colors[c], alpha, to) : colors[c]);
        if (channels == 4)
            put(wide, pixels, (size_t)x * 4 + 3, alpha);
    }
}

/* Converts CMYK by the profile. It replaces the colors that put_pixels has written without it, but not alpha. */
static void put_inks(const sdtiff_unpacker *unpacker, uint32_t count, uint8_t *pixels) {
    const sdtiff_layout *layout = unpacker->layout;
    bool wide = sdcs_is_16_bit(unpacker->format);
    size_t size = wide ? 2 : 1, pixel = sdimage_pixel_format_bytes(unpacker->format);
    uint32_t to = wide ? 65535 : 255, most = largest(layout);
    const uint16_t *values = unpacker->values;
    /* The buffer has up to 8 bytes of CMYK and 6 bytes of RGB for each pixel. */
    uint8_t *cmyk = unpacker->colors, *rgb = cmyk + (size_t)unpacker->most * 8;
    for (uint32_t x = 0; x < count; x++)
        for (size_t c = 0; c < 4; c++)
            put(wide, cmyk, x * (size_t)4 + c, scaled(values[x * (size_t)layout->samples + c], most, to));
    cmsDoTransform(unpacker->cmyk->transform, cmyk, rgb, count);
    for (uint32_t x = 0; x < count; x++)
        memcpy(pixels + x * pixel, rgb + x * 3 * size, 3 * size);
}

/* Writes pixels of floats, as RGBA. */
static void put_light(const sdtiff_unpacker *unpacker, uint32_t count, uint8_t *pixels) {
    const sdtiff_layout *layout = unpacker->layout;
    const float *values = unpacker->values;
    for (uint32_t x = 0; x < count; x++, values += layout->samples) {
        float pixel[4] = {values[0], values[0], values[0], layout->alpha >= 0 ? values[layout->alpha] : 1};
        if (layout->colors == 3)
            memcpy(pixel, values, 3 * sizeof *pixel);
        pixel[3] = pixel[3] < 0 ? 0 : pixel[3] > 1 ? 1 : pixel[3];
        for (int c = 0; c < 3; c++) {
            /* Inverted: 0 is white, 1 is black. */
            pixel[c] = layout->inverted ? 1 - pixel[c] : pixel[c];
            if (layout->premultiplied)
                pixel[c] = pixel[3] > 0 ? as_light((double)pixel[c] / (double)pixel[3]) : 0;
        }
        memcpy(pixels + (size_t)x * sizeof pixel, pixel, sizeof pixel);
    }
}

void sdtiff_unpack(const sdtiff_unpacker *unpacker, const uint8_t *const *planes, uint32_t count, uint8_t *pixels) {
    const sdtiff_layout *layout = unpacker->layout;
    /* The common cases need no numbers in between. */
    bool plain = layout->bits == 8 && !layout->inverted && layout->alpha < 0 && !layout->is_separate;
    if (plain && ((layout->kind == SDTIFF_RGB && layout->samples == 3) ||
                  (layout->kind == SDTIFF_GRAY && layout->samples == 1))) {
        memcpy(pixels, planes[0], (size_t)count * layout->samples);
        return;
    }
    if (!layout->is_separate)
        read_plane(unpacker, planes[0], count * layout->samples, 0, 1);
    for (uint16_t s = 0; layout->is_separate && s < layout->samples; s++) {
        /* Other planes were not read. */
        if (s < layout->colors || s == layout->alpha)
            read_plane(unpacker, planes[s], count, s, layout->samples);
    }
    if (layout->is_float) {
        put_light(unpacker, count, pixels);
        return;
    }
    put_pixels(unpacker, count, pixels);
    if (unpacker->cmyk)
        put_inks(unpacker, count, pixels);
}

/* --- Its memory. */

sdimage_status sdtiff_unpacker_open(sdtiff_unpacker *unpacker, const sdtiff_layout *layout, sdimage_pixel_format format,
                                    uint32_t most, bool by_profile, sdimage_error **error) {
    *unpacker = (sdtiff_unpacker){.layout = layout, .format = format, .most = most};
    uint64_t samples = (uint64_t)most * layout->samples;
    if (samples > MOST_SAMPLES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "tiff: row exceeds the limit of 2^26 samples");
    size_t size = layout->is_float ? sizeof(float) : sizeof(uint16_t);
    unpacker->values = calloc((size_t)samples, size);
    unpacker->held = samples * size;
    /* Without a usable profile the colors are converted by a formula (colors_of). */
    if (layout->kind == SDTIFF_CMYK && by_profile) {
        unpacker->cmyk = sdtiff_cmyk_new(layout, sdcs_is_16_bit(format));
        unpacker->colors = unpacker->cmyk ? malloc((size_t)most * (8 + 6)) : NULL;
        unpacker->held += unpacker->cmyk ? (uint64_t)most * (8 + 6) : 0;
        if (unpacker->cmyk && !unpacker->colors)
            return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for a row");
    }
    return unpacker->values ? SDIMAGE_STATUS_OK
                            : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for a row");
}

void sdtiff_unpacker_close(sdtiff_unpacker *unpacker) {
    sdtiff_cmyk_free(unpacker->cmyk);
    free(unpacker->values);
    free(unpacker->colors);
    *unpacker = (sdtiff_unpacker){0};
}
