/* remote_image.cpp: an image node of the scene graph, whose texture is made of the pixels of the library. */
#include <sdimage/qt/quick.h>

#include <QQmlEngine>
#include <QQmlFile>
#include <QQmlInfo>
#include <QQuickWindow>
#include <QSGImageNode>

#include "painting.h"

namespace sdimage::qt {

namespace {

Qt::AspectRatioMode modeOf(RemoteImage::FillMode mode) {
    switch (mode) {
    case RemoteImage::Stretch: return Qt::IgnoreAspectRatio;
    case RemoteImage::PreserveAspectCrop: return Qt::KeepAspectRatioByExpanding;
    default: return Qt::KeepAspectRatio;
    }
}

/* The ancestor of an item that a view creates and pools, and the type of the view; null outside views. */
QQuickItem *delegateOf(QQuickItem *item, const QMetaObject *&view) {
    for (QQuickItem *root = item; root && root->parentItem(); root = root->parentItem()) {
        /* The parent of a delegate is the content item, whose parent is the view. */
        QQuickItem *parent = root->parentItem()->parentItem();
        for (const QMetaObject *type = parent ? parent->metaObject() : nullptr; type; type = type->superClass())
            if (!qstrcmp(type->className(), "QQuickItemView") || !qstrcmp(type->className(), "QQuickTableView")) {
                view = parent->metaObject();
                return root;
            }
    }
    return nullptr;
}

} // namespace

struct RemoteImage::Private {
    mutable ImageTarget target;
    QUrl source, placeholder;
    QString blurHash;
    FillMode fillMode = PreserveAspectFit;
    bool isProgressive = false, isPooled = false, hasStarted = false;
    bool waitsForSize = false; /* polished once without a size */
    bool isNewImage = false;   /* not in the texture yet */
    QQuickItem *delegate = nullptr;
    QMetaObject::Connection frames;

    static QSize pixels(const RemoteImage &item) {
        return (item.size() * item.window()->effectiveDevicePixelRatio()).toSize();
    }

    /* True if a part of the item is inside the window. */
    static bool isInView(const RemoteImage &item) {
        if (!item.isVisible() || !item.window())
            return false;
        QRectF place = item.mapRectToScene(item.boundingRect());
        return place.intersects(QRectF({}, item.window()->size()));
    }

    void follow(const RemoteImage &item) { target.setVisible(isInView(item)); }

