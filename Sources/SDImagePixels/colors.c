/* colors.c: a hash table of the colors of an image, for encoders of palette images and for frames that are stored
   packed. Open addressing with linear probing; colors are never removed. */
#include "sdpx_colors.h"

#include <string.h>

/* Slots of the hash table: sixteen for each color, so that collisions are rare. */
enum { MOST = 256, SLOT_BITS = 12, SLOTS = 1 << SLOT_BITS };

/* The table; its memory belongs to the caller. */
struct sdpx_colors {
    uint32_t count; /* colors so far */
    uint32_t values[MOST];
    /* The color of each slot, and its index in `values`, counted from 1; 0 is an empty slot. */
    uint32_t slots[SLOTS];
    uint16_t numbers[SLOTS];
};

size_t sdpx_colors_size(void) {
    return sizeof(sdpx_colors);
}

void sdpx_colors_start(sdpx_colors *colors) {
    memset(colors, 0, sizeof *colors);
}

uint32_t sdpx_colors_count(const sdpx_colors *colors) {
    return colors->count;
}

const uint32_t *sdpx_colors_values(const sdpx_colors *colors) {
    return colors->values;
}

/* Loads a pixel; RGB is opaque. */
static inline __attribute__((always_inline)) uint32_t color_at(const uint8_t *pixel, int channels) {
    return (uint32_t)pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16 |
           (uint32_t)(channels == 4 ? pixel[3] : 255) << 24;
}

/* Returns the slot of a color, or the free slot for it. */
static inline uint32_t slot_of(const sdpx_colors *colors, uint32_t color) {
    /* Multiplicative hashing; the highest bits depend on all bits of the color. */
    uint32_t slot = (color * 0x9e3779b1u) >> (32 - SLOT_BITS);
    while (colors->slots[slot] != color && colors->numbers[slot])
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* Adds a new color in its slot. 0 if the table is full. */
static inline int put(sdpx_colors *colors, uint32_t slot, uint32_t color) {
    if (colors->count == MOST)
        return 0;
    colors->values[colors->count] = color;
    colors->slots[slot] = color;
    colors->numbers[slot] = (uint16_t)++colors->count;
    return 1;
}

/* Adds the colors of a row. Runs of equal pixels are looked up once. */
static inline __attribute__((always_inline)) int add_row(sdpx_colors *colors, const uint8_t *row, size_t pixels,
                                                         int channels) {
    uint32_t before = 0;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color = color_at(row + i * (size_t)channels, channels);
        /* The first pixel has no predecessor, whatever its color. */
        if (color == before && i)
            continue;
        before = color;
        uint32_t slot = slot_of(colors, color);
        if (!colors->numbers[slot] && !put(colors, slot, color))
            return 0;
    }
    return 1;
}

int sdpx_colors_add(sdpx_colors *colors, const uint8_t *row, size_t pixels, int channels) {
    return channels == 4 ? add_row(colors, row, pixels, 4) : add_row(colors, row, pixels, 3);
}

/* Writes the replacements; the color of the previous pixel is looked up only once. */
static inline __attribute__((always_inline)) void find_row(const sdpx_colors *colors, uint8_t *to, const uint8_t *row,
                                                           size_t pixels, int channels, const uint8_t *replacements) {
    uint32_t before = 0;
    uint8_t replacement = 0;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color = color_at(row + i * (size_t)channels, channels);
        if (color != before || !i) {
            uint16_t found = colors->numbers[slot_of(colors, color)];
            replacement = found ? replacements[found - 1] : 0;
            before = color;
        }
        to[i] = replacement;
    }
}

void sdpx_colors_find(const sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels, int channels,
                      const uint8_t *replacements) {
    if (channels == 4)
        find_row(colors, to, row, pixels, 4, replacements);
    else
        find_row(colors, to, row, pixels, 3, replacements);
}

/* Does not compare with the previous pixel: in dithered images, which take most of the time, it seldom matches, and the
   branch would be unpredictable. */
int sdpx_colors_index(sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color = color_at(row + i * 4, 4), slot = slot_of(colors, color);
        if (!colors->numbers[slot] && !put(colors, slot, color))
            return 0;
        to[i] = (uint8_t)(colors->numbers[slot] - 1);
    }
    return 1;
}

void sdpx_pack_indices(uint8_t *to, const uint8_t *from, size_t pixels, int bits) {
    size_t each = 8 / (size_t)bits;
    for (size_t i = 0; i < pixels; i += each) {
        unsigned byte = 0;
        for (size_t k = 0; k < each; k++)
            /* The rest of the last byte is 0. */
            byte = byte << bits | (i + k < pixels ? from[i + k] : 0u);
        to[i / each] = (uint8_t)byte;
    }
}
