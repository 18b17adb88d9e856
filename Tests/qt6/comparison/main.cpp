/* main.cpp: shows a wall of images and prints the milliseconds until all are visible, and the peak memory in KiB.
 *
 *   compare sdimage|qt LIST CACHE-FOLDER IMPORT-PATH
 *
 * The items are those of sdimage.qml or qt.qml, beside this file. */
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickView>
#include <QTimer>

#include <cstdio>

#include <sdimage/qt/loader.h>

#include "disk_cache.h"

static long peakKiB() {
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : file.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').value(0).toLong();
    return 0;
}

/* Images and RemoteImages have the same values of `status`. */
static int readyItems(const QQuickItem &grid) {
    int ready = 0;
    for (QQuickItem *item : grid.childItems())
        ready += item->property("status").toInt() == 1;
    return ready;
}

int main(int argc, char **argv) {
    QGuiApplication application(argc, argv);
    QStringList arguments = QCoreApplication::arguments();
    if (argc != 5)
        return 2;
    bool isQt = arguments[1] == u"qt";
    QFile list(arguments[2]);
    if (!list.open(QIODevice::ReadOnly))
        return 2;
    QStringList urls = QString::fromUtf8(list.readAll()).split(u'\n', Qt::SkipEmptyParts);
    CacheFactory factory(arguments[3]);
    QQuickView view;
    if (isQt)
        view.engine()->setNetworkAccessManagerFactory(&factory);
    else
        sdimage::qt::Loader::setShared(std::make_unique<sdimage::qt::Loader>(arguments[3]));
    view.engine()->addImportPath(arguments[4]);
    view.rootContext()->setContextProperty(QStringLiteral("urls"), urls);
    QElapsedTimer since;
    since.start();
    view.setSource(QUrl::fromLocalFile(QStringLiteral(SOURCES "/%1.qml").arg(arguments[1])));
    view.show();
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        bool isDone = readyItems(*view.rootObject()) == urls.size();
        if (!isDone && since.elapsed() < 120000)
            return;
        qint64 milliseconds = since.elapsed();
        view.grabWindow();
        std::printf("%lld %ld\n", static_cast<long long>(milliseconds), peakKiB());
        QCoreApplication::exit(isDone ? 0 : 1);
    });
    timer.start(5);
    return QGuiApplication::exec();
}
