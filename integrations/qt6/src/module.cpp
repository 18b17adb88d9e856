/* module.cpp: the types of the QML module. */
#include <sdimage/qt/quick.h>

#include <QQmlEngine>

namespace sdimage::qt {

void registerModule(QQmlEngine &engine) {
    static const int registered = qmlRegisterType<RemoteImage>("Sdimage", 1, 0, "RemoteImage");
    Q_UNUSED(registered)
    if (!engine.imageProvider(QStringLiteral("sd")))
        engine.addImageProvider(QStringLiteral("sd"), new ImageProvider);
}

} // namespace sdimage::qt
