/* quick.cpp: tests of the QML module, which the engine finds in the folder of the first argument. */
#include <QBuffer>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QPointer>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickView>
#include <QRandomGenerator>
#include <QStringListModel>
#include <QTemporaryDir>

#include <cstdio>

#include <ctime>

#include <sdimage.h>
#include <sdimage/qt/loader.h>
#include <sdimage/qt/quick.h>

#include "origin.h"
#include "probe.h"

using namespace sdimage::qt;

static QString importPath;

/* A window with the items of a QML text. */
struct Scene {
    QQuickView view;

    explicit Scene(const QString &body, const QSize &size = {80, 80}, const QVariantMap &values = {}) {
        view.engine()->addImportPath(importPath);
        for (auto value = values.begin(); value != values.end(); ++value)
            view.rootContext()->setContextProperty(value.key(), value.value());
        QQmlComponent component(view.engine());
        component.setData(("import QtQuick\nimport Sdimage\n" + body).toUtf8(), QUrl());
        QObject *object = component.create(view.rootContext());
        if (!object)
            std::printf("%s\n", qPrintable(component.errorString()));
        view.setContent({}, nullptr, object);
        view.resize(size);
        view.show();
    }

    QQuickItem *item(const char *name) {
        return view.rootObject()->objectName() == QLatin1String(name)
                   ? view.rootObject()
                   : view.rootObject()->findChild<QQuickItem *>(QLatin1String(name));
    }
    RemoteImage *image(const char *name = "image") { return qobject_cast<RemoteImage *>(item(name)); }
    QImage shot() { return view.grabWindow(); }
    int number(const QRect &box) {
        QImage found = shot();
        double scale = found.devicePixelRatio();
        return Tiles::numberIn(found, QRect(box.topLeft() * scale, box.size() * scale));
    }
    int number() { return number(QRect(0, 0, 80, 80)); }
};

static QString quoted(int number, const char *query = "") {
    return u'"' + Tiles::url(number, QLatin1String(query)).toString() + u'"';
}

