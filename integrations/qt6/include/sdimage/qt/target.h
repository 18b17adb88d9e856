/* target.h: the image of one widget: what every widget and item of this library contains, for widgets of a program. */
#ifndef SDIMAGE_QT_TARGET_H
#define SDIMAGE_QT_TARGET_H

#include <sdimage/qt/global.h>

#include <QImage>
#include <QObject>
#include <QSize>
#include <QString>
#include <QUrl>

#include <memory>

typedef struct sdimage_request sdimage_request;

namespace sdimage::qt {

class Loader;

/* Loads the image of a URL at the size of a widget and keeps what the widget draws: the placeholder, partial images,
 * the image, or the current frame of an animation. A load of another URL cancels the previous one and clears the image
 * before it returns; an image in memory is available before the call returns.
 *
 *   target.load(url, size() * devicePixelRatioF());     when the widget has its size
 *   connect(&target, &ImageTarget::imageChanged, this, [this] { update(); });
 *   void paintEvent(QPaintEvent *) { draw(target.image()); }
 *
 * It lives on the thread of its loader and may be deleted at any time, also in a slot of its own signals. */
class SDIMAGE_QT_API ImageTarget : public QObject {
    Q_OBJECT

  public:
    /* The values of QQuickImageBase::Status. */
    enum State { Null, Ready, Loading, Error };
    Q_ENUM(State)

    /* Loads with the shared loader for null. The loader must outlive the target, or end with the application. */
    explicit ImageTarget(QObject *parent = nullptr, Loader *loader = nullptr);
    ~ImageTarget() override;

    /* Loads a URL; an empty one clears. `pixels` is the size of the widget in device pixels, into which the image is
     * decoded; an empty size selects that of the original. Loading the URL of a load under way, or of a ready image,
     * only changes the size: see setSize. */
    void load(const QUrl &url, const QSize &pixels);
    /* Loads the image again if the widget has become larger than the decoded image and the original has more pixels, or
     * is a vector image: 100 ms after the last change. The image is shown meanwhile. */
    void setSize(const QSize &pixels);
    /* Cancels the load under way and releases the image; the URL stays, for resume. For invisible widgets. */
    void suspend();
    /* Loads the URL again after suspend. */
    void resume();

    /* --- Settings of the next load. */

    /* Shown while there is no image. A BlurHash precedes the image, and an image of the same URL at another size that
     * is in memory precedes both. */
    void setPlaceholder(const QImage &image);
    void setBlurHash(const QString &text);
    /* The way in which the widget fits an image into its size: it decides how small the image may be decoded. A shown
     * image that becomes too small is loaded again. */
    void setFillMode(Qt::AspectRatioMode mode);
    /* Shows partial images while bytes arrive. Default false. */
    void setProgressive(bool progressive);
    /* Sets a request whose options, header fields and so on apply; copied. Its URL, size and pixel format do not. */
    void setRequest(const sdimage_request *request);
    /* Sets the priority, also of the load under way: -1 last, 0 as usual, 1 first. Until it is set, it is that of the
     * request (0 for a load without one) while the widget is visible, and -1 otherwise. */
    void setPriority(int priority);

    /* --- Animations and visibility. */

    /* Plays animations. Default true. */
    void setPlaying(bool playing);
    bool isPlaying() const;
    /* Tells if the widget is drawn. One that is not pauses animations, and loads after others: see setPriority. Default
     * true. */
    void setVisible(bool visible);

    /* --- State. */

    QUrl url() const;
    State state() const;
    /* From 0 to 1; 0 without an image and while the length is unknown. It stays 1 while a larger image of the same URL
     * is loaded. */
    double progress() const;
    /* One line; empty unless the state is Error. */
    QString errorString() const;
    /* Picture to draw; null for none. */
    QImage image() const;
    /* True if the image is a placeholder. */
    bool isPlaceholder() const;
    bool isAnimated() const;
    /* The size in pixels of the original; empty while it is unknown. */
    QSize sourceSize() const;

  Q_SIGNALS:
    /* Another image or frame is to be drawn. */
    void imageChanged();
    void stateChanged();
    void progressChanged();

  private:
    struct Private;
    friend struct Private;
    std::unique_ptr<Private> d;
};

} // namespace sdimage::qt

#endif
