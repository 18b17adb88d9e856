/* av.h: the coder of the plug-in libsdimage-av.so.1: HEIC sequences and videos, by libavformat and libavcodec.
 *
 * A HEIC sequence is an endless animation. A video (MP4, QuickTime, Matroska, WebM, AVI) is decoded to a still, its
 * poster; with SDIMAGE_AV_FRAMES to an animation. Frames of the animation are decoded on demand, in any order; it holds
 * the encoded bytes and one decoder. A source (decode.h) is read only where needed: of a long video, its index and one
 * image. Sound, and alpha in separate tracks, are ignored.
 *
 * Codecs: H.265, H.264, VP8, VP9, AV1, MPEG-4, Motion JPEG. Only the given bytes are read: no protocol and no other
 * file is opened. Debian's build of these libraries is GPL-2+. Limits:
 *
 * - The time limit ends reading and decoding. At most 10000 frames are counted.
 * - Reference images held by a decoder may take four times max_bytes, for a thumbnail 1 GiB or more, and in any case
 *   64 MiB. Those held by dav1d cannot be counted: its images may have a thirtieth of that number of pixels, or fewer
 *   if the track announces more than 3 bytes for a pixel.
 * - A picture of H.264 or H.265 with more than 16384 NAL units, or 1 MiB of SEI, is TOO_LARGE.
 * - Tables of MP4 and QuickTime that announce more than 4194304 samples are TOO_LARGE. An encrypted sample, and each
 *   track of a fragment, count as several.
 *
 * libavutil prints messages about damaged data. If the program has not changed its log level, making the coder sets it
 * to AV_LOG_QUIET. */
#ifndef SDIMAGE_PLUGINS_AV_H
#define SDIMAGE_PLUGINS_AV_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_av_coder_new(sdimage_coder **coder, sdimage_error **error);

/* Option of a request or a decode, an int64: the time of a video's poster in milliseconds from its start. Exactly the
 * frame at that time is decoded; the last frame for times beyond the end. Default 0. */
#define SDIMAGE_AV_POSTER_MS "av.poster_ms"

/* Option of a request or a decode, a bool: a video is an animation of its frames, played once. Default false. */
#define SDIMAGE_AV_FRAMES "av.frames"

/* Version of libavformat in use, "59.27.100". Static. */
SDIMAGE_API const char *sdimage_av_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
