/* loader.cpp: a manager, its dispatcher on a thread of Qt, and futures. */
#include <sdimage/qt/loader.h>

#include <QCoreApplication>
#include <QFile>
#include <QFutureWatcher>
#include <QPromise>

#include <vector>

#include <sdimage/qt/image.h>

#include "dispatcher.h"
#include "handles.h"
#include "resource_loader.h"

namespace sdimage::qt {

namespace {

/* Bytes of pixels that a loader holds in memory. */
constexpr size_t memoryLimit = 128 << 20;

std::unique_ptr<Loader> &sharedLoader() {
    static std::unique_ptr<Loader> loader;
    return loader;
}

void endShared() {
    sharedLoader().reset();
}

/* The loaders of a manager without one of its own, and resources. */
sdimage_loader *newLoaderChain() {
    auto plain = make<Manager>(sdimage_manager_new, static_cast<const sdimage_manager_config *>(nullptr));
    sdimage_loader *builtIn = nullptr, *resources = newResourceLoader(), *chain = nullptr;
    sdimage_manager_get_loader(plain.get(), &builtIn);
    if (sdimage_loader_new_chain(&chain, nullptr) >= 0) {
        sdimage_loader_chain_add(chain, builtIn, nullptr);
        sdimage_loader_chain_add(chain, resources, nullptr);
    }
    sdimage_loader_unref(resources);
    sdimage_loader_unref(builtIn);
    return chain;
}

Manager newManager(const QString &cacheFolder, sdimage_dispatcher *dispatcher) {
    ManagerConfig config(sdimage_manager_config_new());
    CacheConfig options(sdimage_cache_config_new());
    if (!cacheFolder.isEmpty())
        sdimage_cache_config_set_directory(options.get(), QFile::encodeName(cacheFolder).constData());
    sdimage_cache_config_set_max_memory_cost(options.get(), memoryLimit);
    auto cache = make<Cache>(sdimage_cache_new, static_cast<const sdimage_cache_config *>(options.get()));
    sdimage_manager_config_set_cache(config.get(), cache.get());
    sdimage_loader *loader = newLoaderChain();
    sdimage_manager_config_set_loader(config.get(), loader);
    sdimage_loader_unref(loader);
    sdimage_manager_config_set_dispatcher(config.get(), dispatcher);
    sdimage_manager_config_set_freshness(config.get(), SDIMAGE_FRESHNESS_RESPECT);
    return make<Manager>(sdimage_manager_new, static_cast<const sdimage_manager_config *>(config.get()));
}

/* The state of one load with a future. */
using Promise = QPromise<QImage>;

void finish(void *state, sdimage_task *, sdimage_result *result) {
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    Promise &promise = *static_cast<Promise *>(state);
    /* A stale image comes with an error, and is a result. */
    QImage image = toQImage(sdimage_result_image(result));
    const sdimage_error *error = sdimage_result_error(result);
    sdimage_status status = error                          ? sdimage_error_code(error)
                            : sdimage_result_image(result) ? SDIMAGE_STATUS_NO_MEMORY
                                                           : SDIMAGE_STATUS_NOT_FOUND; /* in no cache */
    if (!image.isNull())
        promise.addResult(std::move(image));
    else
        promise.setException(LoadError(status, QString::fromUtf8(sdimage_error_message(error))));
    promise.finish();
}

void report(void *state, sdimage_task *, int64_t received, int64_t expected) {
    if (expected > 0)
        static_cast<Promise *>(state)->setProgressValue(int(qMin(received, expected) * 100 / expected));
}

} // namespace

LoadError::LoadError(int status, const QString &message)
    : code(status), text(message), bytes(sdimage_status_name(sdimage_status(status))) {
    if (text.isEmpty())
        text = QString::fromUtf8(bytes);
    else
        bytes += ": " + text.toUtf8();
}

LoadError::~LoadError() = default;

struct Loader::Private {
    QObject context; /* watches the futures, on the thread of the loader */
    Dispatcher dispatcher{newDispatcher()};
    Dispatcher immediate = make<Dispatcher>(sdimage_dispatcher_new_immediate);
    Manager manager;
    Prefetcher prefetcher;
    Group group;
};

Loader &Loader::shared() {
    if (!sharedLoader())
        setShared(std::make_unique<Loader>());
    return *sharedLoader();
}

void Loader::setShared(std::unique_ptr<Loader> loader) {
    if (!sharedLoader())
        qAddPostRoutine(endShared);
    sharedLoader() = std::move(loader);
}

Loader::Loader(const QString &cacheFolder) : d(std::make_unique<Private>()) {
    d->manager = newManager(cacheFolder, d->dispatcher.get());
}

Loader::Loader(sdimage_manager *manager) : d(std::make_unique<Private>()) {
    d->manager.reset(sdimage_manager_ref(manager));
}

Loader::~Loader() = default;

sdimage_manager *Loader::manager() const {
    return d->manager.get();
}

sdimage_dispatcher *Loader::dispatcher() const {
    return d->dispatcher.get();
}

int Loader::runningCount() const {
    return int(sdimage_manager_running_count(d->manager.get()));
}

QFuture<QImage> Loader::load(const QUrl &url, const QSize &pixels, Qt::AspectRatioMode mode) {
    auto *promise = new Promise;
    QFuture<QImage> future = promise->future();
    promise->start();
    promise->setProgressRange(0, 100);
    Request request(newRequest(url, pixels, mode));
    sdimage_request_set_dispatcher(request.get(), d->immediate.get());
    sdimage_load_handler handler = {sizeof handler, finish, report};
    sdimage_task *started = nullptr;
    sdimage_error *error = nullptr;
    /* A refused load destroys its state, later: the promise then finishes without a result, as cancelled. */
    sdimage_status status = sdimage_manager_load(
        d->manager.get(), request.get(), &handler, promise, [](void *state) { delete static_cast<Promise *>(state); },
        &started, &error);
    Failure why(error);
    Task task(started);
    if (status < 0)
        return QtFuture::makeExceptionalFuture<QImage>(
            LoadError(status, QString::fromUtf8(sdimage_error_message(why.get()))));
    if (future.isFinished())
        return future;
    std::shared_ptr<sdimage_task> shared(task.release(), sdimage_task_unref);
    QMetaObject::invokeMethod(&d->context, [context = &d->context, future, shared] {
        auto *watcher = new QFutureWatcher<QImage>(context);
        QObject::connect(watcher, &QFutureWatcher<QImage>::canceled, [shared] { sdimage_task_cancel(shared.get()); });
        QObject::connect(watcher, &QFutureWatcher<QImage>::finished, watcher, &QObject::deleteLater);
        watcher->setFuture(future);
    });
    return future;
}

void Loader::prefetch(const QList<QUrl> &urls, const QSize &pixels, Qt::AspectRatioMode mode) {
    if (!d->prefetcher)
        d->prefetcher = make<Prefetcher>(sdimage_prefetcher_new, d->manager.get(), d->dispatcher.get());
    sdimage_prefetch_group_cancel(d->group.get());
    d->group.reset();
    if (urls.isEmpty())
        return;
    QList<QByteArray> texts;
    for (const QUrl &url : urls)
        texts.append(url.toEncoded());
    std::vector<const char *> pointers;
    for (const QByteArray &text : std::as_const(texts))
        pointers.push_back(text.constData());
    Request request(newRequest({}, pixels, mode));
    sdimage_request_set_priority(request.get(), SDIMAGE_PRIORITY_LOW);
    sdimage_prefetch_group *group = nullptr;
    sdimage_prefetcher_start(d->prefetcher.get(), pointers.data(), nullptr, pointers.size(), request.get(), nullptr,
                             nullptr, nullptr, &group, nullptr);
    d->group.reset(group);
}

sdimage_request *newRequest(const QUrl &url, const QSize &pixels, Qt::AspectRatioMode mode,
                            const sdimage_request *base) {
    QByteArray text = url.toEncoded();
    sdimage_request *request = base ? sdimage_request_copy(base) : sdimage_request_new("");
    sdimage_request_set_url(request, text.constData(), size_t(text.size()));
    QSize box = pixels.isEmpty() ? QSize(0, 0) : pixels;
    /* A stretched image has to cover the box, too. */
    bool isCovered = mode != Qt::KeepAspectRatio && !pixels.isEmpty();
    sdimage_request_set_thumbnail_size(request, uint32_t(box.width()), uint32_t(box.height()),
                                       isCovered ? SDIMAGE_SCALE_MODE_ASPECT_FILL : SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    return request;
}

} // namespace sdimage::qt
