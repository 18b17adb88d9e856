/* planes.c: pixels as four planes of float, and back. Kernels that compute with colors use it: the loops over planes
   are vectorized, whatever the format. */
#include "planes.h"

#include "curve.h"
#include "kernel.h"
#include "sdpx_format.h"

/* Reads four bytes for each pixel; `red` is the index of red. */
INLINE void read8(sdpx_planes *to, const uint8_t *p, size_t n, int red) {
    for (size_t i = 0; i < n; i++) {
        to->red[i] = (float)p[4 * i + (size_t)red] * (1 / 255.0f);
        to->green[i] = (float)p[4 * i + 1] * (1 / 255.0f);
        to->blue[i] = (float)p[4 * i + 2 - (size_t)red] * (1 / 255.0f);
        to->alpha[i] = (float)p[4 * i + 3] * (1 / 255.0f);
    }
}

INLINE void read16(sdpx_planes *to, const uint16_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to->red[i] = (float)p[4 * i] * (1 / 65535.0f);
        to->green[i] = (float)p[4 * i + 1] * (1 / 65535.0f);
        to->blue[i] = (float)p[4 * i + 2] * (1 / 65535.0f);
        to->alpha[i] = (float)p[4 * i + 3] * (1 / 65535.0f);
    }
}

INLINE void read_float(sdpx_planes *to, const float *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to->red[i] = p[4 * i];
        to->green[i] = p[4 * i + 1];
        to->blue[i] = p[4 * i + 2];
        to->alpha[i] = p[4 * i + 3];
    }
}

/* Reads pixels without alpha: three channels, or gray for all of them. */
INLINE void read_opaque8(sdpx_planes *to, const uint8_t *p, size_t n, size_t channels) {
    for (size_t i = 0; i < n; i++) {
        to->red[i] = (float)p[channels * i] * (1 / 255.0f);
        to->green[i] = (float)p[channels * i + channels / 2] * (1 / 255.0f);
        to->blue[i] = (float)p[channels * i + channels - 1] * (1 / 255.0f);
        to->alpha[i] = 1;
    }
}

INLINE void read_opaque16(sdpx_planes *to, const uint16_t *p, size_t n, size_t channels) {
    for (size_t i = 0; i < n; i++) {
        to->red[i] = (float)p[channels * i] * (1 / 65535.0f);
        to->green[i] = (float)p[channels * i + channels / 2] * (1 / 65535.0f);
        to->blue[i] = (float)p[channels * i + channels - 1] * (1 / 65535.0f);
        to->alpha[i] = 1;
    }
}

/* Divides color by alpha. */
INLINE void straighten(sdpx_planes *planes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        /* Divides, because multiplying by the inverse would not yield exactly 1 for values equal to alpha. */
        float a = planes->alpha[i] > 0 ? planes->alpha[i] : 1;
        planes->red[i] /= a;
        planes->green[i] /= a;
        planes->blue[i] /= a;
    }
}

/* Integers are multiplied by the reciprocal of their maximum; formats without alpha get 1. */
KERNEL(void, sdpx_read_planes, (to, from, format, n), sdpx_planes *to, const void *from, sdpx_format format, size_t n) {
    switch (format) {
    case SDPX_GRAY8: read_opaque8(to, from, n, 1); break;
    case SDPX_RGB8: read_opaque8(to, from, n, 3); break;
    case SDPX_RGBA8: read8(to, from, n, 0); break;
    case SDPX_RGBA8_PREMULTIPLIED:
        read8(to, from, n, 0);
        straighten(to, n);
        break;
    case SDPX_BGRA8_PREMULTIPLIED:
        read8(to, from, n, 2);
        straighten(to, n);
        break;
    case SDPX_GRAY16: read_opaque16(to, from, n, 1); break;
    case SDPX_RGB16: read_opaque16(to, from, n, 3); break;
    case SDPX_RGBA16: read16(to, from, n); break;
    case SDPX_RGBA_FLOAT: read_float(to, from, n); break;
    default: break;
    }
}