static void testItem() {
    Tiles tiles;
    {
        Scene scene(QStringLiteral("Item {}"));
        scene.shot();
        bool isSoftware = qgetenv("QT_QUICK_BACKEND") == "software";
        check(QStringLiteral("the scene is drawn with %1")
                  .arg(isSoftware ? QStringLiteral("the software renderer") : QStringLiteral("OpenGL")),
              scene.view.rendererInterface()->graphicsApi() ==
                  (isSoftware ? QSGRendererInterface::Software : QSGRendererInterface::OpenGL));
    }
    {
        Scene scene(QStringLiteral("RemoteImage { objectName: 'image'; width: 80; height: 80; source: %1 }")
                        .arg(quoted(1, "side=400")));
        check(QStringLiteral("an item shows an image"), waitFor([&] { return scene.number() == 1; }));
        RemoteImage &image = *scene.image();
        QSize pixels = (QSizeF(80, 80) * scene.view.effectiveDevicePixelRatio()).toSize();
        check(QStringLiteral("it is decoded at the size of the item in device pixels"),
              image.target().image().size() == pixels);
        check(QStringLiteral("sourceSize is that of the original"), image.sourceSize() == QSize(400, 400));
        image.setSource(Tiles::url(2, QStringLiteral("hold")));
        check(QStringLiteral("another source releases the image at once"), image.target().image().isNull());
        waitFor([&] { return tiles.heldCount() == 1; });
        check(QStringLiteral("the status is Loading"), image.status() == RemoteImage::Loading && scene.number() < 0);
        image.setSource(Tiles::url(1, QStringLiteral("side=400")));
        check(QStringLiteral("an image in memory is in the next frame"), scene.number() == 1);
        check(QStringLiteral("reuse cancels"), waitFor([&] { return tiles.cancelled == 1; }));
        image.setSource(Tiles::url(3, QStringLiteral("fail")));
        check(QStringLiteral("a failure is an Error with a message"),
              waitFor([&] { return image.status() == RemoteImage::Error; }) && !image.errorString().isEmpty());
        image.setBlurHash(QStringLiteral("LEHV6nWB2yk8pyo0adR*.7kCMdnj"));
        image.setSource(Tiles::url(4, QStringLiteral("hold")));
        scene.shot();
        check(QStringLiteral("a BlurHash is shown"), image.target().isPlaceholder());
        image.setBlurHash({});
        image.setPlaceholder(QUrl(QStringLiteral("qrc:/tile.png")));
        image.setSource(Tiles::url(5, QStringLiteral("hold")));
        check(QStringLiteral("a placeholder is shown"), scene.number() == 5);
        image.setPlaceholder({});
        image.setSource(Tiles::url(6, QStringLiteral("side=400")));
        waitFor([&] { return scene.number() == 6; });
        image.setSize(QSizeF(160, 160));
        scene.view.resize(160, 160);
        check(QStringLiteral("a larger item loads a larger image"),
              waitFor([&] { return image.target().image().width() == 2 * pixels.width(); }));
    }
    {
        Scene scene(
            QStringLiteral("Item { RemoteImage { objectName: 'image'; source: %1 } }").arg(quoted(7, "side=60")));
        double scale = scene.view.effectiveDevicePixelRatio();
        check(QStringLiteral("an item without a size gets that of the image"),
              waitFor([&] { return scene.image()->width() == 60 / scale && scene.image()->height() == 60 / scale; }));
    }
    {
        Scene scene(QStringLiteral("RemoteImage { objectName: 'image'; width: 80; height: 40; source: %1 }")
                        .arg(quoted(8, "side=80")));
        QRect middle(20, 0, 40, 40);
        check(QStringLiteral("PreserveAspectFit leaves bars"),
              waitFor([&] { return scene.number(middle) == 8; }) && scene.shot().pixelColor(5, 5) == QColor(Qt::white));
        scene.image()->setFillMode(RemoteImage::Stretch);
        check(QStringLiteral("Stretch fills"), scene.number(QRect(0, 0, 80, 40)) == 8);
        scene.image()->setFillMode(RemoteImage::PreserveAspectCrop);
        QColor corner = Tiles::picture(8).pixelColor(5, 5);
        QColor shown = scene.shot().pixelColor(2, 2);
        check(QStringLiteral("PreserveAspectCrop covers"),
              std::abs(corner.red() - shown.red()) + std::abs(corner.green() - shown.green()) < 24);
    }
    /* Those of the scenes above are cancelled. */
    waitFor([&] { return tiles.heldCount() == 0; });
    {
        Scene scene(
            QStringLiteral("RemoteImage { objectName: 'image'; progressive: true; width: 80; height: 80; source: %1 }")
                .arg(quoted(9, "slow")));
        double progress = 0;
        QObject::connect(scene.image(), &RemoteImage::progressChanged, [&] { progress = scene.image()->progress(); });
        waitFor([&] { return tiles.heldCount() > 0; });
        tiles.release();
        check(QStringLiteral("progress is reported"), waitFor([&] { return progress > 0.2 && progress < 0.3; }),
              QString::number(progress));
        waitFor([&] {
            tiles.release();
            return scene.image()->status() == RemoteImage::Ready;
        });
        check(QStringLiteral("and ends at 1"), progress == 1 && scene.number() == 9);
    }
    waitFor([&] { return tiles.heldCount() == 0; });
    {
        Scene scene(QStringLiteral("RemoteImage { objectName: 'image'; progressive: true; width: 80; height: 80; "
                                   "blurHash: 'LEHV6nWB2yk8pyo0adR*.7kCMdnj'; source: %1 }")
                        .arg(quoted(12, "slow&png&side=80")));
        RemoteImage &image = *scene.image();
        waitFor([&] { return scene.shot(), tiles.heldCount() > 0; });
        QColor hash = scene.shot().pixelColor(40, 75);
        tiles.release();
        tiles.release();
        bool isPartial = waitFor([&] { return scene.shot(), !image.target().isPlaceholder(); });
        QColor below = scene.shot().pixelColor(40, 75);
        check(QStringLiteral("a BlurHash stays below a partial image"),
              isPartial && hash != QColor(Qt::white) && std::abs(below.red() - hash.red()) <= 2, below.name());
        waitFor([&] {
            tiles.release();
            return image.status() == RemoteImage::Ready;
        });
    }
    {
        Scene scene(QStringLiteral("Image { width: 80; height: 80; sourceSize: Qt.size(80, 80); cache: false; "
                                   "source: 'image://sd/' + encodeURIComponent(%1) }")
                        .arg(quoted(10, "side=400")));
        check(QStringLiteral("image://sd/ serves plain Image items"), waitFor([&] { return scene.number() == 10; }));
        scene.view.rootObject()->setProperty("source", QUrl(QStringLiteral("image://sd/blurhash%3Anone")));
        check(QStringLiteral("and reports errors"),
              waitFor([&] { return scene.view.rootObject()->property("status").toInt() == 3; }));
    }
}

