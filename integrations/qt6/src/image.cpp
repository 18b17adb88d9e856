/* image.cpp: pixels are shared; the cleanup function of a QImage and the destroy function of an image release them. */
#include <sdimage/qt/image.h>

#include <QColorSpace>

#include <sdimage.h>

namespace sdimage::qt {

namespace {

/* The format of QImage with the same layout; Invalid if there is none. */
QImage::Format formatOf(sdimage_pixel_format format, bool hasAlpha) {
    switch (format) {
    case SDIMAGE_PIXEL_FORMAT_GRAY8: return QImage::Format_Grayscale8;
    case SDIMAGE_PIXEL_FORMAT_RGB8: return QImage::Format_RGB888;
    case SDIMAGE_PIXEL_FORMAT_RGBA8: return QImage::Format_RGBA8888;
    case SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED: return QImage::Format_RGBA8888_Premultiplied;
    case SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED:
        if (Q_BYTE_ORDER != Q_LITTLE_ENDIAN)
            return QImage::Format_Invalid;
        return hasAlpha ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32;
    case SDIMAGE_PIXEL_FORMAT_GRAY16: return QImage::Format_Grayscale16;
    case SDIMAGE_PIXEL_FORMAT_RGBA16: return hasAlpha ? QImage::Format_RGBA64 : QImage::Format_RGBX64;
    case SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT: return QImage::Format_RGBA32FPx4;
    default: return QImage::Format_Invalid;
    }
}

/* The layout of a format of QImage; AUTOMATIC if there is none. The fourth channel of the X formats is opaque. */
sdimage_pixel_format layoutOf(QImage::Format format) {
    switch (format) {
    case QImage::Format_Grayscale8: return SDIMAGE_PIXEL_FORMAT_GRAY8;
    case QImage::Format_RGB888: return SDIMAGE_PIXEL_FORMAT_RGB8;
    case QImage::Format_RGBX8888:
    case QImage::Format_RGBA8888: return SDIMAGE_PIXEL_FORMAT_RGBA8;
    case QImage::Format_RGBA8888_Premultiplied: return SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED;
    case QImage::Format_RGB32:
    case QImage::Format_ARGB32_Premultiplied:
        return Q_BYTE_ORDER == Q_LITTLE_ENDIAN ? SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED
                                               : SDIMAGE_PIXEL_FORMAT_AUTOMATIC;
    case QImage::Format_Grayscale16: return SDIMAGE_PIXEL_FORMAT_GRAY16;
    case QImage::Format_RGBX64:
    case QImage::Format_RGBA64: return SDIMAGE_PIXEL_FORMAT_RGBA16;
    case QImage::Format_RGBX32FPx4:
    case QImage::Format_RGBA32FPx4: return SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
    default: return SDIMAGE_PIXEL_FORMAT_AUTOMATIC;
    }
}

/* RGB16 has no counterpart; of BGRA8 on a big-endian machine, RGBA8888 is the nearest. */
sdimage_pixel_format nearest(sdimage_pixel_format format) {
    return format == SDIMAGE_PIXEL_FORMAT_RGB16 ? SDIMAGE_PIXEL_FORMAT_RGBA16
                                                : SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED;
}

QColorSpace colorSpaceOf(const sdimage_image *image) {
    if (sdimage_image_pixel_format(image) == SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        return QColorSpace::SRgbLinear;
    const sdimage_data *profile = sdimage_image_color_profile(image);
    if (!profile)
        return {};
    /* The color space keeps the array, and may outlive the image. */
    return QColorSpace::fromIccProfile(
        QByteArray(static_cast<const char *>(sdimage_data_bytes(profile)), qsizetype(sdimage_data_length(profile))));
}

} // namespace

QImage toQImage(const sdimage_image *image) {
    if (!image)
        return {};
    bool hasAlpha = sdimage_image_has_alpha(image);
    sdimage_pixel_format layout = sdimage_image_pixel_format(image);
    if (formatOf(layout, hasAlpha) == QImage::Format_Invalid)
        layout = nearest(layout);
    sdimage_image *shared = nullptr;
    /* Returns the same image if it has the layout already. */
    if (sdimage_image_convert(image, layout, &shared, nullptr) < 0)
        return {};
    /* Const pixels: QImage copies them before it writes. */
    QImage wrapped(
        static_cast<const uchar *>(sdimage_image_pixels(shared)), int(sdimage_image_width(shared)),
        int(sdimage_image_height(shared)), qsizetype(sdimage_image_stride(shared)), formatOf(layout, hasAlpha),
        [](void *pixels) { sdimage_image_unref(static_cast<sdimage_image *>(pixels)); }, shared);
    /* QImage calls the cleanup function only if it was made. */
    if (wrapped.isNull())
        sdimage_image_unref(shared);
    else if (QColorSpace space = colorSpaceOf(image); space.isValid())
        wrapped.setColorSpace(space);
    return wrapped;
}

sdimage_image *fromQImage(const QImage &image) {
    if (image.isNull())
        return nullptr;
    QImage source = image;
    bool isFloat = layoutOf(image.format()) == SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
    QColorSpace wanted = isFloat ? QColorSpace::SRgbLinear : QColorSpace::SRgb;
    /* An image without a color space counts as sRGB. */
    if (isFloat && !source.colorSpace().isValid())
        source.setColorSpace(QColorSpace::SRgb);
    if (source.colorSpace().isValid() && source.colorSpace() != wanted)
        source.convertToColorSpace(wanted);
    if (layoutOf(source.format()) == SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
        source = source.convertToFormat(Q_BYTE_ORDER != Q_LITTLE_ENDIAN ? QImage::Format_RGBA8888_Premultiplied
                                        : source.hasAlphaChannel()      ? QImage::Format_ARGB32_Premultiplied
                                                                        : QImage::Format_RGB32);
    auto *held = new QImage(source);
    sdimage_image *adopted = nullptr;
    sdimage_image_new_adopting(
        uint32_t(held->width()), uint32_t(held->height()), size_t(held->bytesPerLine()), layoutOf(held->format()),
        const_cast<uchar *>(held->constBits()), held, [](void *pixels) { delete static_cast<QImage *>(pixels); },
        &adopted, nullptr);
    return adopted;
}

} // namespace sdimage::qt
