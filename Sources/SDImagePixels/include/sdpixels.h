/* sdpixels.h: kernels on plain memory. No allocation, no state; the best variant is selected once by CPU. */
#ifndef SDPIXELS_H
#define SDPIXELS_H

#include <stddef.h>
#include <stdint.h>

/* Hashing. */
/* 64-bit hash. Without the secret an attacker cannot construct collisions. */
uint64_t sdpx_hash64(const void *bytes, size_t length, uint64_t secret);
uint32_t sdpx_crc32c(uint32_t seed, const void *bytes, size_t length);
/* CRC-32 as in PNG and gzip; the first seed is 0. */
uint32_t sdpx_crc32(uint32_t seed, const void *bytes, size_t length);

/* Pixel formats, numbered as in the model. Samples are in native byte order; float is linear light. */
enum {
    SDPX_GRAY8 = 1,
    SDPX_RGB8 = 2,
    SDPX_RGBA8 = 3,
    SDPX_RGBA8_PREMULTIPLIED = 4,
    SDPX_BGRA8_PREMULTIPLIED = 5,
    SDPX_GRAY16 = 6,
    SDPX_RGB16 = 7,
    SDPX_RGBA16 = 8,
    SDPX_RGBA_FLOAT = 9
};

/* Returns the bytes of one pixel; 0 for an unknown format. */
size_t sdpx_pixel_size(int format);

/* Converts `pixels` pixels from one format to another. The two rows may be the same memory only if the pixel size is
   the same.
   - 16 to 8 bits is v >> 8, 8 to 16 is v * 257.
   - Gray is libjpeg's luma.
   - Alpha is dropped after dividing the color by it.
   - Between integers and float the sRGB transfer function applies. Integers are clamped and rounded to the nearest.
   An unknown format does nothing. */
void sdpx_convert_row(void *to, int to_format, const void *from, int from_format, size_t pixels);

/* Converts any integer format to straight RGBA floats, 0 ... 1 and still encoded. */
void sdpx_unit_row(float *to, const void *from, int from_format, size_t pixels);

/* The conversion of samples to linear light on a display, in three steps.
   1. Each sample is looked up in the table.
   2. If the system gamma is not 1, all three are scaled by a power of their luminance, computed with these weights.
   3. The matrix converts to the primaries of sRGB (rows for red, green, blue). */
typedef struct {
    /* 256 or 65,536 entries, depending on the sample depth. */
    const float *table;
    float luminance[3];
    float system_gamma;
    float matrix[9];
    /* Values beyond white are tone-mapped into the range. */
    int tone_maps;
} sdpx_light;

/* Converts a row of a straight integer format that way; the rows must not overlap. */
void sdpx_render_row(void *to, int to_format, const void *from, int from_format, size_t pixels,
                     const sdpx_light *light);

/* Tone-maps linear light to 0 ... 1 in place. Below 0.75 nothing changes; from there to 10,000 cd/m2 (white is 203) a
   shoulder leads to 1. */
void sdpx_tone_map(float *rgba, size_t pixels);

/* Converts a row of inverted CMYK (Adobe's convention: 255 is no ink) to RGB, by multiplying the inks. */
void sdpx_cmyk_to_rgb(uint8_t *to, const uint8_t *from, size_t pixels);

/* Converts luma of 16 ... 235 and chroma (blue and red differences) around 128, as in ITU-R BT.601, to RGB. One sample
   of each per pixel, rounded and clamped. */
void sdpx_video_to_rgb(uint8_t *to, const uint8_t *luma, const uint8_t *blue, const uint8_t *red, size_t pixels);

/* The first sets the alpha of RGBA8 or BGRA8 pixels to 255; the second reports that it is 255 already. */
void sdpx_make_opaque(uint8_t *row, size_t pixels);
int sdpx_is_opaque(const uint8_t *row, size_t pixels);

/* Composites pixels of 4 bytes, of which the last is alpha, over a color, and makes them opaque; rounds to the nearest.
   `background` has the first three bytes of such a pixel. The rows may be the same memory. */
