/* screens.cpp: writes what widgets and items look like in every state, in light or dark colors, to two files.
 *
 *   screens light|dark IMPORT-PATH WIDGETS.png QUICK.png
 *
 * No text: the pictures do not depend on fonts. */
#include <QApplication>
#include <QGridLayout>
#include <QListView>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickView>
#include <QStandardItemModel>

#include <sdimage/qt/loader.h>
#include <sdimage/qt/quick.h>
#include <sdimage/qt/widgets.h>

#include "probe.h"

using namespace sdimage::qt;

static const char hash[] = "LEHV6nWB2yk8pyo0adR*.7kCMdnj";

static QPalette palette(bool isDark) {
    QColor base = isDark ? QColor(30, 32, 38) : QColor(250, 250, 250), text = isDark ? Qt::white : Qt::black;
    QPalette colors(base);
    colors.setColor(QPalette::Window, base);
    colors.setColor(QPalette::Base, base);
    colors.setColor(QPalette::WindowText, text);
    colors.setColor(QPalette::Text, text);
    colors.setColor(QPalette::PlaceholderText, isDark ? QColor(180, 120, 120) : QColor(160, 60, 60));
    colors.setColor(QPalette::Highlight, QColor(60, 130, 240));
    return colors;
}

/* An image with its three fill modes, an error, a BlurHash, and the progress of a load. */
static void fill(QGridLayout &grid, QList<RemoteImageLabel *> &labels) {
    for (int index = 0; index < 6; index++) {
        auto *label = new RemoteImageLabel;
        label->setFixedSize(60, index < 3 ? 40 : 60);
        label->setFillMode(Qt::AspectRatioMode(index % 3));
        grid.addWidget(label, index / 3, index % 3);
        labels.append(label);
    }
    labels[4]->setBlurHash(QLatin1String(hash));
    for (int index = 0; index < 3; index++)
        labels[index]->setUrl(Tiles::url(4711));
    labels[3]->setUrl(Tiles::url(1, QStringLiteral("fail")));
    labels[4]->setUrl(Tiles::url(2, QStringLiteral("slow")));
    labels[5]->setUrl(Tiles::url(3, QStringLiteral("slow&side=60")));
}

static bool shootWidgets(Tiles &tiles, const QString &path) {
    QWidget window;
    QGridLayout grid(&window);
    QList<RemoteImageLabel *> labels;
    fill(grid, labels);
    QListView view;
    QStandardItemModel model(3, 1);
    for (int row = 0; row < 3; row++)
        model.setData(model.index(row, 0), Tiles::url(1000 * row), Qt::DecorationRole);
    view.setModel(&model);
    view.setViewMode(QListView::IconMode);
    view.setGridSize(QSize(60, 60));
    view.setIconSize(QSize(56, 56));
    view.setFixedSize(200, 70);
    view.setFrameShape(QFrame::NoFrame);
    auto *delegate = new RemoteImageDelegate(&view);
    view.setItemDelegate(delegate);
    grid.addWidget(&view, 2, 0, 1, 3);
    window.show();
    waitFor([&] { return tiles.heldCount() == 2; });
    /* A quarter of each. */
    tiles.release();
    bool isReady = waitFor([&] {
        for (int row = 0; row < 3; row++)
            if (delegate->state(model.index(row, 0)) != ImageTarget::Ready)
                return false;
        for (int number = 0; number < 3; number++)
            if (labels[number]->state() != ImageTarget::Ready)
                return false;
        return labels[3]->state() == ImageTarget::Error && labels[4]->progress() > 0 && labels[5]->progress() > 0;
    });
    return isReady && window.grab().save(path);
}

static const char scene[] = R"(
Rectangle {
    id: root
    width: 200; height: 140
    color: background
    Grid {
        x: 8; y: 8; columns: 3; spacing: 4
        Repeater {
            model: urls
            RemoteImage {
                required property int index
                required property string modelData
                width: 60; height: index < 3 ? 40 : 60
                fillMode: [RemoteImage.Stretch, RemoteImage.PreserveAspectFit,
                    RemoteImage.PreserveAspectCrop][index % 3]
                blurHash: index === 4 ? hash : ""
                progressive: index === 5
                source: modelData
                onStatusChanged: root.statuses = Object.assign({}, root.statuses, {[index]: status})
            }
        }
    }
    property var statuses: ({})
})";

static bool shootQuick(Tiles &tiles, const QString &importPath, const QColor &background, const QString &path) {
    QQuickView view;
    view.engine()->addImportPath(importPath);
    QStringList urls;
    for (int index = 0; index < 3; index++)
        urls.append(Tiles::url(4711).toString());
    urls += {Tiles::url(11, QStringLiteral("fail")).toString(), Tiles::url(12, QStringLiteral("hold")).toString(),
             Tiles::url(4712).toString()};
    view.rootContext()->setContextProperty(QStringLiteral("urls"), urls);
    view.rootContext()->setContextProperty(QStringLiteral("hash"), QLatin1String(hash));
    view.rootContext()->setContextProperty(QStringLiteral("background"), background);
    QQmlComponent component(view.engine());
    component.setData(QByteArray("import QtQuick\nimport Sdimage\n") + scene, QUrl());
    view.setContent({}, nullptr, component.create(view.rootContext()));
    view.show();
    bool isReady = waitFor([&] {
        QVariantMap statuses = view.rootObject()->property("statuses").toMap();
        for (const char *number : {"0", "1", "2", "5"})
            if (statuses.value(QLatin1String(number)) != RemoteImage::Ready)
                return false;
        return tiles.heldCount() > 0 && statuses.value(QStringLiteral("3")) == RemoteImage::Error;
    });
    return isReady && view.grabWindow().save(path);
}

int main(int argc, char **argv) {
    QApplication::setStyle(QStringLiteral("fusion"));
    QApplication application(argc, argv);
    QStringList arguments = QCoreApplication::arguments();
    if (argc != 5)
        return 2;
    QPalette colors = palette(arguments[1] == u"dark");
    QApplication::setPalette(colors);
    Tiles tiles;
    bool isDone = shootWidgets(tiles, arguments[3]);
    return isDone && shootQuick(tiles, arguments[2], colors.color(QPalette::Window), arguments[4]) ? 0 : 1;
}
