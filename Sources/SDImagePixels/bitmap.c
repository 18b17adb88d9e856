/* bitmap.c: pixels of Windows bitmaps and packed indices. BMP and ICO use it, PNG for samples of fewer than 8 bits, and
   CanvasUnpacker for packed frames. */
#include "sdpx_bitmap.h"

#include <string.h>

#include "kernel.h"

/* Expands whole bytes first, then the pixels of a last incomplete byte. `bits` is a compile-time constant. */
INLINE void unpack(uint8_t *to, const uint8_t *from, size_t pixels, unsigned bits) {
    size_t each = 8 / bits, whole = pixels / each;
    uint8_t last = (uint8_t)((1u << bits) - 1);
    for (size_t i = 0; i < whole; i++)
        for (size_t k = 0; k < each; k++)
            to[i * each + k] = (uint8_t)(from[i] >> (8 - bits - k * bits)) & last;
    /* Reads no byte beyond the last pixel. */
    for (size_t k = 0; k < pixels - whole * each; k++)
        to[whole * each + k] = (uint8_t)(from[whole] >> (8 - bits - k * bits)) & last;
}

KERNEL(void, sdpx_unpack_indices, (to, from, pixels, bits), uint8_t *to, const uint8_t *from, size_t pixels, int bits) {
    if (bits == 1)
        unpack(to, from, pixels, 1);
    else if (bits == 2)
        unpack(to, from, pixels, 2);
    else if (bits == 4)
        unpack(to, from, pixels, 4);
}

void sdpx_look_up(uint8_t *to, const uint8_t *indices, size_t pixels, const uint32_t *table, int channels) {
    if (pixels == 0)
        return;
    if (channels == 1)
        for (size_t i = 0; i < pixels; i++)
            to[i] = (uint8_t)table[indices[i]];
    else if (channels == 4)
        for (size_t i = 0; i < pixels; i++)
            memcpy(to + 4 * i, &table[indices[i]], 4);
    else if (channels == 3) {
        /* Writes four bytes at once; the next pixel overwrites the last of them. */
        for (size_t i = 0; i + 1 < pixels; i++)
            memcpy(to + 3 * i, &table[indices[i]], 4);
        memcpy(to + 3 * (pixels - 1), &table[indices[pixels - 1]], 3);
    }
}

/* Exchanges the first and the third channel. */
INLINE void swap(uint8_t *to, int to_channels, const uint8_t *from, int from_channels, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint8_t b = from[i * from_channels], g = from[i * from_channels + 1], r = from[i * from_channels + 2];
        uint8_t a = from_channels == 4 ? from[i * from_channels + 3] : 255;
        to[i * to_channels] = r;
        to[i * to_channels + 1] = g;
        to[i * to_channels + 2] = b;
        if (to_channels == 4)
            to[i * to_channels + 3] = a;
    }
}

KERNEL(void, sdpx_from_bgr, (to, to_channels, from, from_channels, pixels), uint8_t *to, int to_channels,
       const uint8_t *from, int from_channels, size_t pixels) {
    if (to_channels == 3 && from_channels == 3)
        swap(to, 3, from, 3, pixels);
    else if (to_channels == 3 && from_channels == 4)
        swap(to, 3, from, 4, pixels);
    else if (to_channels == 4 && from_channels == 3)
        swap(to, 4, from, 3, pixels);
    else if (to_channels == 4 && from_channels == 4)
        swap(to, 4, from, 4, pixels);
}

/* Loads a little-endian pixel of 2, 3 or 4 bytes. */
INLINE uint32_t load(const uint8_t *from, int bytes) {
    uint32_t value = from[0] | (uint32_t)from[1] << 8;
    if (bytes > 2)
        value |= (uint32_t)from[2] << 16;
    if (bytes > 3)
        value |= (uint32_t)from[3] << 24;
    return value;
}

/* Extracts the masked fields. `channels` and `bytes` are compile-time constants. */
INLINE void fields(uint8_t *to, int channels, const uint8_t *from, int bytes, const uint32_t *masks, size_t pixels) {
    /* A field is shifted to the lowest bit, then scaled to 255. */
    unsigned shifts[4];
    double scales[4];
    for (int k = 0; k < 4; k++) {
        shifts[k] = masks[k] ? (unsigned)__builtin_ctz(masks[k]) : 0;
        scales[k] = masks[k] ? 255.0 / (masks[k] >> shifts[k]) : 0;
    }
    uint8_t opaque = masks[3] ? 0 : 255;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t value = load(from + i * bytes, bytes);
        /* Doubles round correctly: a field of n bits is never halfway between two results, because 2^n - 1 is odd. */
        for (int k = 0; k < channels; k++)
            to[i * channels + k] = (uint8_t)(((value & masks[k]) >> shifts[k]) * scales[k] + 0.5);
        if (channels == 4)
            to[i * channels + 3] |= opaque;
    }
}

KERNEL(void, sdpx_unpack_fields, (to, channels, from, bytes, masks, pixels), uint8_t *to, int channels,
       const uint8_t *from, int bytes, const uint32_t *masks, size_t pixels) {
    if (channels == 3) {
        if (bytes == 2)
            fields(to, 3, from, 2, masks, pixels);
        else if (bytes == 3)
            fields(to, 3, from, 3, masks, pixels);
        else if (bytes == 4)
            fields(to, 3, from, 4, masks, pixels);
    } else if (channels == 4) {
        if (bytes == 2)
            fields(to, 4, from, 2, masks, pixels);
        else if (bytes == 3)
            fields(to, 4, from, 3, masks, pixels);
        else if (bytes == 4)
            fields(to, 4, from, 4, masks, pixels);
    }
}

KERNEL(int, sdpx_has_field, (from, bytes, mask, pixels), const uint8_t *from, int bytes, uint32_t mask, size_t pixels) {
    uint32_t seen = 0;
    if (bytes == 2)
        for (size_t i = 0; i < pixels; i++)
            seen |= load(from + 2 * i, 2);
    else if (bytes == 3)
        for (size_t i = 0; i < pixels; i++)
            seen |= load(from + 3 * i, 3);
    else if (bytes == 4)
        for (size_t i = 0; i < pixels; i++)
            seen |= load(from + 4 * i, 4);
    return (seen & mask) != 0;
}

void sdpx_clear_masked(uint8_t *rgba, const uint8_t *mask, size_t pixels) {
    for (size_t i = 0; i < pixels; i++)
        if (mask[i / 8] >> (7 - i % 8) & 1)
            memset(rgba + 4 * i, 0, 4);
}