void sdpx_flatten_row(uint8_t *to, const uint8_t *from, size_t pixels, const uint8_t *background, int is_premultiplied);

/* Composite RGBA8 pixels over others. The first follows the PNG specification and rounds to the nearest. The others use
   the arithmetic of libwebp's animation decoder, which rounds down, for straight and for premultiplied colors. */
void sdpx_over_row(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_webp_over_row(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_webp_over_row_premultiplied(uint8_t *to, const uint8_t *from, size_t pixels);

/* Adds a row to `count` rows of column sums, each with its own weight. `channels` 4 means straight alpha: the color is
   multiplied by alpha first. `samples` counts channels, not pixels. */
void sdpx_accumulate_u8(float *const *sums, const float *weights, size_t count, const uint8_t *row, size_t samples,
                        int channels);
void sdpx_accumulate_u16(float *const *sums, const float *weights, size_t count, const uint16_t *row, size_t samples,
                         int channels);
void sdpx_accumulate_f32(float *const *sums, const float *weights, size_t count, const float *row, size_t samples);

/* Filters a row of sums along x: output pixel i is the sum of its `counts[i]` source pixels from `starts[i]` on, times
   the weights at `weights + i * taps`. Source and destination have room for 4 floats more than their pixels. */
void sdpx_filter_row(float *to, size_t pixels, const float *from, const int32_t *starts, const int32_t *counts,
                     const float *weights, size_t taps, int channels);

/* Round and clamp filtered pixels. With 4 channels the input is premultiplied; the output is straight unless
   `keep_premultiplied`. Float has four channels, of which only alpha is clamped. */
void sdpx_pack_u8(uint8_t *to, const float *from, size_t pixels, int channels, int keep_premultiplied);
void sdpx_pack_u16(uint16_t *to, const float *from, size_t pixels, int channels);
void sdpx_pack_f32(float *to, const float *from, size_t pixels);

/* Computes rounded means of boxes of samples: `factor` samples wide, 1 ... 128, and `rows` rows high, at most `factor`,
   which are `stride` bytes apart. `samples` is the length of a row; the last box may be narrower. */
void sdpx_box_row(uint8_t *to, const uint8_t *from, size_t stride, size_t rows, size_t samples, size_t factor);

/* The LZW decoder of GIF (GIF89a, appendix F). Memory-safe for any input; can pause at any byte and any pixel. */
enum {
    /* Bytes of the caller's memory before the first pixel and after the last. */
    SDPX_LZW_HEAD = 256,
    SDPX_LZW_ROOM = 16,
    /* Decoder status: needs more data; all pixels are decoded; the data ended before that; a code is invalid. */
    SDPX_LZW_MORE = 0,
    SDPX_LZW_FULL = 1,
    SDPX_LZW_END = 2,
    SDPX_LZW_BAD = 3
};

typedef struct sdpx_lzw sdpx_lzw;

/* Returns the size of a decoder in bytes; it must be aligned to 8. */
size_t sdpx_lzw_size(void);

/* Prepares the decoder for `pixels` pixels; `memory` has HEAD + pixels + ROOM bytes. 0 if the minimum code size is not
   1 to 11, or there are too many pixels. */
int sdpx_lzw_start(sdpx_lzw *lzw, unsigned minimum_size, uint8_t *memory, uint32_t pixels);

/* Decodes the next bytes of the sub-blocks, lengths included, until they end or at least `pixels` pixels are decoded.
   Returns the number of bytes used; `memory` is that of the start. Pixels are palette indices from HEAD on. */
size_t sdpx_lzw_decode(sdpx_lzw *lzw, uint8_t *memory, const uint8_t *blocks, size_t length, uint32_t pixels);

/* Return the number of pixels decoded so far, and the decoder status. */
uint32_t sdpx_lzw_count(const sdpx_lzw *lzw);
int sdpx_lzw_status(const sdpx_lzw *lzw);

/* Look up palette indices and write 4 bytes each, or their first 3. `over`: pixels of index `clear` are taken from
   `below`, which may be the same row. */
void sdpx_palette_row(uint32_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette);
void sdpx_palette_row_over(uint32_t *to, const uint32_t *below, const uint8_t *from, size_t pixels,
                           const uint32_t *palette, uint8_t clear);
void sdpx_palette_row_rgb(uint8_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette);

/* Transposes: pixel x of source row y goes to pixel y of destination row x. Strides are in bytes and may be negative;
   `bytes_per_pixel` is 1, 2, 3, 4, 6, 8 or 16. */
void sdpx_transpose(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t columns, size_t rows,
                    int bytes_per_pixel);

/* Reverse the pixels of a row, into another one or in place. */
void sdpx_mirror_row_to(void *to, const void *from, size_t pixels, int bytes_per_pixel);
void sdpx_mirror_row(void *row, size_t pixels, int bytes_per_pixel);

/* Rows of Windows bitmaps. The first expands indices of 1, 2 or 4 bits to bytes; the leftmost is in the highest bits.
   The second converts indices to pixels of 1, 3 or 4 bytes by a table of 256 entries, of which the lowest byte comes
   first. */
void sdpx_unpack_indices(uint8_t *to, const uint8_t *from, size_t pixels, int bits);
void sdpx_look_up(uint8_t *to, const uint8_t *indices, size_t pixels, const uint32_t *table, int channels);

/* Converts BGR or BGRA to RGB or RGBA; alpha is 255 if the source has none. */
void sdpx_from_bgr(uint8_t *to, int to_channels, const uint8_t *from, int from_channels, size_t pixels);

/* Converts little-endian pixels of 2, 3 or 4 bytes to RGB or RGBA. Four masks locate red, green, blue and alpha; each
   is scaled to 8 bits and rounded. The bits of a mask are contiguous. A mask of 0 means 0 for a color, and 255 for
   alpha. */
void sdpx_unpack_fields(uint8_t *to, int channels, const uint8_t *from, int bytes, const uint32_t *masks,
                        size_t pixels);
/* Reports that any pixel has any bit of a mask. */
int sdpx_has_field(const uint8_t *from, int bytes, uint32_t mask, size_t pixels);

/* Clears the RGBA pixels whose bit is set; the leftmost is in the highest bit. */
void sdpx_clear_masked(uint8_t *rgba, const uint8_t *mask, size_t pixels);

/* Rows of PNG (third edition, section 9.2). Reverses a filter: `from` is without its filter byte, `above` is the
   decoded previous row, zeros for the first. The three rows must not overlap. Returns 0, without writing, for an
   unknown filter or pixel size. */
enum { SDPX_FILTER_NONE = 0, SDPX_FILTER_SUB = 1, SDPX_FILTER_UP = 2, SDPX_FILTER_AVERAGE = 3, SDPX_FILTER_PAETH = 4 };
int sdpx_unfilter_row(uint8_t *to, const uint8_t *from, const uint8_t *above, size_t bytes, int filter,
                      int pixel_bytes);

/* Converts big-endian samples to native byte order. */
void sdpx_swap_samples(uint16_t *to, const uint8_t *from, size_t samples);

/* Convert gray with alpha to RGBA; 16-bit sources are big-endian. */
void sdpx_expand_gray_alpha8(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_expand_gray_alpha16(uint16_t *to, const uint8_t *from, size_t pixels);

/* Convert RGB, or big-endian gray or RGB, to RGBA: transparent if all channels equal `key`, opaque elsewhere. */
void sdpx_expand_keyed8(uint8_t *to, const uint8_t *from, size_t pixels, const uint16_t *key);
void sdpx_expand_keyed16(uint16_t *to, const uint8_t *from, size_t pixels, const uint16_t *key, int channels);

/* Writes pixel i at i * step and at the `spread` - 1 positions after it, none beyond `width`. */
void sdpx_scatter_pixels(uint8_t *to, const uint8_t *from, size_t count, size_t step, size_t spread, size_t width,
                         int pixel_bytes);

#endif