static void testAnimation() {
    Tiles tiles;
    Scene scene(QStringLiteral("Item { RemoteImage { objectName: 'image'; width: 80; height: 80; source: %1 }\n"
                               "RemoteImage { objectName: 'other'; x: 80; width: 80; height: 80; source: %2 } }")
                    .arg(quoted(20, "moving"), quoted(30, "moving")),
                {160, 80});
    QRect second(80, 0, 80, 80);
    check(QStringLiteral("animations play"), waitFor([&] { return scene.number() == 20; }) &&
                                                 waitFor([&] { return scene.number() == 21; }) &&
                                                 waitFor([&] { return scene.number(second) == 31; }));
    auto passes = [&] {
        waitFor([&] { return scene.number(second) == 30; });
        waitFor([&] { return scene.number(second) == 31; });
        waitFor([&] { return scene.number(second) == 30; });
    };
    RemoteImage &image = *scene.image();
    image.setProperty("playing", false);
    turn();
    int changes = 0;
    QObject::connect(&image.target(), &ImageTarget::imageChanged, [&] { changes++; });
    passes();
    check(QStringLiteral("one that is not playing stays"), changes == 0);
    image.setProperty("playing", true);
    waitFor([&] { return changes > 0; });
    image.setX(-200);
    int frames = 0;
    QObject::connect(&scene.view, &QQuickWindow::afterAnimating, [&] { frames++; });
    waitFor([&] { return scene.view.update(), frames >= 3; });
    changes = 0;
    passes();
    check(QStringLiteral("one outside the window pauses"), changes == 0);
    image.setX(0);
    check(QStringLiteral("and continues inside"), waitFor([&] { return scene.shot(), changes > 0; }));
    image.setVisible(false);
    turn();
    changes = 0;
    passes();
    check(QStringLiteral("an invisible one pauses"), changes == 0);
}

static const char wall[] = R"(
GridView {
    objectName: 'grid'
    width: 500; height: 300
    cellWidth: 50; cellHeight: 50; cacheBuffer: 100
    reuseItems: true
    currentIndex: -1 // a view keeps its current item
    model: urls
    delegate: RemoteImage {
        required property int index
        required property string display
        width: 46; height: 46
        source: display
    }
})";

struct Wall : Scene {
    QStringListModel model;

    static QStringList urls(int count, const QString &query) {
        QStringList list;
        for (int number = 0; number < count; number++)
            list.append(Tiles::url(number, query).toString());
        return list;
    }
    explicit Wall(QStringListModel &model)
        : Scene(QLatin1String(wall), {500, 300}, {{QStringLiteral("urls"), QVariant::fromValue(&model)}}) {}

