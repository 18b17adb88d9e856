/* painting.h: drawing of an image into the rectangle of a widget or cell. */
#ifndef SDIMAGE_QT_PAINTING_H
#define SDIMAGE_QT_PAINTING_H

#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QRect>

#include <sdimage/qt/target.h>

namespace sdimage::qt {

/* The rectangle of an image of a size that fits into, covers or fills `box`, centered. */
QRectF fitted(const QSizeF &size, const QRectF &box, Qt::AspectRatioMode mode);

/* Draws the image of a target clipped to `box`; while it loads, the progress; after an error without a placeholder, a
 * cross. */
void paintTarget(QPainter &painter, const QRect &box, const ImageTarget &target, Qt::AspectRatioMode mode,
                 const QPalette &palette);

} // namespace sdimage::qt

#endif
