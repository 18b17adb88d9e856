/* probe.cpp: a custom loader, and helpers. */
#include "probe.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QPainter>
#include <QUrlQuery>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>

#include <sdimage.h>
#include <sdimage/sys.h>

#include <sdimage/qt/image.h>

static int failed;

bool check(const QString &name, bool isFine, const QString &why) {
    if (isFine)
        std::printf("ok %s\n", qPrintable(name));
    else
        std::printf("not ok %s: %s\n", qPrintable(name), why.isEmpty() ? "false" : qPrintable(why));
    std::fflush(stdout);
    failed += !isFine;
    return isFine;
}

int failures() {
    return failed;
}

void turn() {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

bool waitFor(const std::function<bool()> &condition) {
    QElapsedTimer since;
    since.start();
    while (!condition()) {
        if (since.elapsed() > 120000)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return true;
}

void limitMemory(qint64 bytes) {
    QFile file(QStringLiteral("/proc/self/status"));
    rlimit limit{};
    if (!file.open(QIODevice::ReadOnly) || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    QByteArray text = file.readAll();
    qint64 used = text.mid(text.indexOf("VmData:") + 7).simplified().split(' ').value(0).toLongLong() * 1024;
    limit.rlim_cur = bytes > 0 ? rlim_t(used + bytes) : limit.rlim_max;
    check(bytes > 0 ? QStringLiteral("memory is limited") : QStringLiteral("memory is unlimited"),
          used > 0 && setrlimit(RLIMIT_DATA, &limit) == 0);
}

/* --- Images. Each half has a color of three channels with four levels: 12 bits in all, and one more for each half. */

static QColor colorOf(int digits) {
    auto level = [](int value) { return 30 + 60 * value; };
    return QColor(level(digits & 3), level(digits >> 2 & 3), level(digits >> 4 & 3));
}

QImage Tiles::picture(int number, int side) {
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(colorOf(number & 63));
    QPainter painter(&image);
    painter.fillRect(0, side / 2, side, side - side / 2, colorOf(number >> 6 & 63));
    painter.fillRect(side / 2, side / 2, side - side / 2, side - side / 2, colorOf(number >> 12 & 63));
    return image;
}

static int digitsOf(QColor color) {
    auto value = [](int level) {
        int found = (level - 30 + 30) / 60;
        return std::abs(30 + 60 * found - level) <= 12 ? found : -1;
    };
    int red = value(color.red()), green = value(color.green()), blue = value(color.blue());
    return red < 0 || green < 0 || blue < 0 || red > 3 || green > 3 || blue > 3 ? -1 : red | green << 2 | blue << 4;
}

int Tiles::numberIn(const QImage &image, const QRect &box) {
    auto at = [&](double x, double y) {
        QPoint point(box.x() + int(box.width() * x), box.y() + int(box.height() * y));
        return image.rect().contains(point) ? digitsOf(image.pixelColor(point)) : -1;
    };
    int top = at(0.5, 0.25), left = at(0.25, 0.75), right = at(0.75, 0.75);
    return top < 0 || left < 0 || right < 0 ? -1 : top | left << 6 | right << 12;
}

QUrl Tiles::url(int number, const QString &query) {
    QUrl url(QStringLiteral("tile:/%1").arg(number));
    if (!query.isEmpty())
        url.setQuery(query);
    return url;
}

/* --- The loader. */

struct Waiting {
    sdimage_load_sink *sink;
    QByteArray rest;
    int piece;
};

struct Tiles::State {
    std::atomic<int> started{0}, cancelled{0}, priority{0};
    std::mutex mutex;
    std::vector<Waiting> all;
};

QByteArray Tiles::vector() {
    return QByteArrayLiteral(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"24\" height=\"24\"><circle r=\"9\"/></svg>");
}

QByteArray Tiles::encoded(int number, int side, const char *format) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    picture(number, side).save(&buffer, format);
    return bytes;
}

static QByteArray moving(int number, int side) {
    sdimage_image *frames[] = {sdimage::qt::fromQImage(Tiles::picture(number, side)),
                               sdimage::qt::fromQImage(Tiles::picture(number + 1, side))};
    const uint32_t durations[] = {40, 40};
    sdimage_image *animation = nullptr;
    sdimage_image_new_animation(frames, durations, 2, 0, &animation, nullptr);
    sdimage_data *data = nullptr;
    sdimage_encode(animation, SDIMAGE_FORMAT_PNG, nullptr, &data, nullptr);
    QByteArray bytes(static_cast<const char *>(sdimage_data_bytes(data)), qsizetype(sdimage_data_length(data)));
    sdimage_data_unref(data);
    sdimage_image_unref(animation);
    sdimage_image_unref(frames[0]);
    sdimage_image_unref(frames[1]);
    return bytes;
}

/* A row of 256 MiB, which is never touched. */
static sdimage_image *wideImage() {
    constexpr uint32_t width = 1 << 26;
    constexpr size_t length = size_t(width) * 4;
    void *pixels = mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    sdimage_image *image = nullptr;
    sdimage_image_new_adopting(
        width, 1, length, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, pixels, pixels,
        [](void *mapped) { munmap(mapped, length); }, &image, nullptr);
    return image;
}

struct TileFunctions {
    static Tiles::State &stateOf(void *data) { return **static_cast<std::shared_ptr<Tiles::State> *>(data); }
    static void destroy(void *data) { delete static_cast<std::shared_ptr<Tiles::State> *>(data); }

    static bool canLoad(void *, const sdimage_request *request) {
        return std::strncmp(sdimage_request_url(request, nullptr), "tile:", 5) == 0;
    }

    static sdimage_status load(void *data, const sdimage_request *request, sdimage_load_sink *sink) {
        Tiles::State &tiles = stateOf(data);
        QUrl url(QString::fromUtf8(sdimage_request_url(request, nullptr)));
        QUrlQuery query(url);
        int number = url.path().mid(1).toInt();
        int side =
            query.hasQueryItem(QStringLiteral("side")) ? query.queryItemValue(QStringLiteral("side")).toInt() : 40;
        tiles.priority = sdimage_request_priority(request);
        tiles.started++; /* last: tests wait for it, then read the priority */
        if (query.hasQueryItem(QStringLiteral("fail")))
            return SDIMAGE_STATUS_NOT_FOUND;
        if (query.hasQueryItem(QStringLiteral("wide"))) {
            sdimage_image *image = wideImage();
            sdimage_load_sink_finish_with_image(sink, image);
            sdimage_image_unref(image);
            return SDIMAGE_STATUS_OK;
        }
        bool isPNG = query.hasQueryItem(QStringLiteral("png"));
        QByteArray bytes = query.hasQueryItem(QStringLiteral("moving")) ? moving(number, side)
                           : query.hasQueryItem(QStringLiteral("vector"))
                               ? Tiles::vector()
                               : Tiles::encoded(number, side, isPNG ? "PNG" : "BMP");
        bool isSlow = query.hasQueryItem(QStringLiteral("slow"));
        if (!isSlow && !query.hasQueryItem(QStringLiteral("hold"))) {
            sdimage_load_sink_write(sink, bytes.constData(), size_t(bytes.size()), nullptr);
            sdimage_load_sink_finish(sink, nullptr);
            return SDIMAGE_STATUS_OK;
        }
        sdimage_load_sink_set_expected_length(sink, uint64_t(bytes.size()));
        int piece = isSlow ? int(bytes.size()) / 4 + 1 : int(bytes.size());
        {
            std::lock_guard<std::mutex> lock(tiles.mutex);
            tiles.all.push_back({sdimage_load_sink_ref(sink), bytes, piece});
        }
        /* A cancellation before that found nothing. */
        if (sdimage_load_sink_is_cancelled(sink))
            end(tiles, sink);
        return SDIMAGE_STATUS_OK;
    }

    /* Ends the load of a sink, once. */
    static void end(Tiles::State &tiles, sdimage_load_sink *sink) {
        std::vector<Waiting> ended;
        {
            std::lock_guard<std::mutex> lock(tiles.mutex);
            auto isOfSink = [sink](const Waiting &waiting) { return waiting.sink == sink; };
            auto found = std::find_if(tiles.all.begin(), tiles.all.end(), isOfSink);
            if (found != tiles.all.end()) {
                ended.push_back(*found);
                tiles.all.erase(found);
            }
        }
        for (Waiting &waiting : ended) {
            sdimage_load_sink_finish(waiting.sink, nullptr);
            sdimage_load_sink_unref(waiting.sink);
        }
    }

    static void cancel(void *data, sdimage_load_sink *sink) {
        Tiles::State &tiles = stateOf(data);
        tiles.cancelled++;
        end(tiles, sink);
    }
};

/* Makes a manager with a small cache in memory the shared one. Takes the loader. */
static void share(sdimage_loader *loader) {
    sdimage_cache_config *cacheConfig = sdimage_cache_config_new();
    sdimage_cache_config_set_max_memory_cost(cacheConfig, 8 << 20);
    sdimage_cache_config_set_memory_only(cacheConfig, true);
    sdimage_cache *cache = nullptr;
    sdimage_cache_new(cacheConfig, &cache, nullptr);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_loader(config, loader);
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager *manager = nullptr;
    sdimage_manager_new(config, &manager, nullptr);
    sdimage::qt::Loader::setShared(std::make_unique<sdimage::qt::Loader>(manager));
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
    sdimage_cache_unref(cache);
    sdimage_cache_config_unref(cacheConfig);
    sdimage_loader_unref(loader);
}

void useOneTransfer() {
    sdimage_downloader_config *config = sdimage_downloader_config_new();
    sdimage_downloader_config_set_max_total(config, 1);
    /* Origins hold responses while windows are drawn. */
    sdimage_downloader_config_set_inactivity_timeout_ms(config, 600000);
    sdimage_downloader_config_set_total_timeout_ms(config, 600000);
    sdimage_loader *loader = nullptr;
    sdimage_downloader_new(config, &loader, nullptr);
    sdimage_downloader_config_unref(config);
    share(loader);
}

Tiles::Tiles()
    : state(std::make_shared<State>()), started(state->started), cancelled(state->cancelled),
      priority(state->priority) {
    sdimage_loader_vtable table = {};
    table.size = sizeof table;
    table.can_load = TileFunctions::canLoad;
    table.load = TileFunctions::load;
    table.cancel = TileFunctions::cancel;
    sdimage_loader *loader = nullptr;
    sdimage_loader_new_custom("tile", &table, new std::shared_ptr<State>(state), TileFunctions::destroy, &loader,
                              nullptr);
    share(loader);
}

Tiles::~Tiles() {
    sdimage_manager *manager = sdimage_manager_ref(sdimage::qt::Loader::shared().manager());
    sdimage::qt::Loader::setShared(nullptr);
    sdimage_manager_cancel_all(manager);
    sdimage_manager_close(manager, 60000, nullptr);
    sdimage_manager_unref(manager);
}

int Tiles::heldCount() const {
    std::lock_guard<std::mutex> lock(state->mutex);
    return int(state->all.size());
}

void Tiles::release() {
    std::vector<Waiting> taken;
    {
        std::lock_guard<std::mutex> lock(state->mutex);
        taken.swap(state->all);
    }
    for (Waiting &waiting : taken) {
        QByteArray piece = waiting.rest.left(waiting.piece);
        waiting.rest.remove(0, piece.size());
        sdimage_load_sink_write(waiting.sink, piece.constData(), size_t(piece.size()), nullptr);
        if (waiting.rest.isEmpty()) {
            sdimage_load_sink_finish(waiting.sink, nullptr);
            sdimage_load_sink_unref(waiting.sink);
        } else {
            std::lock_guard<std::mutex> lock(state->mutex);
            state->all.push_back(waiting);
        }
    }
}
