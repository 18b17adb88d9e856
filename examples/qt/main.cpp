/* main.cpp: gallery-qt: a list of URLs in a window.
 *
 *   gallery-qt --list FILE [--cache DIR] [--cell N] [--size WxH] [--script COMMANDS]
 *
 * FILE has one URL per line, optionally followed by `blurhash TEXT` or `thumbhash HEX`. Without --cache, images are
 * stored in a folder that is removed when the program ends. */
#include <QCommandLineParser>
#include <QFile>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QTemporaryDir>

#include <cstdio>
#include <memory>

#include "image_provider.h"
#include "script.h"

static QStringList readList(const QString &path) {
    QStringList entries;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        std::fprintf(stderr, "gallery-qt: %s: %s\n", qPrintable(path), qPrintable(file.errorString()));
    while (!file.atEnd()) {
        QString entry = QString::fromUtf8(file.readLine()).simplified();
        if (!entry.isEmpty() && !entry.startsWith(QLatin1Char('#')))
            entries.append(entry);
    }
    return entries;
}

/* The window, shown, which the engine owns; null after Qt's own message on stderr. */
static QQuickWindow *openWindow(QQmlApplicationEngine &engine, const QStringList &entries, const QSize &size,
                                int side) {
    engine.setInitialProperties({{QStringLiteral("entries"), entries},
                                 {QStringLiteral("width"), size.width()},
                                 {QStringLiteral("height"), size.height()},
                                 {QStringLiteral("side"), side}});
    engine.load(QUrl(QStringLiteral("qrc:/wall.qml")));
    return engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow *>(engine.rootObjects().first());
}

int main(int argc, char **argv) {
    QGuiApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions(
        {{QStringLiteral("list"), QStringLiteral("a URL a line, and its hash"), QStringLiteral("FILE")},
         {QStringLiteral("cache"), QStringLiteral("folder of the disk cache"), QStringLiteral("DIR")},
         {QStringLiteral("cell"), QStringLiteral("side of a cell"), QStringLiteral("N"), QStringLiteral("180")},
         {QStringLiteral("size"), QStringLiteral("of the window"), QStringLiteral("WxH"), QStringLiteral("1164x808")},
         {QStringLiteral("script"), QStringLiteral("see script.h"), QStringLiteral("COMMANDS")}});
    parser.process(application);
    QStringList entries = readList(parser.value(QStringLiteral("list"))),
                sides = parser.value(QStringLiteral("size")).split(u'x');
    QSize size(sides.value(0).toInt(), sides.value(1).toInt());
    int side = parser.value(QStringLiteral("cell")).toInt();
    if (entries.isEmpty() || size.isEmpty() || side < 16)
        parser.showHelp(2);
    QTemporaryDir folder;
    QQmlApplicationEngine engine;
    QString cache = parser.value(QStringLiteral("cache"));
    engine.addImageProvider(QStringLiteral("sd"), new ImageProvider(cache.isEmpty() ? folder.path() : cache));
    QQuickWindow *window = openWindow(engine, entries, size, side);
    if (!window)
        return 1;
    std::unique_ptr<Script> script;
    if (parser.isSet(QStringLiteral("script")))
        script = std::make_unique<Script>(window, parser.value(QStringLiteral("script")));
    return QGuiApplication::exec();
}
