/* loader.h: loading of images into a program that uses Qt.
 *
 *   Loader::shared().load(QUrl("https://example.org/cat.jpg"), QSize(256, 256)).then(this, [=](const QImage &image) {
 *       show(image);
 *   }).onFailed(this, [](const LoadError &error) { qWarning() << error.message(); });
 *
 * A program that needs only widgets or QML items does not use this header: they use the shared loader. */
#ifndef SDIMAGE_QT_LOADER_H
#define SDIMAGE_QT_LOADER_H

#include <sdimage/qt/global.h>

#include <QException>
#include <QFuture>
#include <QImage>
#include <QSize>
#include <QString>
#include <QUrl>

#include <memory>

typedef struct sdimage_dispatcher sdimage_dispatcher;
typedef struct sdimage_manager sdimage_manager;
typedef struct sdimage_request sdimage_request;

namespace sdimage::qt {

/* The failure of a load, as the exception of its future. */
class SDIMAGE_QT_API LoadError : public QException {
  public:
    /* Without a message it is the name of the status. */
    LoadError(int status, const QString &message);
    ~LoadError() override;
    int status() const { return code; }      /* a value of sdimage_status, negative */
    QString message() const { return text; } /* one line, without the URL */
    const char *what() const noexcept override { return bytes.constData(); }
    void raise() const override { throw *this; }
    LoadError *clone() const override { return new LoadError(*this); }

  private:
    int code;
    QString text;
    QByteArray bytes;
};

/* A manager of the library whose callbacks run on the thread that made the loader, in the event loop of that thread. It
 * loads http, https, file, data and qrc URLs, and follows the freshness of HTTP (RFC 9111). Images come from memory,
 * which holds 128 MiB of pixels, and from a disk cache, which loaders with the same folder share; resources and files
 * are not stored in it. */
class SDIMAGE_QT_API Loader {
  public:
    /* The loader of widgets and items that have no other, made on first use; call it on the thread of the application.
     * It ends with QCoreApplication. */
    static Loader &shared();
    /* Replaces the shared loader, before the first use; for a folder or a manager of the program. */
    static void setShared(std::unique_ptr<Loader> loader);

    /* Stores in a folder; by default the folder of the user, ~/.cache/sdimage. An unusable folder is no error: images
     * are then stored in memory alone. */
    explicit Loader(const QString &cacheFolder = {});
    /* Loads with a manager of the program, which is referenced. */
    explicit Loader(sdimage_manager *manager);
    /* Closes its own manager: loads under way fail. */
    ~Loader();
    Loader(const Loader &) = delete;
    Loader &operator=(const Loader &) = delete;

    /* Loads an image and decodes it into a box in pixels: smaller images are not enlarged, and an empty size selects
     * the size of the original. Any thread. The future finishes on a thread of the library; `then` with a context
     * object returns to its thread. Cancelling the future cancels the load; its progress is in percent. A failure is
     * the exception LoadError. Of an animation, the first frame. */
    QFuture<QImage> load(const QUrl &url, const QSize &pixels = {}, Qt::AspectRatioMode mode = Qt::KeepAspectRatio);

    /* Loads images into the caches at low priority, so that a widget that shows them later finds them: a few at a time,
     * after all visible loads. Replaces the list of the previous call. The size is that of the widget, in pixels. */
    void prefetch(const QList<QUrl> &urls, const QSize &pixels, Qt::AspectRatioMode mode = Qt::KeepAspectRatio);

    /* Borrowed; null if memory was refused. */
    sdimage_manager *manager() const;
    sdimage_dispatcher *dispatcher() const;

    /* The number of loads under way. */
    int runningCount() const;

  private:
    struct Private;
    std::unique_ptr<Private> d;
};

/* Makes the request of a widget of a size in pixels, which the caller must unref: a copy of `base`, or a new request
 * for NULL, in the pixel format that Qt draws without conversion. An empty size selects that of the original. Equal
 * arguments make equal cache keys. */
SDIMAGE_QT_API sdimage_request *newRequest(const QUrl &url, const QSize &pixels, Qt::AspectRatioMode mode,
                                           const sdimage_request *base = nullptr);

} // namespace sdimage::qt

#endif
