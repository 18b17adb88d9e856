/* decode.h: decoding of images: whole, progressively while the bytes arrive, and frame by frame.
 *
 *   sdimage_decode(bytes, length, NULL, &image, &error);            the whole image, on the calling thread
 *
 * A decoder receives the bytes as they arrive and has the best image so far:
 *
 *   sdimage_decoder *decoder = NULL;
 *   sdimage_decoder_new(NULL, NULL, &decoder, &error);
 *   do {
 *       n = read(file, piece, sizeof piece);
 *       status = sdimage_decoder_append(decoder, piece, n > 0 ? n : 0, n <= 0, &error);
 *       if (status >= 0 && sdimage_decoder_get_image(decoder, &image, NULL) == SDIMAGE_STATUS_OK)
 *           show_and_unref(image);
 *   } while (n > 0 && status == SDIMAGE_STATUS_OK);
 *
 * or has the frames of an animation, in any order. Each frame is composed to the full canvas. A few canvases are held,
 * so that every frame costs a few partial decodes and memory stays bounded. For every division of the bytes, the last
 * image and the last error are those that sdimage_decode returns for all bytes.
 *
 * The functions block, decode on the calling thread, and start no thread of the library. For the duration of a call,
 * libwebp may use one thread of its own if a processor is idle; HEIC and AVIF may use one for each processor. They may
 * be used in a forked child, unless another thread was making the very first use of them during the fork. A fork waits
 * for WebP images that other threads decode or encode, at most 250 ms; if one takes longer, decoding and encoding WebP
 * return FORKED in the child.
 *
 * HEIC and AVIF are decoded by modules: files in sdimage/1/ next to the library, or in the folder named by the
 * environment variable SDIMAGE_MODULE_PATH. A module is opened when its format is first decoded; without it the format
 * is UNSUPPORTED. TIFF, JPEG XL, SVG, PDF, HEIC sequences and videos are decoded by plug-ins (coder.h).
 *
 * Classes: sdimage_decode_options single-owner; sdimage_source synchronized; sdimage_decoder synchronized, except that
 * sdimage_decoder_append is called by one thread at a time. */
