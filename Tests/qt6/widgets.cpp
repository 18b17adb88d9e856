/* widgets.cpp: tests of conversions, the loader, labels and the delegate. */
#include <QApplication>
#include <QColorSpace>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QPointer>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QThread>
#include <QVBoxLayout>

#include <cstdio>
#include <cstring>

#include <sdimage.h>
#include <sdimage/qt/image.h>
#include <sdimage/qt/loader.h>
#include <sdimage/qt/widgets.h>

#include "origin.h"
#include "probe.h"

using namespace sdimage::qt;

static int number(const QLabel &label) {
    return Tiles::numberIn(label.pixmap().toImage());
}

static int number(QWidget &widget) {
    return Tiles::numberIn(widget.grab().toImage());
}

/* --- Conversions. */

static sdimage_image *newImage(sdimage_pixel_format format) {
    static const uint8_t pixels[4 * 3 * 2 * 4] = {0, 0, 250, 255, 1, 2, 3, 255, 9, 9, 9, 255};
    sdimage_image *image = nullptr;
    sdimage_image_new(3, 2, sdimage_pixel_format_bytes(format) * 3, format, pixels, &image, nullptr);
    return image;
}

static void testConversions() {
    const sdimage_pixel_format shared[] = {SDIMAGE_PIXEL_FORMAT_GRAY8,      SDIMAGE_PIXEL_FORMAT_RGB8,
                                           SDIMAGE_PIXEL_FORMAT_RGBA8,      SDIMAGE_PIXEL_FORMAT_GRAY16,
                                           SDIMAGE_PIXEL_FORMAT_RGBA16,     SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
                                           SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED};
    for (sdimage_pixel_format format : shared) {
        sdimage_image *image = newImage(format);
        QImage wrapped = toQImage(image);
        sdimage_image *back = fromQImage(wrapped);
        bool isShared = wrapped.constBits() == sdimage_image_pixels(image) &&
                        sdimage_image_pixels(back) == sdimage_image_pixels(image) &&
                        sdimage_image_pixel_format(back) == format;
        check(QStringLiteral("%1 is shared in both directions").arg(QLatin1String(sdimage_pixel_format_name(format))),
              isShared && wrapped.size() == QSize(3, 2));
        sdimage_image_unref(image);
        sdimage_image_unref(back);
    }
    sdimage_image *image = newImage(SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    QImage kept = toQImage(image);
    sdimage_image_unref(image);
    check(QStringLiteral("a QImage keeps the pixels"), kept.pixel(0, 0) == qRgba(250, 0, 0, 255));
    kept.setPixel(0, 0, qRgba(1, 1, 1, 255));
    check(QStringLiteral("writing copies"), kept.pixel(0, 0) == qRgba(1, 1, 1, 255));

    static const float light[] = {0.5f, 1, 4, 1};
    sdimage_image_new(1, 1, sizeof light, SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, light, &image, nullptr);
    QImage bright = toQImage(image);
    check(QStringLiteral("light above white is kept, in linear sRGB"),
          bright.format() == QImage::Format_RGBA32FPx4 && bright.colorSpace() == QColorSpace::SRgbLinear &&
              !std::memcmp(bright.constBits(), light, sizeof light));
    bright.convertToColorSpace(QColorSpace::SRgb);
    check(QStringLiteral("Qt converts it for drawing"),
          std::abs(qRed(bright.convertToFormat(QImage::Format_RGB32).pixel(0, 0)) - 188) <= 2);
    sdimage_image_unref(image);

    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_convert_to_srgb(options, false);
    sdimage_decode_file("Tests/fixtures/jpeg/ramp_profile.jpg", options, &image, nullptr);
    sdimage_decode_options_unref(options);
    const sdimage_data *data = sdimage_image_color_profile(image);
    QByteArray profile(static_cast<const char *>(sdimage_data_bytes(data)), qsizetype(sdimage_data_length(data)));
    QColorSpace space = toQImage(image).colorSpace();
    bool isShared = space.iccProfile().constData() == sdimage_data_bytes(data);
    sdimage_image_unref(image);
    check(QStringLiteral("a color space owns its profile"),
          space.isValid() && !isShared && space.iccProfile() == profile);

    sdimage_image *wide = newImage(SDIMAGE_PIXEL_FORMAT_RGB16);
    check(QStringLiteral("RGB16 is converted"), toQImage(wide).format() == QImage::Format_RGBX64);
    sdimage_image_unref(wide);
    check(QStringLiteral("none is none"), toQImage(nullptr).isNull() && !fromQImage({}));

    QImage indexed(2, 2, QImage::Format_Indexed8);
    indexed.setColorTable({qRgb(10, 20, 30)});
    indexed.fill(0);
    image = fromQImage(indexed);
    check(QStringLiteral("other formats are converted"), toQImage(image).pixel(1, 1) == qRgb(10, 20, 30));
    sdimage_image_unref(image);

    QImage linear(2, 2, QImage::Format_RGB32);
    linear.fill(qRgb(128, 128, 128));
    linear.setColorSpace(QColorSpace::SRgbLinear);
    image = fromQImage(linear);
    check(QStringLiteral("another color space becomes sRGB"), std::abs(qRed(toQImage(image).pixel(0, 0)) - 188) <= 2);
    sdimage_image_unref(image);
}

/* --- Loader. */

static void testLoader() {
    Tiles tiles;
    QFuture<QImage> future = Loader::shared().load(Tiles::url(7, QStringLiteral("side=400")), QSize(100, 100));
    waitFor([&] { return future.isFinished(); });
    check(QStringLiteral("a future has the image in its box"),
          future.result().size() == QSize(100, 100) && Tiles::numberIn(future.result()) == 7);

    bool isOnThread = false;
    QString message;
    QObject context;
    auto then = Loader::shared().load(Tiles::url(8)).then(&context, [&](const QImage &image) {
        isOnThread = QThread::currentThread() == qApp->thread() && Tiles::numberIn(image) == 8;
    });
    waitFor([&] { return then.isFinished(); });
    check(QStringLiteral("`then` runs on the thread of its context"), isOnThread);

    auto failing = Loader::shared().load(Tiles::url(9, QStringLiteral("fail"))).onFailed([&](const LoadError &error) {
        message = QString::fromUtf8(error.what());
        return QImage();
    });
    waitFor([&] { return failing.isFinished(); });
    check(QStringLiteral("a failure is a LoadError"), message.startsWith(QLatin1String("NOT_FOUND")), message);

    QFuture<QImage> held = Loader::shared().load(Tiles::url(10, QStringLiteral("hold")));
    waitFor([&] { return tiles.heldCount() == 1; });
    held.cancel();
    check(QStringLiteral("cancelling a future cancels the load"),
          waitFor([&] { return tiles.cancelled == 1 && Loader::shared().runningCount() == 0; }));

    QFuture<QImage> elsewhere;
    std::unique_ptr<QThread> thread(QThread::create([&] { elsewhere = Loader::shared().load(Tiles::url(11)); }));
    thread->start();
    thread->wait();
    waitFor([&] { return elsewhere.isFinished(); });
    check(QStringLiteral("any thread may load"), Tiles::numberIn(elsewhere.result()) == 11);

    int before = tiles.started;
    Loader::shared().prefetch({Tiles::url(20), Tiles::url(21)}, QSize(64, 64));
    waitFor([&] { return tiles.started == before + 2 && Loader::shared().runningCount() == 0; });
    QLabel label;
    label.resize(64, 64);
    setImageUrl(&label, Tiles::url(21));
    check(QStringLiteral("a prefetched image is shown at once"), number(label) == 21);

    QTemporaryDir folder;
    Loader own(folder.path());
    QFuture<QImage> resource = own.load(QUrl(QStringLiteral("qrc:/tile.png")));
    waitFor([&] { return resource.isFinished(); });
    check(QStringLiteral("a resource is loaded"), resource.isValid() && Tiles::numberIn(resource.result()) == 5);
    QFuture<QImage> small = own.load(QUrl(QStringLiteral("qrc:/tile.png")), QSize(10, 10));
    waitFor([&] { return small.isFinished(); });
    sdimage_manager_flush(own.manager(), 60'000, nullptr);
    sdimage_cache *cache = nullptr;
    uint64_t bytes = 0, count = 1;
    sdimage_manager_get_cache(own.manager(), &cache);
    sdimage_cache_get_disk_totals(cache, &bytes, &count, nullptr);
    sdimage_cache_unref(cache);
    check(QStringLiteral("and not stored on disk, where programs share entries by URL"), count == 0,
          QString::number(count));
}

/* --- Errors without a text. */

/* The status and the message of the failure of a load. */
static std::pair<int, QString> failureOf(Loader &loader, const QUrl &url) {
    std::pair<int, QString> found;
    auto failing = loader.load(url).onFailed([&](const LoadError &error) {
        found = {error.status(), error.message()};
        return QImage();
    });
    waitFor([&] { return failing.isFinished(); });
    return found;
}

static void testErrors() {
    Tiles tiles;
    check(QStringLiteral("an image that QImage cannot hold fails for lack of memory"),
          failureOf(Loader::shared(), Tiles::url(400, QStringLiteral("wide"))) ==
              std::pair<int, QString>(SDIMAGE_STATUS_NO_MEMORY, QStringLiteral("NO_MEMORY")));

    sdimage_load_hooks_vtable table = {};
    table.size = sizeof table;
    table.should_load = [](void *, const sdimage_request *) { return false; };
    sdimage_load_hooks *hooks = nullptr;
    sdimage_load_hooks_new_custom(&table, nullptr, nullptr, &hooks, nullptr);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_load_hooks(config, hooks);
    sdimage_manager *manager = nullptr;
    sdimage_manager_new(config, &manager, nullptr);
    Loader cacheOnly(manager);
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
    sdimage_load_hooks_unref(hooks);
    check(QStringLiteral("an image in no cache is not found"),
          failureOf(cacheOnly, QUrl(QStringLiteral("file:///none"))) ==
              std::pair<int, QString>(SDIMAGE_STATUS_NOT_FOUND, QStringLiteral("NOT_FOUND")));

    ImageTarget target;
    sdimage_request *request = sdimage_request_new("");
    sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_CACHE_ONLY);
    target.setRequest(request);
    sdimage_request_unref(request);
    target.load(Tiles::url(401), {});
    waitFor([&] { return target.state() == ImageTarget::Error; });
    check(QStringLiteral("nor by a widget, whose error has a line"),
          target.state() == ImageTarget::Error && target.errorString() == QLatin1String("NOT_FOUND"),
          target.errorString());
}

/* --- ImageTarget. */

static bool isLoaded(const ImageTarget &target, int width) {
    return waitFor([&] { return target.state() == ImageTarget::Ready && target.image().width() == width; });
}

/* Lets the next load finish. */
static bool finishes(Tiles &tiles, const ImageTarget &target, int width) {
    waitFor([&] { return tiles.heldCount() == 1; });
    tiles.release();
    return isLoaded(target, width);
}

static void testGrowth() {
    Tiles tiles;
    ImageTarget target;
    target.load(Tiles::url(300, QStringLiteral("hold&side=400")), QSize(50, 50));
    finishes(tiles, target, 50);
    target.setSize(QSize(100, 100));
    waitFor([&] { return tiles.heldCount() == 1; });
    target.setSize(QSize(200, 200));
    check(QStringLiteral("a widget that grows while a larger image loads gets one of its size"),
          finishes(tiles, target, 100) && finishes(tiles, target, 200));

    sdimage_request *request = sdimage_request_new("");
    sdimage_transformer *flip = nullptr;
    sdimage_transformer_new_flip(true, false, &flip, nullptr);
    sdimage_request_set_transformer(request, flip);
    sdimage_transformer_unref(flip);
    target.setRequest(request);
    sdimage_request_unref(request);
    target.load(Tiles::url(301), QSize(100, 100));
    isLoaded(target, 40);
    int before = tiles.started;
    target.setSize(QSize(200, 200));
    check(QStringLiteral("a transformed image is transformed again for a larger widget"),
          waitFor([&] { return tiles.started == before + 1; }) && isLoaded(target, 40));

    request = sdimage_request_new("");
    sdimage_request_set_progressive(request, true);
    sdimage_request_set_progressive_interval_ms(request, 1);
    target.setRequest(request);
    const QUrl partial = Tiles::url(302, QStringLiteral("slow&png&side=400"));
    target.load(partial, QSize(100, 100));
    int images = 0, steps = 0, parts = 0;
    QObject::connect(&target, &ImageTarget::imageChanged, [&] { images++; });
    auto watch = [&](ImageTarget &watched) {
        QObject::connect(&watched, &ImageTarget::progressChanged, [&] { steps++; });
        QObject::connect(&watched, &ImageTarget::imageChanged,
                         [&] { parts += watched.state() == ImageTarget::Loading && !watched.isPlaceholder(); });
    };
    /* Receives the four pieces of the file; one part of the image is shown at least. */
    auto receive = [&] {
        parts = 0;
        for (int piece = 1; target.state() == ImageTarget::Loading; piece++) {
            int step = steps;
            tiles.release();
            waitFor([&] { return steps > step || target.state() == ImageTarget::Ready; });
            /* The second piece ends in the middle of the rows. */
            if (piece == 2)
                waitFor([&] { return parts > 0; });
            turn();
        }
    };
    watch(target);
    waitFor([&] { return tiles.heldCount() == 1; });
    receive();
    bool isPartial = images > 1 && parts > 0;
    target.disconnect();
    images = 0;
    QObject::connect(&target, &ImageTarget::imageChanged, [&] { images++; });
    int reports = 0;
    QObject::connect(&target, &ImageTarget::progressChanged, [&] { reports++; });
    /* Another load of the file shows the parts that have arrived. */
    ImageTarget other;
    other.setProgressive(true);
    other.setRequest(request);
    sdimage_request_unref(request);
    watch(other);
    other.load(partial, QSize(200, 200));
    target.setSize(QSize(200, 200));
    waitFor([&] { return target.state() == ImageTarget::Loading && tiles.heldCount() > 0; });
    receive();
    check(QStringLiteral("parts of a larger image replace no complete one"),
          isPartial && parts > 0 && images == 1 && isLoaded(target, 200), QString::number(images));
    check(QStringLiteral("the progress of a larger image is not reported"), reports == 0 && target.progress() == 1,
          QStringLiteral("%1, %2").arg(reports).arg(target.progress()));
}

/* Under the sanitizer, plug-ins do not find their libraries. */
static void testVector() {
#ifndef __SANITIZE_ADDRESS__
    Tiles tiles;
    ImageTarget target;
    const QByteArray file = Tiles::vector();
    sdimage_plugins_load_all(nullptr, nullptr);
    if (!sdimage_can_decode(file.constData(), size_t(file.size()))) {
        std::printf("skip a vector image is drawn again: the plug-in for SVG is not installed\n");
        return;
    }
    target.load(Tiles::url(310, QStringLiteral("vector")), QSize(100, 100));
    isLoaded(target, 100);
    target.setSize(QSize(400, 400));
    check(QStringLiteral("a vector image is drawn again for a larger widget"), isLoaded(target, 400));
#endif
}

static void testRequest() {
    Tiles tiles;
    ImageTarget target;
    sdimage_request *request = sdimage_request_new("");
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_HIGH);
    sdimage_request_set_thumbnail_size(request, 10, 10, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    target.setRequest(request);
    sdimage_request_unref(request);
    target.load(Tiles::url(320), {});
    check(QStringLiteral("an empty size selects that of the original, whatever the request has"), isLoaded(target, 40));
    check(QStringLiteral("the priority is that of the request"), tiles.priority == SDIMAGE_PRIORITY_HIGH);
    target.setPriority(-1);
    target.load(Tiles::url(321), {});
    isLoaded(target, 40);
    check(QStringLiteral("until it is set"), tiles.priority == SDIMAGE_PRIORITY_LOW);

    int number = 322;
    auto priorityOf = [&](RemoteImageLabel &label) {
        int before = tiles.started;
        label.setUrl(Tiles::url(number++));
        waitFor([&] { return tiles.started > before; });
        return int(tiles.priority);
    };
    RemoteImageLabel label;
    label.resize(40, 40);
    check(QStringLiteral("a hidden widget loads after others"), priorityOf(label) == SDIMAGE_PRIORITY_LOW);
    label.target().setPriority(1);
    check(QStringLiteral("unless the program sets a priority"), priorityOf(label) == SDIMAGE_PRIORITY_HIGH);
    RemoteImageLabel shown;
    shown.resize(40, 40);
    shown.show();
    check(QStringLiteral("a visible one as usual"), priorityOf(shown) == SDIMAGE_PRIORITY_NORMAL);
    shown.target().setPriority(-1);
    check(QStringLiteral("or with the priority of the program"), priorityOf(shown) == SDIMAGE_PRIORITY_LOW);
}

/* A progress bar that is bound to the signal is empty when nothing loads. */
static void testProgress() {
    Tiles tiles;
    const QSize size(40, 40);
    ImageTarget target;
    double shown = 0;
    QObject::connect(&target, &ImageTarget::progressChanged, [&] { shown = target.progress(); });
    target.load(Tiles::url(340), size);
    bool isFull = isLoaded(target, 40) && shown == 1;
    target.load({}, {});
    check(QStringLiteral("the progress is 0 after the image is cleared"),
          isFull && shown == 0 && target.progress() == 0);
    target.load(Tiles::url(341), size);
    isFull = isLoaded(target, 40) && shown == 1;
    target.suspend();
    check(QStringLiteral("and while the load is suspended"), isFull && shown == 0);
    target.resume();
    isFull = isLoaded(target, 40) && shown == 1;
    sdimage_manager_close(Loader::shared().manager(), 0, nullptr);
    target.load(Tiles::url(342), size);
    check(QStringLiteral("and after a refused load"), isFull && target.state() == ImageTarget::Error && shown == 0);
}

/* Slots that load something else, or delete the object. */
static void testSlots() {
    Tiles tiles;
    const QSize size(40, 40);
    const QUrl next = Tiles::url(331, QStringLiteral("hold"));
    ImageTarget target;
    target.load(Tiles::url(330), size);
    isLoaded(target, 40);
    QMetaObject::Connection slot = QObject::connect(&target, &ImageTarget::imageChanged, [&] {
        QObject::disconnect(slot);
        target.load(next, size);
    });
    target.load({}, {});
    check(QStringLiteral("a load that begins while the image is cleared goes on"),
          target.state() == ImageTarget::Loading && target.url() == next && finishes(tiles, target, 40) &&
              Tiles::numberIn(target.image()) == 331);

    slot = QObject::connect(&target, &ImageTarget::stateChanged, [&] {
        if (target.state() != ImageTarget::Ready)
            return;
        QObject::disconnect(slot);
        target.load(Tiles::url(333, QStringLiteral("hold")), size);
    });
    target.load(Tiles::url(332), size);
    waitFor([&] { return tiles.heldCount() == 1; });
    check(QStringLiteral("the progress is that of a load that begins when the previous one is ready"),
          target.state() == ImageTarget::Loading && target.progress() == 0, QString::number(target.progress()));
    finishes(tiles, target, 40);

    target.load(Tiles::url(334, QStringLiteral("slow&side=400")), size);
    waitFor([&] { return tiles.heldCount() == 1; });
    while (target.state() == ImageTarget::Loading) {
        tiles.release();
        turn();
    }
    target.setSize(2 * size);
    waitFor([&] { return tiles.heldCount() == 1; });
    target.suspend();
    tiles.release();
    waitFor([&] { return target.state() == ImageTarget::Null && Loader::shared().runningCount() == 0; });
    turn();
    check(QStringLiteral("an image that is suspended while a larger one loads is released"),
          target.image().isNull() && !target.isPlaceholder());
    target.load(Tiles::url(338, QStringLiteral("slow&side=400")), size);
    waitFor([&] { return tiles.heldCount() == 1; });
    slot = QObject::connect(&target, &ImageTarget::progressChanged, [&] {
        QObject::disconnect(slot);
        target.suspend();
    });
    tiles.release();
    waitFor([&] { return target.state() == ImageTarget::Null && Loader::shared().runningCount() == 0; });
    turn();
    check(QStringLiteral("a load is suspended in its own signal"), target.image().isNull() && !target.isPlaceholder());

    int ended = 0;
    for (bool isGrowing : {false, true}) {
        auto *owned = new ImageTarget;
        owned->load(Tiles::url(isGrowing ? 336 : 335, QStringLiteral("hold&side=400")), size);
        finishes(tiles, *owned, 40);
        owned->setSize(2 * size);
        if (isGrowing)
            waitFor([&] { return tiles.heldCount() == 1; });
        QObject::connect(owned, &ImageTarget::imageChanged, [&, owned] {
            delete owned;
            ended++;
        });
        owned->load({}, {});
    }
    auto *label = new RemoteImageLabel;
    label->resize(size);
    QObject::connect(label, &RemoteImageLabel::stateChanged, [&, label] {
        delete label;
        ended++;
    });
    label->setUrl(Tiles::url(337));
    check(QStringLiteral("objects are deleted in their own signals"), ended == 3, QString::number(ended));
}

/* --- QLabel. */

static void testLabel() {
    Tiles tiles;
    QLabel label;
    label.resize(80, 80);
    label.show();
    setImageUrl(&label, Tiles::url(100, QStringLiteral("side=400")));
    check(QStringLiteral("one line shows an image"), waitFor([&] { return number(label) == 100; }));
    QSize expected = QSize(80, 80) * label.devicePixelRatioF();
    check(QStringLiteral("it is decoded at the size of the label in device pixels"),
          label.pixmap().size() == expected && label.pixmap().deviceIndependentSize() == QSizeF(80, 80));

    QPixmap placeholder(10, 10);
    placeholder.fill(Qt::blue);
    setImageUrl(&label, Tiles::url(101, QStringLiteral("hold")), placeholder);
    check(QStringLiteral("another URL shows the placeholder at once"), label.pixmap().size() == QSize(10, 10));
    waitFor([&] { return tiles.heldCount() == 1; });
    setImageUrl(&label, Tiles::url(100, QStringLiteral("side=400")), placeholder);
    check(QStringLiteral("an image in memory is shown before the call returns"), number(label) == 100);
    check(QStringLiteral("reuse cancels"), waitFor([&] { return tiles.cancelled == 1; }));

    setImageUrl(&label, Tiles::url(102, QStringLiteral("fail")), placeholder);
    waitFor([&] { return Loader::shared().runningCount() == 0; });
    turn();
    check(QStringLiteral("after an error the placeholder stays"), label.pixmap().size() == QSize(10, 10));
    setImageUrl(&label, {});
    check(QStringLiteral("an empty URL clears"), label.pixmap().isNull());

    setImageUrl(&label, Tiles::url(103, QStringLiteral("side=400")));
    waitFor([&] { return number(label) == 103; });
    label.resize(160, 160);
    check(QStringLiteral("a larger label loads a larger image"),
          waitFor([&] { return label.pixmap().size() == QSize(160, 160) * label.devicePixelRatioF(); }));

    QWidget window;
    auto *inside = new QLabel;
    auto *layout = new QVBoxLayout(&window);
    layout->addWidget(inside);
    setImageUrl(inside, Tiles::url(104, QStringLiteral("side=400")));
    turn();
    check(QStringLiteral("a label without a size waits"), inside->pixmap().isNull());
    window.resize(200, 200);
    window.show();
    check(QStringLiteral("and loads when it is shown"), waitFor([&] { return number(*inside) == 104; }));

    setImageUrl(&label, Tiles::url(105, QStringLiteral("moving")));
    bool first = waitFor([&] { return number(label) == 105; }), second = waitFor([&] { return number(label) == 106; });
    check(QStringLiteral("an animation plays"), first && second && waitFor([&] { return number(label) == 105; }));
}

/* A label that gets URLs in any order never has the pixels of another one. */
static void testReuse() {
    Tiles tiles;
    QRandomGenerator random(26);
    std::vector<std::unique_ptr<QLabel>> labels(12);
    std::vector<int> urls(labels.size());
    for (auto &label : labels) {
        label = std::make_unique<QLabel>();
        label->resize(40, 40);
        label->show();
    }
    int wrong = 0;
    for (int step = 0; step < 3000; step++) {
        size_t cell = random.bounded(quint32(labels.size()));
        urls[cell] = random.bounded(500);
        setImageUrl(labels[cell].get(), Tiles::url(urls[cell]));
        if (step % 7 == 0)
            turn();
        for (size_t index = 0; index < labels.size(); index++)
            wrong += !labels[index]->pixmap().isNull() && number(*labels[index]) != urls[index];
    }
    bool isComplete = waitFor([&] {
        for (size_t index = 0; index < labels.size(); index++)
            if (!labels[index]->pixmap().isNull() ? number(*labels[index]) != urls[index] : urls[index] > 0)
                return false;
        return true;
    });
    check(QStringLiteral("3000 reuses never show another URL"), wrong == 0 && isComplete, QString::number(wrong));
}

/* --- RemoteImageLabel. */

static void testRemoteImageLabel() {
    Tiles tiles;
    RemoteImageLabel label;
    label.resize(60, 40);
    label.show();
    QList<ImageTarget::State> states;
    QObject::connect(&label, &RemoteImageLabel::stateChanged, [&] { states.append(label.state()); });
    double progress = 0;
    QObject::connect(&label, &RemoteImageLabel::progressChanged, [&] { progress = label.progress(); });
    label.setProgressive(true);
    label.setUrl(Tiles::url(200, QStringLiteral("slow&side=40")));
    check(QStringLiteral("the state is Loading"), label.state() == ImageTarget::Loading);
    waitFor([&] { return tiles.heldCount() == 1; });
    tiles.release();
    check(QStringLiteral("progress is reported"), waitFor([&] { return progress > 0.2 && progress < 0.3; }),
          QString::number(progress));
    while (label.state() == ImageTarget::Loading) {
        tiles.release();
        turn();
    }
    check(QStringLiteral("states are Loading, Ready"),
          states == QList<ImageTarget::State>({ImageTarget::Loading, ImageTarget::Ready}) && progress == 1);
    QImage shot = label.grab().toImage();
    double scale = shot.devicePixelRatio();
    QRect square(int(10 * scale), 0, int(40 * scale), int(40 * scale));
    check(QStringLiteral("KeepAspectRatio leaves bars"),
          Tiles::numberIn(shot, square) == 200 && shot.pixelColor(5, 5) == label.palette().color(QPalette::Window));
    label.setFillMode(Qt::IgnoreAspectRatio);
    check(QStringLiteral("IgnoreAspectRatio stretches"), number(label) == 200);

    label.setUrl(Tiles::url(201, QStringLiteral("fail")));
    check(QStringLiteral("a failure is an Error with a message"),
          waitFor([&] { return label.state() == ImageTarget::Error; }) && !label.errorString().isEmpty());
    label.setBlurHash(QStringLiteral("LEHV6nWB2yk8pyo0adR*.7kCMdnj"));
    label.setUrl(Tiles::url(202, QStringLiteral("hold")));
    check(QStringLiteral("a BlurHash is shown at once"),
          label.target().isPlaceholder() && !label.target().image().isNull());
    QPixmap blue(8, 8);
    blue.fill(Qt::blue);
    label.setBlurHash({});
    label.setPlaceholder(blue);
    label.setUrl(Tiles::url(203, QStringLiteral("hold")));
    check(QStringLiteral("a placeholder fills the widget"),
          label.grab().toImage().pixelColor(5, 5) == QColor(Qt::blue));
    label.setPlaceholder({});

    label.setFillMode(Qt::KeepAspectRatio);
    label.setUrl(Tiles::url(207, QStringLiteral("side=400")));
    waitFor([&] { return label.target().image().width() == int(40 * scale); });
    label.setFillMode(Qt::KeepAspectRatioByExpanding);
    check(QStringLiteral("an image that has to cover the widget is loaded again"),
          waitFor([&] { return label.target().image().width() == int(60 * scale); }));
    label.setFillMode(Qt::IgnoreAspectRatio);
    label.setUrl(Tiles::url(208, QStringLiteral("hold&side=400")));
    waitFor([&] { return tiles.heldCount() == 1; });
    tiles.release();
    waitFor([&] { return number(label) == 208; });
    QSize former = label.size();
    label.resize(3 * former);
    waitFor([&] { return label.state() == ImageTarget::Loading && tiles.heldCount() == 1; });
    QImage grown = label.grab().toImage();
    check(QStringLiteral("no progress is drawn over an image that a larger one will replace"),
          number(label) == 208 &&
              grown.pixelColor(2, grown.height() - 2) != label.palette().color(QPalette::Highlight));
    tiles.release();
    waitFor([&] { return label.state() == ImageTarget::Ready; });
    label.resize(former);

    label.setUrl(Tiles::url(204, QStringLiteral("moving")));
    check(QStringLiteral("an animation plays"),
          waitFor([&] { return number(label) == 204; }) && waitFor([&] { return number(label) == 205; }));
    label.setPlaying(false);
    int frame = number(label), changes = 0;
    QObject::connect(&label.target(), &ImageTarget::imageChanged, [&] { changes++; });
    RemoteImageLabel other(Tiles::url(206, QStringLiteral("moving")));
    other.resize(40, 40);
    other.show();
    /* The other one shows that time passes. */
    waitFor([&] { return number(other) == 206; });
    waitFor([&] { return number(other) == 207; });
    waitFor([&] { return number(other) == 206; });
    check(QStringLiteral("and pauses"), changes == 0 && number(label) == frame);
    other.hide();
    /* A frame that was posted already. */
    turn();
    int hidden = 0;
    QObject::connect(&other.target(), &ImageTarget::imageChanged, [&] { hidden++; });
    label.setPlaying(true);
    int shown = number(label);
    waitFor([&] { return number(label) != shown; });
    waitFor([&] { return number(label) == shown; });
    check(QStringLiteral("a hidden one does not play"), hidden == 0, QString::number(hidden));
}

/* --- The delegate. */

struct Wall {
    QListView view;
    QStandardItemModel model;
    RemoteImageDelegate *delegate;
    int urlRole;

    static QList<QUrl> urls(int count, const QString &query) {
        QList<QUrl> list;
        for (int number = 0; number < count; number++)
            list.append(Tiles::url(number, query));
        return list;
    }

    explicit Wall(int count, const QString &query = {}) : Wall(urls(count, query)) {}

    explicit Wall(const QList<QUrl> &urls) {
        for (const QUrl &url : urls) {
            auto *item = new QStandardItem;
            item->setData(url, Qt::DecorationRole);
            item->setEditable(false);
            model.appendRow(item);
        }
        view.setViewMode(QListView::IconMode);
        view.setUniformItemSizes(true);
        view.setGridSize(QSize(50, 50));
        view.setIconSize(QSize(46, 46));
        view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
        view.setResizeMode(QListView::Adjust);
        view.setFrameShape(QFrame::NoFrame);
        view.setModel(&model);
        delegate = new RemoteImageDelegate(&view);
        view.setItemDelegate(delegate);
        view.resize(520, 300);
        view.show();
    }

    QList<QModelIndex> visible() const {
        QList<QModelIndex> found;
        QRect shown = view.viewport()->rect();
        for (int y = 25; y < shown.height(); y += 50)
            for (int x = 25; x < shown.width(); x += 50)
                if (QModelIndex index = view.indexAt({x, y}); index.isValid() && !found.contains(index))
                    found.append(index);
        return found;
    }

    /* Cells with the pixels of another image, and empty ones. */
    std::pair<int, int> compare() {
        QImage shot = view.viewport()->grab().toImage();
        double scale = shot.devicePixelRatio();
        int wrong = 0, empty = 0;
        for (const QModelIndex &index : visible()) {
            QRect box = view.visualRect(index);
            if (!view.viewport()->rect().contains(box))
                continue;
            int found = Tiles::numberIn(shot, QRect(box.topLeft() * scale, box.size() * scale));
            wrong += found >= 0 && found != index.row();
            empty += found < 0;
        }
        return {wrong, empty};
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
    Wall wall(10000);
    waitFor([&] { return wall.compare().second == 0; });
    QScrollBar *bar = wall.view.verticalScrollBar();
    int wrong = 0, most = 0, mostActive = 0, flings = flingCount;
    int cells = int(wall.visible().size());
    for (int fling = 0; fling < flings; fling++) {
        for (int step = 1; step <= 100; step++) {
            bar->setValue(fling % 2 ? bar->maximum() * (100 - step) / 100 : bar->maximum() * step / 100);
            turn();
            wrong += step % 10 == 0 ? wall.compare().first : 0;
            most = qMax(most, Loader::shared().runningCount());
            mostActive = qMax(mostActive, wall.delegate->activeCount());
        }
#ifndef __SANITIZE_ADDRESS__
        /* Memory that each fling keeps would exceed it. The address sanitizer holds freed memory. */
        if (fling == 4)
            limitMemory(40 << 20);
#endif
    }
    bool isFull = waitFor([&] { return wall.compare().second == 0; });
    limitMemory(0);
    std::fprintf(stderr, "at most %d loads were running\n", most);
    check(QStringLiteral("a wall of 10,000 images has about 60 cells"), cells >= 54 && cells <= 70,
          QString::number(cells));
    check(QStringLiteral("a fling never shows another URL"), wrong == 0 && wall.compare().first == 0,
          QString::number(wrong));
    check(QStringLiteral("no visible cell is empty after the fling"), isFull, QString::number(wall.compare().second));
    /* Two steps of the fling: the cells of the previous one are cancelled by the event loop. */
    check(QStringLiteral("no more loads run than there are cells nearby"), most <= 3 * cells && mostActive <= 5 * cells,
          QStringLiteral("%1 loads, %2 targets, %3 cells").arg(most).arg(mostActive).arg(cells));
}

/* The origin responds to one request at a time; before its first response the view moves by two rows of ten cells. */
static void testOrder() {
    Origin origin;
    origin.isHolding = true;
    useOneTransfer();
    QList<QUrl> urls;
    for (int number = 0; number < 1000; number++)
        urls.append(origin.tile(number));
    Wall wall(urls);
    int cells = int(wall.visible().size());
    waitFor([&] { return origin.targets.size() == 1 && Loader::shared().runningCount() >= cells; });
    wall.view.verticalScrollBar()->setValue(100);
    waitFor([&] { return wall.delegate->state(wall.model.index(19 + cells, 0)) == ImageTarget::Loading; });
    turn();
    origin.open();
    waitFor([&] { return origin.targets.size() > 20 + cells && Loader::shared().runningCount() == 0; });
    QString wrong = origin.outOfOrder(20, 20 + cells);
    check(QStringLiteral("cells in view load before others"), wrong.isEmpty(), wrong);
    /* Then those that were in view before, then the next ones, the nearest first. */
    int former = 20, latest = 0, misplaced = 0;
    for (qsizetype index = 0; index < origin.targets.size(); index++) {
        int number = origin.numberAt(index);
        former -= number < 20;
        if (number < 20 + cells)
            continue;
        misplaced += former > 0 || number < latest;
        latest = number;
    }
    check(QStringLiteral("the nearest of the next cells loads first"), former == 0 && latest > 0 && misplaced == 0,
          QString::number(misplaced));
}

static void testDelegate() {
    Tiles tiles;
    Wall wall(1000, QStringLiteral("hold"));
    waitFor([&] { return tiles.heldCount() >= 50; });
    int held = tiles.heldCount();
    check(QStringLiteral("only visible cells load at first"), held <= int(wall.visible().size()),
          QString::number(held));
    wall.view.verticalScrollBar()->setValue(wall.view.verticalScrollBar()->maximum());
    check(QStringLiteral("cells that scroll away are cancelled"), waitFor([&] { return tiles.cancelled >= held; }));
    bool isFull = waitFor([&] {
        tiles.release();
        return wall.compare().second == 0;
    });
    check(QStringLiteral("cells in view load"), isFull);

    Wall near(1000);
    waitFor([&] { return near.compare().second == 0; });
    int shown = int(near.visible().size());
    check(QStringLiteral("the next cells are loaded in advance"),
          waitFor([&] { return near.delegate->state(near.model.index(shown + shown / 2, 0)) == ImageTarget::Ready; }) &&
              near.delegate->state(near.model.index(6 * shown, 0)) == ImageTarget::Null);
    near.model.item(0)->setData(Tiles::url(999), Qt::DecorationRole);
    check(QStringLiteral("a changed URL is loaded"), waitFor([&] {
              return Tiles::numberIn(near.view.grab().toImage(), near.view.visualRect(near.model.index(0, 0))) == 999;
          }));
    near.model.clear();
    waitFor([&] { return near.delegate->activeCount() == 0; });
    check(QStringLiteral("removed rows release their images"), near.delegate->activeCount() == 0);

    QTableView table;
    QStandardItemModel model(40, 3);
    for (int row = 0; row < 40; row++) {
        model.setItem(row, 0, new QStandardItem(QStringLiteral("row %1").arg(row)));
        model.setData(model.index(row, 1), Tiles::url(row).toString(), Qt::UserRole);
        model.setData(model.index(row, 2), Tiles::url(row + 100).toString(), Qt::UserRole);
    }
    table.setModel(&model);
    table.setItemDelegate(new RemoteImageDelegate(&table, Qt::UserRole));
    table.verticalHeader()->setDefaultSectionSize(40);
    table.resize(400, 300);
    table.show();
    auto cell = [&](int row, int column) {
        return Tiles::numberIn(table.viewport()->grab().toImage(), table.visualRect(model.index(row, column)));
    };
    table.setColumnWidth(1, 40);
    table.setColumnWidth(2, 40);
    check(QStringLiteral("a table shows images in its columns"),
          waitFor([&] { return cell(1, 1) == 1 && cell(2, 2) == 102; }));
}

/* --- Destruction. */

static void testDestruction() {
    Tiles tiles;
    QRandomGenerator random(7);
    const QString queries[] = {
        {}, QStringLiteral("moving"), QStringLiteral("slow"), QStringLiteral("hold"), QStringLiteral("fail")};
    int destroyed = 0;
    for (int round = 0; round < 1500; round++) {
        QUrl url = Tiles::url(int(random.bounded(60)), queries[random.bounded(5)]);
        if (round % 3 == 0) {
            auto *label = new QLabel;
            label->resize(40, 40);
            if (round % 2)
                label->show();
            setImageUrl(label, url);
            for (int turns = int(random.bounded(4)); turns > 0; turns--)
                turn();
            delete label;
        } else {
            auto *label = new RemoteImageLabel(url);
            QPointer<RemoteImageLabel> guard(label);
            label->setProgressive(true);
            label->resize(40, 40);
            int when = int(random.bounded(4));
            /* Qt permits no deletion while it shows a widget. */
            label->show();
            /* Deleted in a slot of its own signals. */
            auto end = [&] { delete guard.data(); };
            if (when == 0)
                QObject::connect(label, &RemoteImageLabel::stateChanged, end);
            if (when == 1)
                QObject::connect(label, &RemoteImageLabel::progressChanged, end);
            if (when == 2)
                QObject::connect(&label->target(), &ImageTarget::imageChanged, end);
            for (int turns = int(random.bounded(6)); turns > 0; turns--)
                turn();
            tiles.release();
            turn();
            delete guard.data();
        }
        destroyed++;
        if (round % 10 == 0) {
            Wall wall(200, queries[random.bounded(5)]);
            wall.view.verticalScrollBar()->setValue(int(random.bounded(500)));
            turn();
        }
    }
    check(QStringLiteral("%1 widgets end at any point of a load").arg(destroyed), waitFor([&] {
              tiles.release();
              return Loader::shared().runningCount() == 0;
          }));
}

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    const std::pair<const char *, void (*)()> tests[] = {{"conversions", testConversions},
                                                         {"loader", testLoader},
                                                         {"errors", testErrors},
                                                         {"growth", testGrowth},
                                                         {"vector", testVector},
                                                         {"request", testRequest},
                                                         {"progress", testProgress},
                                                         {"slots", testSlots},
                                                         {"label", testLabel},
                                                         {"reuse", testReuse},
                                                         {"remote", testRemoteImageLabel},
                                                         {"delegate", testDelegate},
                                                         {"order", testOrder},
                                                         {"fling", testFling},
                                                         {"destruction", testDestruction}};
    for (auto &[name, test] : tests)
        if (argc < 2 || QByteArray(argv[1]) == name)
            test();
    return failures() ? 1 : 0;
}