/* Round a value of 0 ... 1 to 8 and to 16 bits. */
INLINE uint8_t byte(float v) {
    return (uint8_t)(int32_t)(unit(v) * 255 + 0.5f);
}
INLINE uint16_t word(float v) {
    return (uint16_t)(int32_t)(unit(v) * 65535 + 0.5f);
}

/* Writes four bytes for each pixel, premultiplied if required; `red` is the index of red. */
INLINE void write8(uint8_t *p, const sdpx_planes *from, size_t n, int red, int premultiplied) {
    for (size_t i = 0; i < n; i++) {
        /* Colors are clamped before the multiplication, so that they do not exceed alpha. */
        float a = unit(from->alpha[i]), factor = premultiplied ? a : 1;
        p[4 * i + (size_t)red] = byte(unit(from->red[i]) * factor);
        p[4 * i + 1] = byte(unit(from->green[i]) * factor);
        p[4 * i + 2 - (size_t)red] = byte(unit(from->blue[i]) * factor);
        p[4 * i + 3] = byte(a);
    }
}

INLINE void write16(uint16_t *p, const sdpx_planes *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        p[4 * i] = word(from->red[i]);
        p[4 * i + 1] = word(from->green[i]);
        p[4 * i + 2] = word(from->blue[i]);
        p[4 * i + 3] = word(from->alpha[i]);
    }
}

INLINE void write_float(float *p, const sdpx_planes *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        p[4 * i] = from->red[i];
        p[4 * i + 1] = from->green[i];
        p[4 * i + 2] = from->blue[i];
        p[4 * i + 3] = unit(from->alpha[i]);
    }
}

INLINE void write_rgb8(uint8_t *p, const sdpx_planes *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        p[3 * i] = byte(from->red[i]);
        p[3 * i + 1] = byte(from->green[i]);
        p[3 * i + 2] = byte(from->blue[i]);
    }
}

INLINE void write_rgb16(uint16_t *p, const sdpx_planes *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        p[3 * i] = word(from->red[i]);
        p[3 * i + 1] = word(from->green[i]);
        p[3 * i + 2] = word(from->blue[i]);
    }
}

KERNEL(void, sdpx_write_planes, (to, format, from, n), void *to, sdpx_format format, const sdpx_planes *from,
       size_t n) {
    switch (format) {
    case SDPX_GRAY8:
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)to)[i] = byte(from->green[i]);
        break;
    case SDPX_RGB8: write_rgb8(to, from, n); break;
    case SDPX_RGBA8: write8(to, from, n, 0, 0); break;
    case SDPX_RGBA8_PREMULTIPLIED: write8(to, from, n, 0, 1); break;
    case SDPX_BGRA8_PREMULTIPLIED: write8(to, from, n, 2, 1); break;
    case SDPX_GRAY16:
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)to)[i] = word(from->green[i]);
        break;
    case SDPX_RGB16: write_rgb16(to, from, n); break;
    case SDPX_RGBA16: write16(to, from, n); break;
    case SDPX_RGBA_FLOAT: write_float(to, from, n); break;
    default: break;
    }
}

/* Gives a magnitude the sign of `v`. */
INLINE float mirrored(float v, float magnitude) {
    return v < 0 ? -magnitude : magnitude;
}

KERNEL(void, sdpx_encode_planes, (planes, n), sdpx_planes *planes, size_t n) {
    float *all[3] = {planes->red, planes->green, planes->blue};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            float v = all[k][i], magnitude = v < 0 ? -v : v;
            all[k][i] = mirrored(v, light_to_srgb(magnitude));
        }
}

KERNEL(void, sdpx_decode_planes, (planes, n), sdpx_planes *planes, size_t n) {
    float *all[3] = {planes->red, planes->green, planes->blue};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            float v = all[k][i], magnitude = v < 0 ? -v : v;
            all[k][i] = mirrored(v, srgb_to_light(magnitude));
        }
}
