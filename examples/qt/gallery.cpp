/* gallery.cpp: gallery-qt: a list of URLs in a window of Qt Quick. options.h has its command line. */
#include <QGuiApplication>
#include <QQmlApplicationEngine>

#include <sdimage/qt/quick.h>

#include "options.h"

int main(int argc, char **argv) {
    QGuiApplication application(argc, argv);
    Options options = readOptions(application);
    QQmlApplicationEngine engine;
    sdimage::qt::registerModule(engine);
    engine.setInitialProperties({{QStringLiteral("entries"), options.lines},
                                 {QStringLiteral("width"), options.size.width()},
                                 {QStringLiteral("height"), options.size.height()},
                                 {QStringLiteral("shot"), options.shot}});
    engine.load(QUrl(QStringLiteral("qrc:/gallery.qml")));
    return engine.rootObjects().isEmpty() ? 1 : QGuiApplication::exec();
}
