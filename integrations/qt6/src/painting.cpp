/* painting.cpp: draws pixels of the library without a copy. */
#include "painting.h"

namespace sdimage::qt {

namespace {

/* Height in points of the line that shows the progress, and side of the cross. */
constexpr int lineHeight = 3, crossSide = 16;

void paintImage(QPainter &painter, const QRectF &box, const QImage &image, Qt::AspectRatioMode mode) {
    QRectF place = fitted(image.size(), box, mode);
    if (place.isEmpty())
        return;
    /* The part of the image that lies inside the box. */
    QRectF visible = place.intersected(box);
    double x = image.width() / place.width(), y = image.height() / place.height();
    QRectF part((visible.x() - place.x()) * x, (visible.y() - place.y()) * y, visible.width() * x,
                visible.height() * y);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(visible, image, part);
}

} // namespace

QRectF fitted(const QSizeF &size, const QRectF &box, Qt::AspectRatioMode mode) {
    QRectF place({}, size.scaled(box.size(), mode));
    place.moveCenter(box.center());
    return place;
}

void paintTarget(QPainter &painter, const QRect &box, const ImageTarget &target, Qt::AspectRatioMode mode,
                 const QPalette &palette) {
    QImage image = target.image();
    if (!image.isNull())
        paintImage(painter, box, image, mode);
    bool hasProgress = target.progress() > 0 && target.progress() < 1;
    if (target.state() == ImageTarget::Loading && hasProgress) {
        QRect line(box.left(), box.bottom() + 1 - lineHeight, int(box.width() * target.progress()), lineHeight);
        painter.fillRect(line, palette.color(QPalette::Highlight));
    } else if (target.state() == ImageTarget::Error && image.isNull()) {
        QRect cross(0, 0, crossSide, crossSide);
        cross.moveCenter(box.center());
        painter.setPen(QPen(palette.color(QPalette::PlaceholderText), 2));
        painter.drawLine(cross.topLeft(), cross.bottomRight());
        painter.drawLine(cross.topRight(), cross.bottomLeft());
    }
}

} // namespace sdimage::qt