    /* Follows the frames of a window, nullable: scrolling moves an ancestor, and every frame may do so. */
    void watch(RemoteImage &item, QQuickWindow *window) {
        disconnect(frames);
        if (window)
            frames = connect(window, &QQuickWindow::afterAnimating, &item, [this, &item] {
                if (target.state() == ImageTarget::Loading || target.isAnimated())
                    follow(item);
            });
    }
};

RemoteImage::RemoteImage(QQuickItem *parent) : QQuickItem(parent), d(std::make_unique<Private>()) {
    setFlag(ItemHasContents);
    connect(&d->target, &ImageTarget::imageChanged, this, [this] {
        d->isNewImage = true;
        update();
    });
    connect(&d->target, &ImageTarget::progressChanged, this, &RemoteImage::progressChanged);
    connect(&d->target, &ImageTarget::stateChanged, this, [this] {
        if (window() && !d->target.sourceSize().isEmpty()) {
            QSizeF size = QSizeF(d->target.sourceSize()) / window()->effectiveDevicePixelRatio();
            setImplicitSize(size.width(), size.height());
        }
        Q_EMIT statusChanged();
    });
    d->watch(*this, window()); /* the constructor of QQuickItem cannot call itemChange of this class */
}

RemoteImage::~RemoteImage() = default;

QUrl RemoteImage::source() const {
    return d->source;
}

/* The earlier image is released now; the load begins when the item has its size: docs/decisions.md, "An item loads
 * before its frame, not when its source is set". */
void RemoteImage::setSource(const QUrl &source) {
    if (source == d->source)
        return;
    d->source = source;
    d->hasStarted = d->waitsForSize = false;
    d->target.load({}, {});
    polish();
    Q_EMIT sourceChanged();
}

QUrl RemoteImage::placeholder() const {
    return d->placeholder;
}

void RemoteImage::setPlaceholder(const QUrl &url) {
    if (url == d->placeholder)
        return;
    d->placeholder = url;
    QImage image;
    if (!url.isEmpty() && !image.load(QQmlFile::urlToLocalFileOrQrc(url)))
        qmlWarning(this) << "placeholder: no image in a file or resource: " << url;
    d->target.setPlaceholder(image);
    Q_EMIT placeholderChanged();
}

QString RemoteImage::blurHash() const {
    return d->blurHash;
}

void RemoteImage::setBlurHash(const QString &text) {
    if (text == d->blurHash)
        return;
    d->blurHash = text;
    d->target.setBlurHash(text);
    Q_EMIT blurHashChanged();
}

bool RemoteImage::isProgressive() const {
    return d->isProgressive;
}

void RemoteImage::setProgressive(bool progressive) {
    if (progressive == d->isProgressive)
        return;
    d->isProgressive = progressive;
    d->target.setProgressive(progressive);
    Q_EMIT progressiveChanged();
}

RemoteImage::FillMode RemoteImage::fillMode() const {
    return d->fillMode;
}

void RemoteImage::setFillMode(FillMode mode) {
    if (mode == d->fillMode)
        return;
    d->fillMode = mode;
    d->target.setFillMode(modeOf(mode));
    update();
    Q_EMIT fillModeChanged();
}

bool RemoteImage::isPlaying() const {
    return d->target.isPlaying();
}

void RemoteImage::setPlaying(bool playing) {
    if (playing == d->target.isPlaying())
        return;
    d->target.setPlaying(playing);
    Q_EMIT playingChanged();
}

double RemoteImage::progress() const {
    return d->target.progress();
}

RemoteImage::Status RemoteImage::status() const {
    return Status(d->target.state());
}

QString RemoteImage::errorString() const {
    return d->target.errorString();
}

QSize RemoteImage::sourceSize() const {
    return d->target.sourceSize();
}

ImageTarget &RemoteImage::target() const {
    return d->target;
}

void RemoteImage::suspend() {
    d->isPooled = true;
    d->target.suspend();
}

void RemoteImage::resume() {
    d->isPooled = false;
    d->hasStarted = false;
    polish();
}

void RemoteImage::componentComplete() {
    QQuickItem::componentComplete();
    polish();
}

void RemoteImage::geometryChange(const QRectF &newGeometry, const QRectF &oldGeometry) {
    QQuickItem::geometryChange(newGeometry, oldGeometry);
    if (newGeometry.size() == oldGeometry.size())
        return;
    polish();
    update();
}

void RemoteImage::itemChange(ItemChange change, const ItemChangeData &value) {
    QQuickItem::itemChange(change, value);
    if (change == ItemSceneChange) {
        d->watch(*this, value.window);
        polish();
    } else if (change == ItemDevicePixelRatioHasChanged) {
        polish();
    } else if (change == ItemVisibleHasChanged) {
        d->follow(*this);
    }
}

void RemoteImage::updatePolish() {
    if (!window() || !isComponentComplete() || d->isPooled)
        return;
    const QMetaObject *view = nullptr;
    if (QQuickItem *root = delegateOf(this, view); root && root != d->delegate) {
        d->delegate = root;
        if (auto type = qmlAttachedPropertiesFunction(nullptr, view))
            if (QObject *attached = qmlAttachedPropertiesObject(root, type)) {
                connect(attached, SIGNAL(pooled()), this, SLOT(suspend()));
                connect(attached, SIGNAL(reused()), this, SLOT(resume()));
            }
    }
    QSize pixels = Private::pixels(*this);
    if (d->hasStarted)
        return d->target.setSize(pixels);
    if (d->source.isEmpty())
        return;
    /* Positioners and layouts may give the size in the same frame. */
    if (pixels.isEmpty() && !d->waitsForSize) {
        d->waitsForSize = true;
        QMetaObject::invokeMethod(this, &QQuickItem::polish, Qt::QueuedConnection);
        return;
    }
    d->hasStarted = true;
    d->follow(*this);
    d->target.load(d->source, pixels);
}

QSGNode *RemoteImage::updatePaintNode(QSGNode *old, UpdatePaintNodeData *) {
    auto *node = static_cast<QSGImageNode *>(old);
    QImage image = d->target.image();
    QRectF box = boundingRect(), place = fitted(image.size(), box, modeOf(d->fillMode));
    if (image.isNull() || place.isEmpty()) {
        delete node;
        d->isNewImage = true;
        return nullptr;
    }
    if (!node) {
        node = window()->createImageNode();
        node->setOwnsTexture(true);
        d->isNewImage = true;
    }
    if (d->isNewImage)
        node->setTexture(window()->createTextureFromImage(
            image, image.hasAlphaChannel() ? QQuickWindow::CreateTextureOptions() : QQuickWindow::TextureIsOpaque));
    d->isNewImage = false;
    /* The part of the image that lies inside the item. */
    QRectF visible = place.intersected(box);
    double x = image.width() / place.width(), y = image.height() / place.height();
    node->setRect(visible);
    node->setSourceRect(QRectF((visible.x() - place.x()) * x, (visible.y() - place.y()) * y, visible.width() * x,
                               visible.height() * y));
    node->setFiltering(smooth() ? QSGTexture::Linear : QSGTexture::Nearest);
    return node;
}

} // namespace sdimage::qt

#include <sdimage/qt/moc_quick.cpp>
