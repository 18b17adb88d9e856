/* jxl.h: the coder of the plug-in libsdimage-jxl.so.1: JPEG XL, by libjxl 0.7 or later.
 *
 * Decodes stills and animations of 8 to 16 bits or floating-point samples; PQ and HLG by their code points. Progressive
 * decoding begins with the 1:8 preview. A thumbnail of at most an eighth is decoded from that preview alone if the file
 * has it. Frames of less than 100 ms are shown for 100 ms. libjxl starts threads for the duration of a call, at most
 * one for each processor. The time limit is checked between parts of an image. Builds of 0.7 write messages about
 * damaged files to standard error.
 *
 * libjxl uses planes of floats, four bytes for each sample of each channel, in rows that are padded to 128 bytes, in
 * addition to the bitmap. An image whose planes and bitmap take more than 512 MiB is TOO_LARGE; at 8 bits without alpha
 * that is one of more than 35 million pixels.
 *
 * Frames may be larger than the image: layers beyond its sides, and frames that are not shown. Planes of larger frames
 * may take 256 MiB, and count twice if later frames reference them; planes of all referenced frames may take 512 MiB.
 * Frames that take more are TOO_LARGE, before libjxl receives them. Frames with extensions, of which the standard
 * defines none, are UNSUPPORTED.
 *
 * Encodes stills and animations: quality as libjxl maps it to distances, 1 being a distance of 0.1; lossless; effort 1
 * to 9, 7 by default; 8 to 16 bits; ICC profile or code points, orientation, EXIF and XMP blocks. The intensity target
 * of PQ is the maximum light level of the content, 10,000 cd/m2 by default; that of HLG is 1,000. Efforts 8 and 9 are
 * those of 7 with libjxl before 0.12, because a failed assertion in them may end the process. So may a damaged profile:
 * one that Little CMS cannot convert from, or of another color space than the pixels, is left out. Images whose profile
 * has tables take more bytes, because their colors are not converted before they are compressed. */
#ifndef SDIMAGE_PLUGINS_JXL_H
#define SDIMAGE_PLUGINS_JXL_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_jxl_coder_new(sdimage_coder **coder, sdimage_error **error);

/* Version of libjxl in use, "0.7.0". Static. */
SDIMAGE_API const char *sdimage_jxl_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
