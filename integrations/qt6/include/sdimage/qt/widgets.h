/* widgets.h: remote images in Qt Widgets.
 *
 *   setImageUrl(label, url);                                  a QLabel, with one line
 *   auto *label = new RemoteImageLabel(url);                  with progress, animation and scaling
 *   view->setItemDelegate(new RemoteImageDelegate(view));     a QListView or QTableView whose model has URLs
 *
 * All of it belongs to the thread of the application. Images are decoded at the size of the widget in device pixels,
 * and again if it grows; a widget that gets another URL, or is destroyed, cancels its load. */
#ifndef SDIMAGE_QT_WIDGETS_H
#define SDIMAGE_QT_WIDGETS_H

#include <sdimage/qt/global.h>
#include <sdimage/qt/target.h>

#include <QFrame>
#include <QPixmap>
#include <QStyledItemDelegate>
#include <QUrl>

#include <memory>

class QAbstractItemView;
class QLabel;

namespace sdimage::qt {

/* Shows the image of a URL in a label, and a placeholder until it is loaded; animations play while the label is
 * visible. An image in memory is shown before the call returns, if the label has its size: a label that was never shown
 * or resized loads when it is shown. A label without a size loads at most the pixels of its screen.
 *
 * The next call replaces the URL, and an empty one clears the label. After an error the placeholder stays. Between
 * calls the label's pixmap belongs to this function. */
SDIMAGE_QT_API void setImageUrl(QLabel *label, const QUrl &url, const QPixmap &placeholder = {});

/* A widget that shows the image of a URL. While it loads: the placeholder, and a line with the progress at the lower
 * edge. After an error: the placeholder, and a cross if there is none. Colors are those of the palette. */
class SDIMAGE_QT_API RemoteImageLabel : public QFrame {
    Q_OBJECT
    Q_PROPERTY(QUrl url READ url WRITE setUrl NOTIFY urlChanged)
    Q_PROPERTY(QPixmap placeholder READ placeholder WRITE setPlaceholder)
    Q_PROPERTY(QString blurHash READ blurHash WRITE setBlurHash)
    Q_PROPERTY(bool progressive READ isProgressive WRITE setProgressive)
    Q_PROPERTY(Qt::AspectRatioMode fillMode READ fillMode WRITE setFillMode)
    Q_PROPERTY(bool playing READ isPlaying WRITE setPlaying)
    Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
    Q_PROPERTY(sdimage::qt::ImageTarget::State state READ state NOTIFY stateChanged)
    Q_PROPERTY(QString errorString READ errorString NOTIFY stateChanged)

  public:
    explicit RemoteImageLabel(QWidget *parent = nullptr);
    explicit RemoteImageLabel(const QUrl &url, QWidget *parent = nullptr);
    ~RemoteImageLabel() override;

    QUrl url() const;
    void setUrl(const QUrl &url);
    /* Shown until the image arrives; settings of the next URL. */
    QPixmap placeholder() const;
    void setPlaceholder(const QPixmap &placeholder);
    QString blurHash() const;
    void setBlurHash(const QString &text);
    /* Shows partial images of the next URL. Default false. */
    bool isProgressive() const;
    void setProgressive(bool progressive);
    /* Default Qt::KeepAspectRatio; KeepAspectRatioByExpanding crops, IgnoreAspectRatio stretches. */
    Qt::AspectRatioMode fillMode() const;
    void setFillMode(Qt::AspectRatioMode mode);
    /* Plays animations while the widget is visible. Default true. */
    bool isPlaying() const;
    void setPlaying(bool playing);

    /* From 0 to 1; 0 while the length is unknown. It stays 1 while the widget grows and loads a larger image. */
    double progress() const;
    ImageTarget::State state() const;
    /* One line; empty unless the state is Error. */
    QString errorString() const;
    /* For priorities, requests of the program, and the pixels. */
    ImageTarget &target() const;

    /* Independent of the image, so that layouts do not move when it arrives. */
    QSize sizeHint() const override;

  Q_SIGNALS:
    void urlChanged();
    void progressChanged();
    void stateChanged();

  protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

  private:
    struct Private;
    std::unique_ptr<Private> d;
};

/* Draws the images of a QListView or QTableView whose model returns URLs, beside or above the text, as the view places
 * icons: in the view's iconSize, or in the whole cell if there is no text. Only visible cells load, before all others;
 * then the next cells in the direction of scrolling, as many as are visible. What is further away is cancelled. */
class SDIMAGE_QT_API RemoteImageDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    /* The parent is the view. The roles of the model: of the URL, as QUrl or QString; of a BlurHash, -1 for none. */
    explicit RemoteImageDelegate(QAbstractItemView *view, int urlRole = Qt::DecorationRole, int blurHashRole = -1);
    ~RemoteImageDelegate() override;

    /* Shown until an image arrives. */
    void setPlaceholder(const QPixmap &placeholder);
    /* Default Qt::KeepAspectRatio. */
    void setFillMode(Qt::AspectRatioMode mode);
    /* Sets a request whose options, header fields and so on apply to every load; copied. Its priority is that of
     * visible cells. */
    void setRequest(const sdimage_request *request);
    /* The state of the image of a cell: Null if it is not near the visible ones. */
    ImageTarget::State state(const QModelIndex &index) const;
    /* The number of cells with an image or a load. */
    int activeCount() const;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

  protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace sdimage::qt

#endif
