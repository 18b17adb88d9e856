/* gallery.cpp: gallery-qt: a list of URLs in a window of Qt Quick.
 *
 *   gallery-qt --list FILE [--size WxH] [--shot FILE]
 *
 * FILE has one URL per line, optionally followed by `blurhash TEXT`. With --shot the program saves what the window shows
 * when most images are loaded, and ends. */
#include <QCommandLineParser>
#include <QFile>
#include <QGuiApplication>
#include <QQmlApplicationEngine>

#include <sdimage/qt/quick.h>

int main(int argc, char **argv) {
    QGuiApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions(
        {{QStringLiteral("list"), QStringLiteral("URLs, one a line"), QStringLiteral("FILE")},
         {QStringLiteral("size"), QStringLiteral("of the window"), QStringLiteral("WxH"), QStringLiteral("1164x780")},
         {QStringLiteral("shot"), QStringLiteral("saves the window, and ends"), QStringLiteral("FILE")}});
    parser.process(application);
    QFile list(parser.value(QStringLiteral("list")));
    if (!list.open(QIODevice::ReadOnly))
        parser.showHelp(2);
    QStringList size = parser.value(QStringLiteral("size")).split(u'x');
    QQmlApplicationEngine engine;
    sdimage::qt::registerModule(engine);
    engine.setInitialProperties(
        {{QStringLiteral("entries"), QString::fromUtf8(list.readAll()).split(u'\n', Qt::SkipEmptyParts)},
         {QStringLiteral("width"), size.value(0).toInt()},
         {QStringLiteral("height"), size.value(1).toInt()},
         {QStringLiteral("shot"), parser.value(QStringLiteral("shot"))}});
    engine.load(QUrl(QStringLiteral("qrc:/gallery.qml")));
    return engine.rootObjects().isEmpty() ? 1 : QGuiApplication::exec();
}
