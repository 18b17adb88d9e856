/* delegate.cpp: a target for each cell that is visible or near. Painting a cell starts its load; a sweep after each
 * painting and scrolling cancels what is far away. */
#include <sdimage/qt/widgets.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QEvent>
#include <QHash>
#include <QPersistentModelIndex>
#include <QScrollBar>
#include <QTimer>

#include <set>

#include "handles.h"
#include "painting.h"

namespace sdimage::qt {

struct RemoteImageDelegate::Private {
    using Targets = QHash<QPersistentModelIndex, ImageTarget *>;

    QUrl urlOf(const QModelIndex &index) const {
        QVariant value = index.data(urlRole);
        return value.userType() == QMetaType::QString ? QUrl(value.toString()) : value.toUrl();
    }

    ImageTarget *load(const QModelIndex &index, const QSize &pixels, bool isShown);
    void sweep();
    void prefetch();
    void drop(Targets::iterator &entry);

    RemoteImageDelegate *q;
    QAbstractItemView *view;
    int urlRole, blurHashRole;
    QImage placeholder;
    Qt::AspectRatioMode fillMode = Qt::KeepAspectRatio;
    Request request;
    Targets targets;
    QTimer sweeping;
    /* Visible cells, as found by the latest sweep. */
    int firstRow = 0, lastRow = -1;
    bool isBackward = false;
    std::set<int> columns;
    QSize pixels;
};

ImageTarget *RemoteImageDelegate::Private::load(const QModelIndex &index, const QSize &size, bool isShown) {
    QUrl url = urlOf(index);
    ImageTarget *&target = targets[index];
    if (!target) {
        target = new ImageTarget(q);
        target->setPlaceholder(placeholder);
        target->setFillMode(fillMode);
        target->setRequest(request.get());
        auto redraw = [view = view, index = QPersistentModelIndex(index)] { view->update(index); };
        connect(target, &ImageTarget::imageChanged, view, redraw);
        connect(target, &ImageTarget::progressChanged, view, redraw);
        connect(target, &ImageTarget::stateChanged, view, redraw);
    }
    target->setVisible(isShown);
    if (target->url() != url && blurHashRole >= 0)
        target->setBlurHash(index.data(blurHashRole).toString());
    if (target->url() != url || target->state() != ImageTarget::Error)
        target->load(url, size);
    return target;
}

/* Deleted later, because it may be sending the signal that led here. */
void RemoteImageDelegate::Private::drop(Targets::iterator &entry) {
    (*entry)->disconnect();
    (*entry)->suspend();
    (*entry)->deleteLater();
    entry = targets.erase(entry);
}

void RemoteImageDelegate::Private::sweep() {
    QRect shown = view->isVisible() ? view->viewport()->rect() : QRect();
    QRect near = shown.adjusted(-shown.width(), -shown.height(), shown.width(), shown.height());
    int first = -1, last = -1;
    bool isLoading = false;
    columns.clear();
    for (auto entry = targets.begin(); entry != targets.end();) {
        QRect cell = entry.key().isValid() ? view->visualRect(entry.key()) : QRect();
        if (!near.intersects(cell) && view->isVisible()) {
            drop(entry);
            continue;
        }
        bool isShown = shown.intersects(cell);
        (*entry)->setVisible(isShown);
        if (isShown) {
            int row = entry.key().row();
            first = first < 0 ? row : qMin(first, row);
            last = qMax(last, row);
            columns.insert(entry.key().column());
            isLoading = isLoading || (*entry)->state() == ImageTarget::Loading;
        }
        ++entry;
    }
    if (first >= 0 && first != firstRow)
        isBackward = first < firstRow;
    firstRow = first;
    lastRow = last;
    if (first >= 0 && !isLoading)
        prefetch();
}

/* The next cells, as many as are visible; they wait for transfers of visible ones, in other views too. */
void RemoteImageDelegate::Private::prefetch() {
    int count = lastRow - firstRow + 1;
    QModelIndex root = view->rootIndex();
    for (int step = 1; step <= count; step++) {
        int row = isBackward ? firstRow - step : lastRow + step;
        for (int column : columns) {
            QModelIndex index = view->model()->index(row, column, root);
            if (index.isValid() && !targets.contains(index) && !urlOf(index).isEmpty())
                load(index, pixels, false);
        }
    }
}

RemoteImageDelegate::RemoteImageDelegate(QAbstractItemView *view, int urlRole, int blurHashRole)
    : QStyledItemDelegate(view), d(std::make_unique<Private>()) {
    d->q = this;
    d->view = view;
    d->urlRole = urlRole;
    d->blurHashRole = blurHashRole;
    d->sweeping.setSingleShot(true);
    auto sweepSoon = [this] {
        if (!d->sweeping.isActive())
            d->sweeping.start(0);
    };
    connect(&d->sweeping, &QTimer::timeout, this, [this] { d->sweep(); });
    connect(view->verticalScrollBar(), &QAbstractSlider::valueChanged, this, sweepSoon);
    connect(view->horizontalScrollBar(), &QAbstractSlider::valueChanged, this, sweepSoon);
    view->installEventFilter(this);
}

RemoteImageDelegate::~RemoteImageDelegate() {
    for (ImageTarget *target : std::as_const(d->targets))
        target->disconnect();
}

void RemoteImageDelegate::setPlaceholder(const QPixmap &placeholder) {
    d->placeholder = placeholder.toImage();
}

void RemoteImageDelegate::setFillMode(Qt::AspectRatioMode mode) {
    d->fillMode = mode;
}

void RemoteImageDelegate::setRequest(const sdimage_request *request) {
    d->request.reset(request ? sdimage_request_copy(request) : nullptr);
}

ImageTarget::State RemoteImageDelegate::state(const QModelIndex &index) const {
    const ImageTarget *target = d->targets.value(index);
    return target ? target->state() : ImageTarget::Null;
}

int RemoteImageDelegate::activeCount() const {
    return int(d->targets.size());
}

/* The style reserves the place of an icon, and draws none. */
void RemoteImageDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (d->urlOf(index).isEmpty())
        return;
    if (d->urlRole == Qt::DisplayRole)
        option->text.clear();
    option->icon = {};
    option->features |= QStyleOptionViewItem::HasDecoration;
}

void RemoteImageDelegate::paint(QPainter *painter, const QStyleOptionViewItem &given, const QModelIndex &index) const {
    QStyledItemDelegate::paint(painter, given, index);
    if (d->urlOf(index).isEmpty())
        return;
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    QStyle *style = option.widget ? option.widget->style() : QApplication::style();
    /* A cell without text is filled, but for a line that shows the selection. */
    QRect box = option.text.isEmpty()
                    ? option.rect.adjusted(1, 1, -1, -1)
                    : style->subElementRect(QStyle::SE_ItemViewItemDecoration, &option, option.widget);
    QSize pixels = (QSizeF(box.size()) * painter->device()->devicePixelRatioF()).toSize();
    if (pixels.isEmpty())
        return;
    d->pixels = pixels;
    ImageTarget *target = d->load(index, pixels, true);
    painter->save();
    paintTarget(*painter, box, *target, d->fillMode, option.palette);
    painter->restore();
    if (!d->sweeping.isActive())
        d->sweeping.start(0);
}

bool RemoteImageDelegate::eventFilter(QObject *watched, QEvent *event) {
    /* The base class watches its editors. */
    if (watched != d->view)
        return QStyledItemDelegate::eventFilter(watched, event);
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide || event->type() == QEvent::Resize)
        d->sweeping.start(0);
    return false;
}

} // namespace sdimage::qt