    QList<RemoteImage *> all() {
        QList<RemoteImage *> found;
        auto *content = qvariant_cast<QQuickItem *>(item("grid")->property("contentItem"));
        for (QQuickItem *child : content->childItems())
            if (auto *image = qobject_cast<RemoteImage *>(child))
                found.append(image);
        return found;
    }

    /* Counts cells that are completely visible: those with the pixels of another image, and empty ones. */
    std::pair<int, int> compare() {
        QImage shown = shot();
        double scale = shown.devicePixelRatio();
        int wrong = 0, empty = 0, seen = 0;
        for (RemoteImage *image : all()) {
            QPointF place = image->mapToScene({0, 0});
            QQuickItem *there = nullptr;
            QMetaObject::invokeMethod(item("grid"), "itemAt", Q_RETURN_ARG(QQuickItem *, there),
                                      Q_ARG(qreal, image->x() + 5), Q_ARG(qreal, image->y() + 5));
            QRect box(place.toPoint(), QSize(46, 46));
            if (there != image || !QRect(0, 0, 500, 300).contains(box))
                continue;
            int found = Tiles::numberIn(shown, QRect(box.topLeft() * scale, box.size() * scale));
            seen++;
            wrong += found >= 0 && found != image->property("index").toInt();
            empty += found < 0;
        }
        return {wrong, seen < 40 ? 60 : empty};
    }
    void scroll(double share) {
        QQuickItem *grid = item("grid");
        grid->setProperty("contentY", share * (grid->property("contentHeight").toDouble() - 300));
    }
};

/* The address sanitizer looks at every access, and holds freed memory: fewer flings suffice for it. */
#ifdef __SANITIZE_ADDRESS__
constexpr int flingCount = 3;
#else
constexpr int flingCount = 20;
#endif

static void testFling() {
    Tiles tiles;
    QStringListModel model(Wall::urls(10000, {}));
    Wall wall(model);
    check(QStringLiteral("a grid of 60 cells fills"), waitFor([&] { return wall.compare().second == 0; }));
    int wrong = 0, most = 0, items = 0, flings = flingCount;
    for (int fling = 0; fling < flings; fling++) {
        for (int step = 1; step <= 100; step++) {
            wall.scroll(fling % 2 ? (100 - step) / 100.0 : step / 100.0);
            turn();
            if (step % 10 == 0)
                wrong += wall.compare().first;
            most = qMax(most, Loader::shared().runningCount());
            items = qMax(items, int(wall.all().size()));
        }
#ifndef __SANITIZE_ADDRESS__
        /* Memory that each fling keeps would exceed it. The address sanitizer holds freed memory. */
        if (fling == 4)
            limitMemory(40 << 20);
#endif
    }
    bool isFull = waitFor([&] { return wall.compare().second == 0; });
    limitMemory(0);
    check(QStringLiteral("a fling never shows another URL"), wrong == 0 && wall.compare().first == 0,
          QString::number(wrong));
    check(QStringLiteral("no visible cell is empty after the fling"), isFull);
    check(QStringLiteral("no more loads run than there are items"), most <= items && items <= 260,
          QStringLiteral("%1 loads, %2 items").arg(most).arg(items));
    std::fprintf(stderr, "at most %d loads were running\n", most);
}

/* Prints the share of late frames of a fling of five seconds, and the processor time of the thread, with images and
 * with empty items; not a test, because it depends on the machine:
 *   quick IMPORT-PATH frames */
static void measureFrames(const char *name, const QString &query) {
    Tiles tiles;
    QStringListModel model(query.isNull() ? QStringList(10000) : Wall::urls(10000, query));
    Wall wall(model);
    waitFor([&] { return query.isNull() || wall.compare().second == 0; });
    QElapsedTimer total, since;
    int frames = 0, late = 0;
    QObject::connect(&wall.view, &QQuickWindow::frameSwapped, [&] {
        /* One and a half frames of a screen with 60 Hz. */
        late += frames++ > 0 && since.elapsed() > 25;
        since.start();
    });
    auto seconds = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
    };
    double before = seconds();
    total.start();
    while (total.elapsed() < 5000) {
        wall.scroll(double(total.elapsed()) / 5000);
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 4);
    }
    std::printf("%-12s %d frames in 5 s, %.1f %% late, %.2f ms of the thread for a frame, %d loads\n", name, frames,
                100.0 * late / qMax(1, frames), 1000 * (seconds() - before) / qMax(1, frames), int(tiles.started));
}

