/* widgets.cpp: gallery-qtwidgets: a list of URLs in a QListView. A click shows an image in a window of its own.
 * options.h has its command line. */
#include <QApplication>
#include <QListView>
#include <QStandardItemModel>
#include <QTimer>

#include <sdimage/qt/widgets.h>

#include "options.h"

using namespace sdimage::qt;

constexpr int blurHashRole = Qt::UserRole, side = 180, gap = 12;

static void fill(QStandardItemModel &model, const QStringList &lines) {
    for (const QString &line : lines) {
        QStringList words = line.split(u' ');
        auto *item = new QStandardItem;
        item->setData(QUrl(words[0]), Qt::DecorationRole);
        if (words.value(1) == u"blurhash")
            item->setData(words.value(2), blurHashRole);
        item->setEditable(false);
        model.appendRow(item);
    }
}

/* Opens an image at the size of a window, animated, with partial images while it arrives. */
static void open(const QModelIndex &index) {
    auto *label = new RemoteImageLabel;
    label->setAttribute(Qt::WA_DeleteOnClose);
    label->setProgressive(true);
    label->setBlurHash(index.data(blurHashRole).toString());
    label->setUrl(index.data(Qt::DecorationRole).toUrl());
    label->resize(800, 600);
    label->show();
}

static bool isComplete(const QListView &view, const RemoteImageDelegate &delegate) {
    int loading = 0, seen = 0;
    for (int row = 0; row < view.model()->rowCount(); row++) {
        QModelIndex index = view.model()->index(row, 0);
        if (!view.viewport()->rect().intersects(view.visualRect(index)))
            break;
        seen++;
        loading += delegate.state(index) <= 0 || delegate.state(index) == ImageTarget::Loading;
    }
    return seen >= qMin(21, view.model()->rowCount()) && loading <= seen / 8;
}

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    Options options = readOptions(application);
    QStandardItemModel model;
    fill(model, options.lines);

    QListView view;
    view.setWindowTitle(QStringLiteral("sdimage in Qt Widgets"));
    view.setViewMode(QListView::IconMode);
    view.setResizeMode(QListView::Adjust);
    view.setMovement(QListView::Static);
    view.setUniformItemSizes(true);
    view.setVerticalScrollMode(QListView::ScrollPerPixel);
    view.setIconSize(QSize(side, side));
    view.setGridSize(QSize(side + gap, side + gap));
    view.setModel(&model);
    auto *delegate = new RemoteImageDelegate(&view, Qt::DecorationRole, blurHashRole);
    delegate->setFillMode(Qt::KeepAspectRatioByExpanding);
    view.setItemDelegate(delegate);
    QObject::connect(&view, &QListView::clicked, &view, open);
    view.resize(options.size);
    view.show();

    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        if (!isComplete(view, *delegate))
            return;
        timer.stop();
        QCoreApplication::exit(view.grab().save(options.shot) ? 0 : 1);
    });
    if (!options.shot.isEmpty())
        timer.start(50);
    return QApplication::exec();
}
