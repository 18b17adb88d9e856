/* global.h: the export of symbols. */
#ifndef SDIMAGE_QT_GLOBAL_H
#define SDIMAGE_QT_GLOBAL_H

#include <QtGlobal>

/* Marks what the three libraries export; everything else is hidden. */
#define SDIMAGE_QT_API Q_DECL_EXPORT

#endif