static void testPool() {
    Tiles tiles;
    QStringListModel model(Wall::urls(1000, QStringLiteral("hold")));
    Wall wall(model);
    waitFor([&] { return tiles.heldCount() >= 60; });
    int held = tiles.heldCount();
    wall.scroll(0.5);
    check(QStringLiteral("pooled items cancel"), waitFor([&] { return tiles.cancelled >= held; }),
          QStringLiteral("%1 of %2").arg(tiles.cancelled).arg(held));
    check(QStringLiteral("reused ones load"), waitFor([&] {
              tiles.release();
              return wall.compare().second == 0;
          }));
    int low = 0, normal = 0;
    wall.scroll(0.25);
    bool isAhead = waitFor([&] {
        wall.shot();
        low = normal = 0;
        for (RemoteImage *image : wall.all())
            (image->mapRectToScene(image->boundingRect()).intersects(QRectF(0, 0, 500, 300)) ? normal : low) +=
                image->status() == RemoteImage::Loading;
        return low > 0 && normal > 0;
    });
    check(QStringLiteral("cells outside the window load in advance"), isAhead,
          QStringLiteral("%1, %2").arg(low).arg(normal));
}

/* --- HTTP. */

/* The origin responds to one request at a time; before its first response the view moves by two rows of ten cells. */
static void testOrder() {
    Origin origin;
    origin.isHolding = true;
    useOneTransfer();
    QStringList urls;
    for (int number = 0; number < 1000; number++)
        urls.append(origin.tile(number).toString());
    QStringListModel model(urls);
    Wall wall(model);
    waitFor([&] { return origin.targets.size() == 1 && Loader::shared().runningCount() >= 80; });
    wall.item("grid")->setProperty("contentY", 100);
    waitFor([&] { return wall.shot(), Loader::shared().runningCount() >= 100; });
    origin.open();
    waitFor([&] { return origin.targets.size() >= 100 && Loader::shared().runningCount() == 0; });
    QString wrong = origin.outOfOrder(20, 80);
    check(QStringLiteral("items in view load before others"), wrong.isEmpty(), wrong);
}

/* The priority of the program, or that of its request while the item is in view. */
static void testPriority() {
    {
        Tiles tiles;
        Scene scene(QStringLiteral("Item { RemoteImage { objectName: 'image'; width: 40; height: 40 } }"));
        RemoteImage &image = *scene.image();
        sdimage_request *request = sdimage_request_new("");
        sdimage_request_set_priority(request, SDIMAGE_PRIORITY_HIGH);
        image.target().setRequest(request);
        sdimage_request_unref(request);
        int number = 500;
        auto priority = [&](double x) {
            int before = tiles.started;
            image.setX(x);
            image.setSource(Tiles::url(number++));
            waitFor([&] { return scene.shot(), tiles.started > before; });
            return int(tiles.priority);
        };
        check(QStringLiteral("an item in view has the priority of its request"), priority(0) == SDIMAGE_PRIORITY_HIGH);
        check(QStringLiteral("one outside the window a low one"), priority(-200) == SDIMAGE_PRIORITY_LOW);
        image.target().setPriority(0);
        check(QStringLiteral("unless the program sets another"),
              priority(-200) == SDIMAGE_PRIORITY_NORMAL && priority(0) == SDIMAGE_PRIORITY_NORMAL);
    }
    Origin origin;
    origin.isHolding = true;
    useOneTransfer();
    Scene scene(QStringLiteral("Item {}"), {200, 100});
    auto add = [&](int number, double x) {
        auto *image = new RemoteImage(scene.view.rootObject());
        image->setSize(QSizeF(40, 40));
        image->setX(x);
        image->setSource(origin.tile(number));
        waitFor([&] { return scene.shot(), Loader::shared().runningCount() == number; });
        return image;
    };
    add(1, 0);
    waitFor([&] { return origin.targets.size() == 1; });
    add(2, 50);
    RemoteImage *outside = add(3, -200);
    outside->target().setPriority(1);
    add(4, -200);
    add(5, -200)->setX(100);
    int frames = 0;
    QObject::connect(&scene.view, &QQuickWindow::afterAnimating, [&] { frames++; });
    waitFor([&] { return scene.view.update(), frames >= 3; });
    origin.open();
    waitFor([&] { return origin.targets.size() == 5 && Loader::shared().runningCount() == 0; });
    check(QStringLiteral("frames leave the priority that the program has set"),
          origin.numberAt(1) == 3 && origin.numberAt(2) == 2);
    check(QStringLiteral("and raise that of an item that moves into view"), origin.numberAt(3) == 5);
}

