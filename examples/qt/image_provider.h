/* image_provider.h: pictures for Qt Quick, loaded by libsdimage.
 *
 *   engine.addImageProvider("sd", new ImageProvider);
 *
 *   Image {
 *       source: "image://sd/" + encodeURIComponent(url)
 *       sourceSize: Qt.size(256, 256)   // a box in pixels; the picture is decoded into it
 *       cache: false                    // the provider has a cache that knows how long a picture is fresh
 *   }
 *
 * A URL may also stand there as it is, "image://sd/https://example.org/cat.jpg", where it has no characters that Qt
 * would decode on the way. "blurhash:TEXT" and "thumbhash:HEX" are the blurred pictures that stand in for others.
 * Animations show their first frame. An Image that is destroyed, or gets another source, cancels its load. */
#ifndef IMAGE_PROVIDER_H
#define IMAGE_PROVIDER_H

#include <QImage>
#include <QQuickAsyncImageProvider>

#include <sdimage.h>

class ImageProvider : public QQuickAsyncImageProvider {
  public:
    /* What all providers have done so far, for those who want to know. */
    struct Counts {
        int loads, cancelled; /* cancelled: ended before their picture had come */
        int pictures;         /* QImages over pixels of the library that are still alive */
    };

    /* Keeps pictures in memory, and on disk in a folder; an empty name is the user's own, ~/.cache/sdimage. Cached
     * pictures are used as HTTP says, RFC 9111. Where the manager cannot be made every picture fails. */
    explicit ImageProvider(const QString &folder = {});
    ~ImageProvider() override;
    ImageProvider(const ImageProvider &) = delete;
    ImageProvider &operator=(const ImageProvider &) = delete;

    /* Called by the engine, on a thread of its own. */
    QQuickImageResponse *requestImageResponse(const QString &id, const QSize &requestedSize) override;

    static Counts counts();

  private:
    sdimage_manager *manager = nullptr;
};

/* The library's pixels as a QImage: shared, not copied; referenced until the last QImage that shares them is gone. Null
 * for NULL, and where memory is refused. */
QImage toQImage(const sdimage_image *image);

#endif
