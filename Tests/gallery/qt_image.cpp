/* qt_image.cpp: the QImages of examples/qt share pixels of the library and release them. Prints lines of results. */
#include <cstdio>
#include <cstring>

#include <QByteArray>

#include "image_provider.h"

static void check(const char *name, bool isFine) {
    std::printf(isFine ? "ok %s\n" : "not ok %s: false\n", name);
}

static sdimage_image *newImage(sdimage_pixel_format format) {
    static const uint8_t pixels[4 * 3 * 2] = {0, 0, 250, 255, 1, 2, 3, 255, 9, 9, 9, 255};
    sdimage_image *image = nullptr;
    sdimage_image_new(3, 2, 12, format, pixels, &image, nullptr);
    return image;
}

int main() {
    sdimage_image *image = newImage(SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    {
        QImage first = toQImage(image);
        QImage second = first;
        bool isShared = first.constBits() == sdimage_image_pixels(image) && second.constBits() == first.constBits();
        check("a QImage shares the library's pixels", isShared && first.width() == 3 && first.height() == 2);
        sdimage_image_unref(image);
        first = QImage();
        check("and keeps them", second.pixel(0, 0) == qRgba(250, 0, 0, 255) && ImageProvider::counts().pictures == 1);
        second.setPixel(0, 0, qRgba(1, 1, 1, 255));
        check("unless somebody draws on it", second.constBits() != nullptr && ImageProvider::counts().pictures == 0);
    }
    check("and gives them back, once", ImageProvider::counts().pictures == 0);
    sdimage_image *other = newImage(SDIMAGE_PIXEL_FORMAT_RGBA8);
    QImage converted = toQImage(other);
    sdimage_image_unref(other);
    check("other formats are converted", converted.pixel(0, 0) == qRgba(0, 0, 250, 255));
    check("no image is none", toQImage(nullptr).isNull());
    return 0;
}