/* Loads with a new loader, which stores in the folder, and waits for the end. */
static RemoteImage::Status statusOf(Scene &scene, const QUrl &url) {
    scene.image()->setSource(url);
    waitFor([&] {
        scene.shot();
        return scene.image()->status() == RemoteImage::Ready || scene.image()->status() == RemoteImage::Error;
    });
    return scene.image()->status();
}

static const char oneItem[] =
    "Rectangle { width: 80; height: 80; color: '#ff0000'; RemoteImage { objectName: 'image'; width: 80; height: 80 } }";

static void testOrigin() {
    Origin origin;
    QTemporaryDir folder;
    auto restart = [&] { Loader::setShared(std::make_unique<Loader>(folder.path())); };
    restart();
    {
        Scene scene{QLatin1String(oneItem)};
        /* Percent-encoding stays as given: a decoded slash or question mark is another resource (RFC 3986, 2.2). */
        for (const char *target :
             {"/a%20b.bmp", "/a%2Fb.bmp?q=1+1%2B1", "/%C3%A9.bmp", "/a%3Fb%23c.bmp", "/a.bmp?x=a%26b&y=%25"}) {
            origin.files[target] = {Tiles::encoded(77), {}};
            QUrl url = QUrl::fromEncoded(origin.url({}).toEncoded() + target);
            bool isShown = statusOf(scene, url) == RemoteImage::Ready && scene.number() == 77;
            check(QStringLiteral("%1 is requested as it is").arg(QLatin1String(target)),
                  isShown && origin.targets.last() == target, QString::fromLatin1(origin.targets.last()));
        }
        statusOf(scene, origin.url(QStringLiteral("/caf\u00e9 1.bmp")));
        check(QStringLiteral("other characters are percent-encoded as UTF-8"),
              origin.targets.last() == "/caf%C3%A9%201.bmp", QString::fromLatin1(origin.targets.last()));

        QImage half(40, 40, QImage::Format_ARGB32);
        half.fill(QColor(0, 0, 255, 128));
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        half.save(&buffer, "PNG");
        origin.files["/half.png"] = {bytes, {}};
        statusOf(scene, origin.url(QStringLiteral("/half.png")));
        QColor mixed = scene.shot().pixelColor(40, 40);
        check(QStringLiteral("a translucent image shows what is below"),
              std::abs(mixed.red() - 127) <= 3 && std::abs(mixed.blue() - 128) <= 3, mixed.name());
    }
    {
        origin.files["/changing.bmp"] = {Tiles::encoded(1), "\"1\"", "no-cache"};
        QUrl url = origin.url(QStringLiteral("/changing.bmp"));
        auto shown = [&] {
            Scene scene{QLatin1String(oneItem)};
            return statusOf(scene, url) == RemoteImage::Ready ? scene.number() : -1;
        };
        check(QStringLiteral("a stale image is validated, and shown if it is the same"),
              shown() == 1 && shown() == 1 && origin.notModified == 1, QString::number(origin.notModified));
        origin.files["/changing.bmp"] = {Tiles::encoded(2), "\"2\"", "no-cache"};
        check(QStringLiteral("and replaced if it is not"), shown() == 2);
        origin.files["/fresh.bmp"] = {Tiles::encoded(3), {}};
        url = origin.url(QStringLiteral("/fresh.bmp"));
        bool isFirst = shown() == 3;
        qsizetype before = origin.targets.size();
        /* Stores that have not been written to the disk yet are known to their manager only. */
        sdimage_manager_flush(Loader::shared().manager(), 60000, nullptr);
        restart();
        check(QStringLiteral("a fresh image of the disk cache causes no request"),
              isFirst && shown() == 3 && origin.targets.size() == before);
    }
    QStringList urls;
    for (int number = 0; number < 10000; number++)
        urls.append(origin.tile(number).toString());
    QStringListModel model(urls);
    Wall wall(model);
    waitFor([&] { return wall.compare().second == 0; });
    int wrong = 0;
    for (int step = 1; step <= 200; step++) {
        wall.scroll(step <= 100 ? step / 100.0 : (200 - step) / 100.0);
        turn();
        if (step % 10 == 0)
            wrong += wall.compare().first;
    }
    QElapsedTimer since;
    since.start();
    bool isFull = waitFor([&] { return wall.compare().second == 0; });
    std::fprintf(stderr, "%lld ms after a fling over HTTP all cells are shown\n",
                 static_cast<long long>(since.elapsed()));
    check(QStringLiteral("a fling over HTTP never shows another URL"), wrong == 0 && wall.compare().first == 0);
    check(QStringLiteral("no visible cell is empty after a fling over HTTP"), isFull);
}

