/* av.h: the coder of the plug-in libsdimage-av.so.1: HEIC sequences and videos, by libavformat and libavcodec.
 *
 * A HEIC sequence is an animation that plays for ever. Of a video (MP4, QuickTime, Matroska, WebM, AVI) a still is
 * made, its poster; with SDIMAGE_AV_FRAMES an animation, whose frames are decoded as they are asked for, in any order:
 * the encoded bytes are kept, and one decoder. A source (source.h) is read where it is needed: of a long video its
 * index and one picture. The sound, and alpha in tracks of its own, are passed over.
 *
 * H.265, H.264, VP8, VP9, AV1, MPEG-4, Motion JPEG. Nothing outside the bytes is opened: no protocol, no other file.
 * The time limit ends reading and decoding; up to 10000 frames are counted. The pictures that a decoder holds, because
 * others refer to them, may take four times max_bytes, of a thumbnail 1 GiB or more, and always 64 MiB. What dav1d
 * holds cannot be counted: its pictures may have a thirtieth of that number of pixels. Tables of MP4 and QuickTime that
 * announce more than 4194304 samples are TOO_LARGE. Debian's build of these libraries is GPL-2+.
 *
 * libavutil prints what it makes of damage: where a program has left its level of messages as it was, that becomes
 * AV_LOG_QUIET when the coder is made. */
#ifndef SDIMAGE_PLUGINS_AV_H
#define SDIMAGE_PLUGINS_AV_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_av_coder_new(sdimage_coder **coder, sdimage_error **error);

/* In the options of a request or of a decode: an int64, the time of a video's poster in milliseconds from its start,
 * whose frame is shown exactly; the last frame for times behind the end. Default 0. */
#define SDIMAGE_AV_POSTER_MS "av.poster_ms"

/* A bool: a video is an animation of its frames, played once. Default false. */
#define SDIMAGE_AV_FRAMES "av.frames"

/* The version of libavformat in use, "59.27.100". Static. */
SDIMAGE_API const char *sdimage_av_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
