/* quick.h: remote images in Qt Quick.
 *
 *   import Sdimage
 *   RemoteImage { source: "https://example.org/cat.jpg"; width: 180; height: 180 }
 *
 * Programs that install the QML module need no C++. Others link this library and call registerModule. */
#ifndef SDIMAGE_QT_QUICK_H
#define SDIMAGE_QT_QUICK_H

#include <sdimage/qt/global.h>
#include <sdimage/qt/target.h>

#include <QQuickAsyncImageProvider>
#include <QQuickItem>
#include <QUrl>

#include <memory>

class QQmlEngine;

namespace sdimage::qt {

/* Registers the module Sdimage 1.0 with RemoteImage, and the provider of `image://sd/` for an engine. */
SDIMAGE_QT_API void registerModule(QQmlEngine &engine);

/* An item that shows the image of a URL: a still, an animation, or what has arrived of either. It decodes at its own
 * size in device pixels, and again if it grows; without a size it has that of the image. Loads begin before the next
 * frame is drawn, so that an image in memory appears with the item.
 *
 * In a view that reuses its delegates (ListView, GridView, TableView), a pooled item cancels its load and releases the
 * image. Items outside the window load after the visible ones, unless the program has set their priority, and do not
 * play. */
class SDIMAGE_QT_API RemoteImage : public QQuickItem {
    Q_OBJECT
    Q_PROPERTY(QUrl source READ source WRITE setSource NOTIFY sourceChanged)
    Q_PROPERTY(QUrl placeholder READ placeholder WRITE setPlaceholder NOTIFY placeholderChanged)
    Q_PROPERTY(QString blurHash READ blurHash WRITE setBlurHash NOTIFY blurHashChanged)
    Q_PROPERTY(bool progressive READ isProgressive WRITE setProgressive NOTIFY progressiveChanged)
    Q_PROPERTY(FillMode fillMode READ fillMode WRITE setFillMode NOTIFY fillModeChanged)
    Q_PROPERTY(bool playing READ isPlaying WRITE setPlaying NOTIFY playingChanged)
    Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
    Q_PROPERTY(Status status READ status NOTIFY statusChanged)
    Q_PROPERTY(QString errorString READ errorString NOTIFY statusChanged)
    Q_PROPERTY(QSize sourceSize READ sourceSize NOTIFY statusChanged)

  public:
    /* The values of Image.Status and of Image.FillMode. */
    enum Status { Null, Ready, Loading, Error };
    Q_ENUM(Status)
    enum FillMode { Stretch, PreserveAspectFit, PreserveAspectCrop };
    Q_ENUM(FillMode)

    explicit RemoteImage(QQuickItem *parent = nullptr);
    ~RemoteImage() override;

    QUrl source() const;
    void setSource(const QUrl &source);
    /* The URL of a file or resource, shown until the image arrives; read at once. */
    QUrl placeholder() const;
    void setPlaceholder(const QUrl &url);
    QString blurHash() const;
    void setBlurHash(const QString &text);
    /* Shows partial images while bytes arrive. Default false. */
    bool isProgressive() const;
    void setProgressive(bool progressive);
    /* Default PreserveAspectFit. */
    FillMode fillMode() const;
    void setFillMode(FillMode mode);
    /* Plays animations while the item is visible. Default true. */
    bool isPlaying() const;
    void setPlaying(bool playing);

    /* From 0 to 1; 0 while the length is unknown. It stays 1 while the item grows and loads a larger image. */
    double progress() const;
    Status status() const;
    /* One line; empty unless the status is Error. */
    QString errorString() const;
    /* The size in pixels of the original. */
    QSize sourceSize() const;
    /* For priorities, requests of the program, and the pixels. */
    ImageTarget &target() const;

  Q_SIGNALS:
    void sourceChanged();
    void placeholderChanged();
    void blurHashChanged();
    void progressiveChanged();
    void fillModeChanged();
    void playingChanged();
    void progressChanged();
    void statusChanged();

  protected:
    void componentComplete() override;
    void geometryChange(const QRectF &newGeometry, const QRectF &oldGeometry) override;
    void itemChange(ItemChange change, const ItemChangeData &value) override;
    void updatePolish() override;
    QSGNode *updatePaintNode(QSGNode *node, UpdatePaintNodeData *) override;

  private Q_SLOTS:
    void suspend();
    void resume();

  private:
    struct Private;
    std::unique_ptr<Private> d;
};

/* Images for plain Image items: `image://sd/` followed by encodeURIComponent(url).
 *
 *   Image {
 *       source: "image://sd/" + encodeURIComponent(url)
 *       sourceSize: Qt.size(256, 256)   // a box in pixels; the image is decoded into it
 *       cache: false                    // the loader has a cache that honours freshness
 *   }
 *
 * A URL may also be given unencoded, "image://sd/https://example.org/cat.jpg", if it has no characters that Qt
 * decodes. "blurhash:TEXT" and "thumbhash:HEX" are placeholders. Animations show their first frame. Destroying an
 * Image, or setting another source, cancels its load. */
class SDIMAGE_QT_API ImageProvider : public QQuickAsyncImageProvider {
  public:
    /* Loads with the shared loader. */
    ImageProvider();
    ~ImageProvider() override;

    /* Called by the engine, on a thread of its own. */
    QQuickImageResponse *requestImageResponse(const QString &id, const QSize &requestedSize) override;

  private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace sdimage::qt

#endif
