/* image.h: images of the library as QImages, and QImages as images of the library.
 *
 * Thread-safe: both functions are pure. */
#ifndef SDIMAGE_QT_IMAGE_H
#define SDIMAGE_QT_IMAGE_H

#include <sdimage/qt/global.h>

#include <QImage>

typedef struct sdimage_image sdimage_image;

namespace sdimage::qt {

/* Wraps the pixels of an image in a read-only QImage. The pixels stay referenced until the last QImage that shares them
 * is destroyed; writing to the QImage copies them first, as with every shared QImage.
 *
 *   GRAY8                 Format_Grayscale8        GRAY16      Format_Grayscale16
 *   RGB8                  Format_RGB888            RGB16       Format_RGBX64, converted
 *   RGBA8                 Format_RGBA8888          RGBA16      Format_RGBA64
 *   RGBA8_PREMULTIPLIED   ..._Premultiplied        RGBA_FLOAT  Format_RGBA32FPx4, QColorSpace::SRgbLinear
 *   BGRA8_PREMULTIPLIED   Format_ARGB32_Premultiplied, or Format_RGB32 without alpha
 *
 * Without a copy, except for RGB16, and for BGRA8 on big-endian machines. An embedded profile becomes the QColorSpace.
 * The pixels are not rotated: sdimage_image_orientation remains to be applied, if the decode options left it. A null
 * QImage for NULL, and when memory is refused. */
SDIMAGE_QT_API QImage toQImage(const sdimage_image *image);

/* Wraps the pixels of a QImage in an image of the library, which the caller must unref; NULL for a null QImage, and
 * when memory is refused. Without a copy for the formats above, and for RGBX8888, RGBX64 and RGBX32FPx4; others are
 * converted to ARGB32_Premultiplied or RGB32. An image in another color space than sRGB is converted to sRGB. */
SDIMAGE_QT_API sdimage_image *fromQImage(const QImage &image);

} // namespace sdimage::qt

#endif
