/* remote_image_label.cpp: a frame that draws the image of its target. */
#include <sdimage/qt/widgets.h>

#include <QPainter>
#include <QPointer>

#include "painting.h"

namespace sdimage::qt {

struct RemoteImageLabel::Private {
    mutable ImageTarget target;
    QUrl url;
    QPixmap placeholder;
    QString blurHash;
    bool isProgressive = false, hasStarted = false;
    Qt::AspectRatioMode fillMode = Qt::KeepAspectRatio;

    /* Loads as soon as the widget has a size: when it is visible, or was resized by the program. */
    void start(const RemoteImageLabel &label) {
        QSize pixels = (QSizeF(label.contentsRect().size()) * label.devicePixelRatioF()).toSize();
        target.setVisible(label.isVisible());
        if (hasStarted)
            return target.setSize(pixels);
        if (url.isEmpty() || pixels.isEmpty() || !(label.isVisible() || label.testAttribute(Qt::WA_Resized)))
            return;
        hasStarted = true;
        target.load(url, pixels);
    }
};

RemoteImageLabel::RemoteImageLabel(QWidget *parent) : QFrame(parent), d(std::make_unique<Private>()) {
    connect(&d->target, &ImageTarget::imageChanged, this, [this] { update(); });
    connect(&d->target, &ImageTarget::progressChanged, this, [this] {
        update();
        Q_EMIT progressChanged();
    });
    connect(&d->target, &ImageTarget::stateChanged, this, [this] {
        update();
        setAccessibleDescription(errorString());
        Q_EMIT stateChanged();
    });
}

RemoteImageLabel::RemoteImageLabel(const QUrl &url, QWidget *parent) : RemoteImageLabel(parent) {
    setUrl(url);
}

RemoteImageLabel::~RemoteImageLabel() = default;

QUrl RemoteImageLabel::url() const {
    return d->url;
}

void RemoteImageLabel::setUrl(const QUrl &url) {
    if (url == d->url && state() != ImageTarget::Error)
        return;
    /* A slot may delete the label. */
    QPointer<RemoteImageLabel> guard(this);
    d->url = url;
    d->hasStarted = false;
    d->start(*this);
    if (guard && !d->hasStarted)
        d->target.load({}, {});
    if (guard)
        Q_EMIT urlChanged();
}

QPixmap RemoteImageLabel::placeholder() const {
    return d->placeholder;
}

void RemoteImageLabel::setPlaceholder(const QPixmap &placeholder) {
    d->placeholder = placeholder;
    d->target.setPlaceholder(placeholder.toImage());
}

QString RemoteImageLabel::blurHash() const {
    return d->blurHash;
}

void RemoteImageLabel::setBlurHash(const QString &text) {
    d->blurHash = text;
    d->target.setBlurHash(text);
}

bool RemoteImageLabel::isProgressive() const {
    return d->isProgressive;
}

void RemoteImageLabel::setProgressive(bool progressive) {
    d->isProgressive = progressive;
    d->target.setProgressive(progressive);
}

Qt::AspectRatioMode RemoteImageLabel::fillMode() const {
    return d->fillMode;
}

void RemoteImageLabel::setFillMode(Qt::AspectRatioMode mode) {
    d->fillMode = mode;
    d->target.setFillMode(mode);
    update();
}

bool RemoteImageLabel::isPlaying() const {
    return d->target.isPlaying();
}

void RemoteImageLabel::setPlaying(bool playing) {
    d->target.setPlaying(playing);
}

double RemoteImageLabel::progress() const {
    return d->target.progress();
}

ImageTarget::State RemoteImageLabel::state() const {
    return d->target.state();
}

QString RemoteImageLabel::errorString() const {
    return d->target.errorString();
}

ImageTarget &RemoteImageLabel::target() const {
    return d->target;
}

QSize RemoteImageLabel::sizeHint() const {
    constexpr int side = 96;
    return QSize(side, side) + QSize(2 * frameWidth(), 2 * frameWidth());
}

void RemoteImageLabel::paintEvent(QPaintEvent *event) {
    QFrame::paintEvent(event);
    QPainter painter(this);
    paintTarget(painter, contentsRect(), d->target, d->fillMode, palette());
}

void RemoteImageLabel::resizeEvent(QResizeEvent *event) {
    QFrame::resizeEvent(event);
    d->start(*this);
}

void RemoteImageLabel::showEvent(QShowEvent *event) {
    QFrame::showEvent(event);
    d->start(*this);
}

void RemoteImageLabel::hideEvent(QHideEvent *event) {
    QFrame::hideEvent(event);
    d->target.setVisible(false);
}

} // namespace sdimage::qt

#include <sdimage/qt/moc_widgets.cpp>