#ifndef SDIMAGE_DECODE_H
#define SDIMAGE_DECODE_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options. Defaults: full size, upright, sRGB, 8 bits a channel. */

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. */
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_ref(const sdimage_decode_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_decode_options_unref(sdimage_decode_options *options);

/* Sets the box in pixels into which the displayed image is shrunk during decoding, and how it fits. An image that fits
 * is decoded at full size; none is ever enlarged. A zero side, the default, means full size.
 *
 *   ASPECT_FIT    the result touches the box on one side and is smaller on the other
 *   FILL          the result has the size of the box, or the full size on a side that is smaller
 *   ASPECT_FILL   the result covers the box and touches it on one side, for callers that crop the excess; an image that
 *                 does not cover the box is decoded at full size
 *
 * Unknown modes count as ASPECT_FIT. */
SDIMAGE_API void sdimage_decode_options_set_thumbnail_size(sdimage_decode_options *options, uint32_t width,
                                                           uint32_t height, sdimage_scale_mode mode);
/* Returns the box of the thumbnail; 0 x 0 for full size. */
SDIMAGE_API sdimage_size sdimage_decode_options_thumbnail_size(const sdimage_decode_options *options);
/* Returns how the thumbnail fits into its box. For a mode other than ASPECT_FIT, a coder that shrinks in steps
 * returns at least the box on both sides, and the library does the rest. */
SDIMAGE_API sdimage_scale_mode sdimage_decode_options_thumbnail_mode(const sdimage_decode_options *options);

/* Sets the pixel format. Default AUTOMATIC: gray, RGB or RGBA with 8 bits a channel, whatever the depth of the file.
 * NATIVE keeps the depth: 16 bits a channel for a file with more than 8, for example a PNG of 16 bits or an AVIF of 10,
 * and float for a coder that decodes float. Frames of PNG animations have 8 bits with both. With RGBA_FLOAT, PQ and HLG
 * become light relative to a white of 203 cd/m2 (ITU-R BT.2408), and colors outside sRGB are preserved; gain maps need
 * sdimage_decode_options_set_dynamic_range. For every other format such an image is tone-mapped to sRGB, unless
 * sdimage_decode_options_set_transfer_characteristics selects PQ or HLG. The curve is that of Report ITU-R BT.2446-1,
 * method A, with one factor for the three channels. The peak that becomes white is the luminance that 1 of 200 pixels
 * exceeds, between 203 and 1000 cd/m2; an image without light above white is not darkened. Partial images have their
 * own peak, and so may frames of an animation. It is 1000 cd/m2 for frames of PNG animations, and for a PNG whose
 * samples exceed sdimage_decode_options_set_max_bytes. Thumbnails are means of the encoded samples, and their peak is
 * measured afterwards. */
SDIMAGE_API void sdimage_decode_options_set_pixel_format(sdimage_decode_options *options,
                                                         sdimage_pixel_format pixel_format);
/* Returns the pixel format. */
SDIMAGE_API sdimage_pixel_format sdimage_decode_options_pixel_format(const sdimage_decode_options *options);

/* Renditions of images that have more than the range of SDR: with a gain map, in PQ, or in HLG. */
typedef enum SDIMAGE_ENUM sdimage_dynamic_range {
    SDIMAGE_DYNAMIC_RANGE_SDR = 0,      /* the default: the base image of a file with a gain map */
    SDIMAGE_DYNAMIC_RANGE_HDR = 1,      /* the headroom of the content */
    SDIMAGE_DYNAMIC_RANGE_AUTOMATIC = 2 /* the headroom of the content or of the display, whichever is lower */
} sdimage_dynamic_range;

/* Sets the rendition. For HDR and AUTOMATIC, a still image with more than the range of SDR becomes RGBA_FLOAT if the
 * pixel format is AUTOMATIC, NATIVE or RGBA_FLOAT: linear light of sRGB primaries, with 1 for SDR white. Other pixel
 * formats, PNG animations that are not RGBA_FLOAT, and the parts of a JPEG that is arriving are SDR, except in PQ and
 * HLG (sdimage_decode_options_set_transfer_characteristics). Gain maps are read in JPEG (Ultra HDR, ISO 21496-1 and
 * Apple's format), HEIC and AVIF (ISO 21496-1 and Apple's format) and JPEG XL (ISO 21496-1), and are applied also if
 * colors are not converted to sRGB. For SDR, a base image in PQ of the latter three is reduced by its map, if colors
 * are converted. A map that cannot be used is ignored, with a warning in the log. For AUTOMATIC, PQ and HLG are reduced
 * to the headroom of the display by the tone mapping of sdimage_decode_options_set_pixel_format, applied in part: no
 * sample exceeds the display, and other light is unchanged if the peak is within its headroom. They stay encoded if
 * colors are not converted to sRGB. A decoder reads a JPEG to its end, because the map follows the image: there are no
 * early thumbnails. */
SDIMAGE_API void sdimage_decode_options_set_dynamic_range(sdimage_decode_options *options, sdimage_dynamic_range range);
/* Returns the rendition. */
SDIMAGE_API sdimage_dynamic_range sdimage_decode_options_dynamic_range(const sdimage_decode_options *options);
/* Sets the headroom of the display for AUTOMATIC, in stops: the binary logarithm of its peak relative to SDR white.
 * Default 0, SDR. Negative numbers count as 0. */
SDIMAGE_API void sdimage_decode_options_set_display_headroom(sdimage_decode_options *options, double stops);
/* Returns the headroom of the display in stops. */
SDIMAGE_API double sdimage_decode_options_display_headroom(const sdimage_decode_options *options);

/* Leaves the base image of a file with a gain map as it is, in the color space of the file, together with its map
 * (sdimage_image_get_gain_map), whatever the rendition requested: to apply it later, or to write it into another file.
 * RGBA_FLOAT, and samples in PQ or HLG (sdimage_decode_options_set_transfer_characteristics), have precedence: then the
 * map is not kept. Default false. */
SDIMAGE_API void sdimage_decode_options_set_keep_gain_map(sdimage_decode_options *options, bool keep_gain_map);
/* Returns true if the base image is left with its gain map. */
SDIMAGE_API bool sdimage_decode_options_should_keep_gain_map(const sdimage_decode_options *options);

/* Decodes to PQ or HLG with the primaries of ITU-R BT.2020, for displays and video pipelines that take such samples:
 * the rendition that RGBA_FLOAT would have, in 16 bits, where the white of SDR is 203 cd/m2 (ITU-R BT.2408). Light
 * beyond the range of the transfer or of the primaries is clipped. It applies to every image, also to SDR and to
 * thumbnails, so that a program has one kind of surface; the image has the code points
 * (sdimage_image_transfer_characteristics), and sdimage_image_is_hdr tells whether it exceeds SDR. AUTOMATIC and NATIVE
 * are RGB16 or, with alpha, RGBA16; other pixel formats than these two are INVALID_ARGUMENT when decoding. The
 * conversion to sRGB has no effect. The decode holds the pixels as RGBA_FLOAT, too. Default DEFAULT: none of this. */
SDIMAGE_API void sdimage_decode_options_set_transfer_characteristics(sdimage_decode_options *options,
                                                                     sdimage_transfer_characteristics transfer);
/* Returns the transfer characteristics of the result; DEFAULT if they were not set. */
SDIMAGE_API sdimage_transfer_characteristics
sdimage_decode_options_transfer_characteristics(const sdimage_decode_options *options);

/* Decodes only the first frame of an animation, as a still image. Default false: the image has the other frames too
 * (sdimage_image_get_frame). */
SDIMAGE_API void sdimage_decode_options_set_first_frame_only(sdimage_decode_options *options, bool first_frame_only);
/* Returns true if only the first frame is decoded. */
SDIMAGE_API bool sdimage_decode_options_is_first_frame_only(const sdimage_decode_options *options);

/* Rotates the image upright: by the orientation in EXIF, without one by tiff:Orientation in XMP (JPEG, PNG, WebP,
 * TIFF); HEIC, AVIF and JPEG XL by the properties of the image alone. Default true. When false the pixels stay as
 * stored, and sdimage_image_orientation returns the orientation to apply. */
SDIMAGE_API void sdimage_decode_options_set_apply_orientation(sdimage_decode_options *options, bool apply);
/* Returns true if the image is rotated upright. */
SDIMAGE_API bool sdimage_decode_options_should_apply_orientation(const sdimage_decode_options *options);

/* Converts colors to sRGB. Default true: an embedded ICC profile or another description of the color space is
 * applied. Multi-process elements of profiles are ignored. When false the samples are unchanged, and the image carries
 * the profile and the code points. */
SDIMAGE_API void sdimage_decode_options_set_convert_to_srgb(sdimage_decode_options *options, bool convert);
/* Returns true if colors are converted to sRGB. */
SDIMAGE_API bool sdimage_decode_options_should_convert_to_srgb(const sdimage_decode_options *options);

/* Shrinks the image until the bitmaps of all its frames take at most this many bytes together; 0, the default, means
 * no limit. The smallest frame is one pixel. Takes precedence over the thumbnail size. */
SDIMAGE_API void sdimage_decode_options_set_limit_bytes(sdimage_decode_options *options, size_t limit_bytes);
/* Returns the limit of the bitmaps to which the image is shrunk; 0 for none. */
SDIMAGE_API size_t sdimage_decode_options_limit_bytes(const sdimage_decode_options *options);

/* Selects the coder to try first when the bytes have no signature of their own. Default UNKNOWN. */
SDIMAGE_API void sdimage_decode_options_set_format_hint(sdimage_decode_options *options, sdimage_format format);
/* Returns the format whose coder is tried first when the bytes have no signature. */
SDIMAGE_API sdimage_format sdimage_decode_options_format_hint(const sdimage_decode_options *options);

/* Sets the pixels per point of the result. Numbers below 1 restore the default. The default is 1; for loads it is 2 if
 * the cache key contains "@2x.", and 3 for "@3x.". Cache keys of http and https URLs may have "%40" for "@". */
SDIMAGE_API void sdimage_decode_options_set_scale(sdimage_decode_options *options, double scale);
/* Returns the pixels per point of the result; 1 if none were set. */
SDIMAGE_API double sdimage_decode_options_scale(const sdimage_decode_options *options);
/* Returns true if the pixels per point were set. */
SDIMAGE_API bool sdimage_decode_options_has_scale(const sdimage_decode_options *options);

/* Accepts incomplete images. Default false: truncated or damaged bytes are an error, except for a JPEG with corrupt
 * pixel data that has its end-of-image marker (sdimage_image_is_damaged), and for an ICO, of which another image is
 * decoded if the best one is damaged or cut. When true, decoding succeeds with the rows that could be decoded. */
SDIMAGE_API void sdimage_decode_options_set_accept_partial(sdimage_decode_options *options, bool accept);
/* Returns true if incomplete images are accepted. */
SDIMAGE_API bool sdimage_decode_options_should_accept_partial(const sdimage_decode_options *options);

/* Decodes a thumbnail from the beginning of the file. Default false. When true, a thumbnail of at most an eighth of a
 * progressive JPEG is decoded from its first scan. One of an interlaced PNG is decoded from its first pass, which has
 * one pixel for each block of eight by eight. The later bytes may be missing: a decoder returns END as soon as the
 * thumbnail is complete, and sdimage_decode accepts the beginning of the file. sdimage_image_consumed_bytes returns the
 * number of bytes needed. Other images are decoded as usual. */
SDIMAGE_API void sdimage_decode_options_set_early_thumbnail(sdimage_decode_options *options, bool early);
/* Returns true if a thumbnail is decoded from the beginning of the file. */
SDIMAGE_API bool sdimage_decode_options_has_early_thumbnail(const sdimage_decode_options *options);

/* Sets the safety limit of the area given by a header, in pixels. Default 2^30 for coders that stream rows, 64 *
 * 2^20 for coders that must hold the whole image; 0 restores both. */
SDIMAGE_API void sdimage_decode_options_set_max_pixels(sdimage_decode_options *options, uint64_t pixels);
/* Returns the limit of pixels for coders that hold the whole image, never 0. */
SDIMAGE_API uint64_t sdimage_decode_options_max_pixels(const sdimage_decode_options *options);

/* Sets the safety limit of the bitmap in bytes. Default 256 MiB; 0 restores it. */
SDIMAGE_API void sdimage_decode_options_set_max_bytes(sdimage_decode_options *options, size_t bytes);
/* Returns the limit of the bitmap in bytes, never 0. */
SDIMAGE_API size_t sdimage_decode_options_max_bytes(const sdimage_decode_options *options);

/* Sets the safety limit of the work in milliseconds, also for reading a header. Default 10,000; 0 restores it.
 * Independent of the clock, parsers fail with TOO_LARGE when they have read much more than the size of the file. */
SDIMAGE_API void sdimage_decode_options_set_max_work_ms(sdimage_decode_options *options, uint32_t milliseconds);
/* Returns the limit of the work in milliseconds, never 0. */
SDIMAGE_API uint32_t sdimage_decode_options_max_work_ms(const sdimage_decode_options *options);

/* Sets values for coders of the host and of plug-ins, whose headers name the keys (options.h). The values are copied.
 * NULL, the default, means none. For a request, sdimage_request_set_options sets them. */
SDIMAGE_API void sdimage_decode_options_set_options(sdimage_decode_options *options, const sdimage_options *values);
/* Returns the values for coders; NULL when there are none. Borrowed until they are set again or the options are
 * freed. */
SDIMAGE_API const sdimage_options *sdimage_decode_options_options(const sdimage_decode_options *options);

/* --- Decoding. `options` may be NULL for the defaults. */

/* Returns the format by its signature alone; UNKNOWN when none matches. */
SDIMAGE_API sdimage_format sdimage_sniff(const void *bytes, size_t length);

/* Decodes bytes with the registered coders, starting with the one registered last. The caller owns *image. Runs on the
 * calling thread; while a manager exists, one of its idle workers helps with large images. An animation holds a copy of
 * the bytes for its further frames. Errors: EMPTY_DATA, NOT_AN_IMAGE, UNSUPPORTED (a known format without a coder),
 * BAD_DATA, TRUNCATED, TOO_LARGE, TIMEOUT, NO_MEMORY, INVALID_ARGUMENT, PERMISSION_DENIED (an encrypted PDF). */
SDIMAGE_API sdimage_status sdimage_decode(const void *bytes, size_t length, const sdimage_decode_options *options,
                                          sdimage_image **image, sdimage_error **error);

/* Decodes a file, like sdimage_decode. `path` is NUL-terminated, in the bytes of the file system. If the options set no
 * scale, a name such as "cat@2x.gif" sets it. Further errors: NOT_FOUND, PERMISSION_DENIED, NOT_A_FILE, IO_ERROR. The
 * file is read, not mapped, so it may change meanwhile. */
SDIMAGE_API sdimage_status sdimage_decode_file(const char *path, const sdimage_decode_options *options,
                                               sdimage_image **image, sdimage_error **error);

/* Sets the process-wide byte limit for programs that scale large images down: they pass it to
 * sdimage_decode_options_set_limit_bytes. Initially 60 MiB; values below 4 are ignored (SDWebImage's
 * defaultScaleDownLimitBytes). */
SDIMAGE_API void sdimage_set_default_limit_bytes(size_t bytes);
/* Returns the process-wide byte limit. */
SDIMAGE_API size_t sdimage_default_limit_bytes(void);

/* --- Decoders: progressive images and animations. */

/* Creates an empty decoder. `options` may be NULL for the defaults; they are copied. `coder` decodes in place of the
 * registered ones; NULL detects the format from the bytes. Errors: INVALID_ARGUMENT, BAD_HANDLE. */
SDIMAGE_API sdimage_status sdimage_decoder_new(const sdimage_decode_options *options, sdimage_coder *coder,
                                               sdimage_decoder **decoder, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_decoder *sdimage_decoder_ref(const sdimage_decoder *decoder);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_decoder_unref(sdimage_decoder *decoder);

/* Appends the next bytes, which are copied. `finished` marks the last ones; with it `length` may be 0. Returns OK, or
 * END when more bytes would change nothing: an early thumbnail is complete, or the end of the image was reached. Bytes
 * after the last are ignored. Errors are returned as soon as they are certain, and by every later call: NOT_AN_IMAGE,
 * UNSUPPORTED, BAD_DATA, TRUNCATED (only once finished), TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_append(sdimage_decoder *decoder, const void *bytes, size_t length,
                                                  bool finished, sdimage_error **error);

/* Returns the best image so far, at the size of the final one; sdimage_image_is_incremental returns true until the last
 * bytes were appended. Missing rows of JPEG, PNG, GIF and WebP are transparent, so that the image can be drawn over a
 * placeholder: with the pixel formats AUTOMATIC and NATIVE, an image with missing rows has alpha even if the final one
 * has not. With a format without alpha, missing rows are black. (The orientation of a WebP is at its end; until then
 * the image is shown as stored.) For an animation this is the first frame, with the frames that have arrived.
 * NEED_MORE_DATA, without writing *image, while there is none. Formats without partial decoding have their image when
 * all bytes have arrived. Errors as above. */
SDIMAGE_API sdimage_status sdimage_decoder_get_image(sdimage_decoder *decoder, sdimage_image **image,
                                                     sdimage_error **error);

/* Returns the size in pixels of the decoded images; 0 x 0 until the header has arrived. */
SDIMAGE_API sdimage_size sdimage_decoder_size(const sdimage_decoder *decoder);

/* Returns the number of complete frames so far, which grows with the bytes; 1 for a still. */
SDIMAGE_API uint32_t sdimage_decoder_frame_count(const sdimage_decoder *decoder);

/* Returns the loop count of an animation as stored; 0 = infinite. Without a stored count: 1 for GIF, 0 for other
 * formats. */
SDIMAGE_API uint32_t sdimage_decoder_loop_count(const sdimage_decoder *decoder);

/* Returns the duration of a frame in milliseconds as stored, but 100 for durations below 11, as browsers do. 0 for
 * stills, and outside the frames. */
SDIMAGE_API uint32_t sdimage_decoder_frame_duration_ms(const sdimage_decoder *decoder, uint32_t index);

/* Returns frame `index`, composed to the whole canvas; in any order. A frame that cannot be decoded returns its error,
 * and later frames are composed as if it had drawn nothing. Errors: INVALID_ARGUMENT (no such frame), BAD_DATA,
 * TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_get_frame(sdimage_decoder *decoder, uint32_t index, sdimage_image **image,
                                                     sdimage_error **error);

/* Returns all bytes appended so far, by reference. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_decoder_get_data(const sdimage_decoder *decoder, sdimage_data **data,
                                                    sdimage_error **error);

/* --- Sources: random access to encoded bytes, for files of which only a part is needed, such as the index and one
 * image of a video. The bytes of a source must not change while it is used; several threads may read concurrently. */

/* Makes a source of a regular file, which is read on demand. `path` is NUL-terminated, in the file system's own bytes.
 * Errors: NOT_FOUND, PERMISSION_DENIED, NOT_A_FILE, IO_ERROR, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_source_new_file(const char *path, sdimage_source **source, sdimage_error **error);

/* Makes a source of bytes in memory, by reference. */
SDIMAGE_API sdimage_status sdimage_source_new_data(sdimage_data *data, sdimage_source **source, sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_source *sdimage_source_ref(const sdimage_source *source);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_source_unref(sdimage_source *source);

/* Total number of bytes. */
SDIMAGE_API uint64_t sdimage_source_size(const sdimage_source *source);

/* Copies up to `length` bytes from `offset` and stores their number: fewer only at the end, 0 beyond it. Errors:
 * IO_ERROR, and those of the host's function. */
SDIMAGE_API sdimage_status sdimage_source_read(const sdimage_source *source, uint64_t offset, void *buffer,
                                               size_t length, size_t *read, sdimage_error **error);

/* Makes a decoder of all bytes of a source, finished from the start. A coder with `open_source` reads what it needs;
 * for other coders all bytes are read here, up to the limit of 256 MiB. `options` and `coder` as in
 * sdimage_decoder_new; errors as in sdimage_decoder_append, and those of reading. */
SDIMAGE_API sdimage_status sdimage_decoder_new_source(sdimage_source *source, const sdimage_decode_options *options,
                                                      sdimage_coder *coder, sdimage_decoder **decoder,
                                                      sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