static void testDestruction() {
    Tiles tiles;
    QRandomGenerator random(8);
    const char *queries[] = {"", "moving", "slow", "hold", "fail"};
    int destroyed = 0;
    for (int round = 0; round < 150; round++) {
        Scene scene(QStringLiteral("Item {}"), {200, 200});
        QList<QPointer<RemoteImage>> images;
        for (int count = 0; count < 8; count++) {
            auto *image = new RemoteImage(scene.view.rootObject());
            image->setSize(QSizeF(40, 40));
            image->setX(25.0 * count);
            image->setProgressive(true);
            QPointer<RemoteImage> guard(image);
            auto end = [=] {
                if (guard)
                    guard->deleteLater();
            };
            if (random.bounded(3) == 0)
                QObject::connect(image, &RemoteImage::statusChanged, end);
            image->setSource(Tiles::url(int(random.bounded(60)), QLatin1String(queries[random.bounded(5)])));
            images.append(guard);
        }
        for (int turns = int(random.bounded(5)); turns > 0; turns--) {
            turn();
            scene.shot();
            tiles.release();
            delete images[random.bounded(8)];
            destroyed++;
        }
    }
    check(QStringLiteral("%1 items and 150 windows end at any point of a load").arg(destroyed), waitFor([&] {
              tiles.release();
              return Loader::shared().runningCount() == 0;
          }));
}

int main(int argc, char **argv) {
    QGuiApplication application(argc, argv);
    importPath = QString::fromLocal8Bit(argc > 1 ? argv[1] : "");
    const std::pair<const char *, void (*)()> tests[] = {{"item", testItem},         {"animation", testAnimation},
                                                         {"pool", testPool},         {"fling", testFling},
                                                         {"origin", testOrigin},     {"order", testOrder},
                                                         {"priority", testPriority}, {"destruction", testDestruction}};
    if (argc > 2 && QByteArray(argv[2]) == "frames") {
        measureFrames("empty items", {});
        measureFrames("images", QStringLiteral("side=40"));
        return 0;
    }
    for (auto &[name, test] : tests)
        if (argc < 3 || QByteArray(argv[2]) == name)
            test();
    return failures() ? 1 : 0;
}
