/* options.h: the command line of both galleries: --list FILE [--size WxH] [--shot FILE]
 *
 * FILE has one URL per line, optionally followed by `blurhash TEXT`. With --shot the program saves what the window
 * shows when most images are loaded, and ends. */
#ifndef GALLERY_OPTIONS_H
#define GALLERY_OPTIONS_H

#include <QCommandLineParser>
#include <QFile>
#include <QSize>

struct Options {
    QStringList lines;
    QSize size;
    QString shot; /* empty: none */
};

/* Ends the program with a message and a help text if the list is missing or cannot be read. */
inline Options readOptions(const QCoreApplication &application) {
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions(
        {{QStringLiteral("list"), QStringLiteral("URLs, one a line"), QStringLiteral("FILE")},
         {QStringLiteral("size"), QStringLiteral("of the window"), QStringLiteral("WxH"), QStringLiteral("1164x780")},
         {QStringLiteral("shot"), QStringLiteral("saves the window, and ends"), QStringLiteral("FILE")}});
    parser.process(application);
    QFile list(parser.value(QStringLiteral("list")));
    if (!list.open(QIODevice::ReadOnly)) {
        qCritical("--list %s: %s", qPrintable(list.fileName()), qPrintable(list.errorString()));
        parser.showHelp(2);
    }
    QStringList size = parser.value(QStringLiteral("size")).split(u'x');
    return {QString::fromUtf8(list.readAll()).split(u'\n', Qt::SkipEmptyParts),
            {size.value(0).toInt(), size.value(1).toInt()},
            parser.value(QStringLiteral("shot"))};
}

#endif
