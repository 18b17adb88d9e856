/* image_provider.h: images for Qt Quick, loaded by libsdimage.
 *
 *   engine.addImageProvider("sd", new ImageProvider);
 *
 *   Image {
 *       source: "image://sd/" + encodeURIComponent(url)
 *       sourceSize: Qt.size(256, 256)   // a box in pixels; the image is decoded into it
 *       cache: false                    // the provider has a cache that honours freshness
 *   }
 *
 * A URL may also be given unencoded, "image://sd/https://example.org/cat.jpg", if it has no characters that Qt
 * decodes. "blurhash:TEXT" and "thumbhash:HEX" are placeholders. Animations show their first frame. Destroying an
 * Image, or setting another source, cancels its load. */
#ifndef IMAGE_PROVIDER_H
#define IMAGE_PROVIDER_H

#include <QImage>
#include <QQuickAsyncImageProvider>

#include <sdimage.h>

class ImageProvider : public QQuickAsyncImageProvider {
  public:
    /* Totals of all providers so far, for diagnostics. */
    struct Counts {
        int loads, cancelled; /* cancelled: ended before their image arrived */
        int pictures;         /* live QImages that share pixels of the library */
    };

    /* Stores images in memory, and on disk in a folder; an empty name selects the user's folder, ~/.cache/sdimage.
     * Freshness follows HTTP, RFC 9111. If the manager cannot be created, every image fails. */
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

/* Wraps the library's pixels in a QImage without a copy. The pixels stay referenced until the last QImage that
 * shares them is destroyed. Returns a null QImage for NULL, and when memory is refused. */
QImage toQImage(const sdimage_image *image);

#endif
