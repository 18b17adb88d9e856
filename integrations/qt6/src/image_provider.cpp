/* image_provider.cpp: each Image is a load of the shared loader. */
#include <sdimage/qt/quick.h>

#include <QFutureWatcher>
#include <QQuickTextureFactory>
#include <QUrl>

#include <sdimage/qt/image.h>
#include <sdimage/qt/loader.h>

#include "handles.h"

namespace sdimage::qt {

namespace {

class Response : public QQuickImageResponse {
  public:
    explicit Response(QFuture<QImage> load) : future(std::move(load)) {
        connect(&watcher, &QFutureWatcher<QImage>::finished, this, &QQuickImageResponse::finished);
        watcher.setFuture(future);
    }
    ~Response() override { future.cancel(); }

    /* The engine waits for `finished` in either case; the end of the future emits it. */
    void cancel() override { future.cancel(); }

    QQuickTextureFactory *textureFactory() const override {
        QImage image = result();
        return image.isNull() ? nullptr : QQuickTextureFactory::textureFactoryForImage(image);
    }

    QString errorString() const override {
        QString message;
        result(&message);
        return message;
    }

  private:
    QImage result(QString *message = nullptr) const {
        try {
            if (future.isFinished() && future.resultCount() > 0)
                return future.result();
            QFuture<QImage>(future).waitForFinished();
        } catch (const LoadError &error) {
            if (message)
                *message = error.message();
        }
        return {};
    }

    QFuture<QImage> future;
    QFutureWatcher<QImage> watcher;
};

/* Encodes a plain URL again, some of whose escapes Qt has decoded. Qt decodes nothing in an id from encodeURIComponent:
 * that is decoded here. */
QByteArray urlOf(const QString &id) {
    bool isPlain = id.contains(QLatin1String(":/")) || id.startsWith(QLatin1String("data:"));
    return isPlain ? QUrl(id).toEncoded() : QByteArray::fromPercentEncoding(id.toUtf8());
}

/* If only one side is given, the box is unlimited in the other direction. */
QSize boxOf(const QSize &size) {
    constexpr int endless = 1 << 24;
    int width = qMax(size.width(), 0), height = qMax(size.height(), 0);
    return QSize(width || !height ? width : endless, height || !width ? height : endless);
}

/* Decodes a placeholder of a few dozen pixels; fails if the text is not a valid hash. */
QFuture<QImage> hashImage(const QByteArray &hash) {
    constexpr uint32_t side = 32;
    sdimage_image *decoded = nullptr;
    QByteArray text = hash.mid(hash.indexOf(':') + 1);
    if (hash.startsWith("blurhash:")) {
        sdimage_blurhash_decode(text.constData(), size_t(text.size()), side, side, 1, &decoded, nullptr);
    } else {
        QByteArray bytes = QByteArray::fromHex(text);
        sdimage_thumbhash_decode(bytes.constData(), size_t(bytes.size()), &decoded, nullptr);
    }
    Image image(decoded);
    if (!image)
        return QtFuture::makeExceptionalFuture<QImage>(
            LoadError(SDIMAGE_STATUS_BAD_DATA, QStringLiteral("no such hash")));
    return QtFuture::makeReadyFuture(toQImage(image.get()));
}

} // namespace

struct ImageProvider::Private {
    Loader *loader;
};

/* The shared loader is made on the thread of the application, and used on that of the engine. */
ImageProvider::ImageProvider() : d(std::make_unique<Private>(Private{&Loader::shared()})) {}

ImageProvider::~ImageProvider() = default;

QQuickImageResponse *ImageProvider::requestImageResponse(const QString &id, const QSize &requestedSize) {
    QByteArray url = urlOf(id);
    if (url.startsWith("blurhash:") || url.startsWith("thumbhash:"))
        return new Response(hashImage(url));
    return new Response(d->loader->load(QUrl::fromEncoded(url), boxOf(requestedSize)));
}

} // namespace sdimage::qt
