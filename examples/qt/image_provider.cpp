/* image_provider.cpp: each Image is a load. Deliveries on a thread of the library are passed to Qt's thread. */
#include "image_provider.h"

#include <QFile>
#include <QQuickTextureFactory>
#include <QUrl>

#include <atomic>
#include <memory>
#include <mutex>

namespace {

std::atomic<int> loadCount, cancelCount, pictureCount;

/* The state that a load and its response share; either may end first. */
struct Load {
    std::mutex mutex;
    QQuickImageResponse *response; /* null after the response was destroyed */
    QImage image;
    QString error;
};

using SharedLoad = std::shared_ptr<Load>;

/* Runs on a worker, or before sdimage_manager_load returns. */
void onResult(void *userData, sdimage_task *, sdimage_result *result) {
    Load &load = **static_cast<SharedLoad *>(userData);
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    /* A stale image comes with an error, and is shown. */
    QImage image = toQImage(sdimage_result_image(result));
    const sdimage_error *error = sdimage_result_error(result);
    std::lock_guard<std::mutex> lock(load.mutex);
    cancelCount += sdimage_error_code(error) == SDIMAGE_STATUS_CANCELLED;
    load.image = image;
    if (image.isNull())
        load.error = QString::fromUtf8(sdimage_error_message(error));
    /* Queued, because the engine connects to the signal only after it has received the response. */
    if (load.response)
        QMetaObject::invokeMethod(load.response, &QQuickImageResponse::finished, Qt::QueuedConnection);
}

void forget(void *userData) {
    delete static_cast<SharedLoad *>(userData);
}

class Response : public QQuickImageResponse {
  public:
    Response(sdimage_manager *manager, const sdimage_request *request) : load(std::make_shared<Load>()) {
        sdimage_load_handler handler = {sizeof handler, onResult, nullptr};
        sdimage_error *error = nullptr;
        load->response = this;
        loadCount++;
        if (sdimage_manager_load(manager, request, &handler, new SharedLoad(load), forget, &task, &error) < 0) {
            load->error = error ? QString::fromUtf8(sdimage_error_message(error)) : QStringLiteral("no manager");
            QMetaObject::invokeMethod(this, &QQuickImageResponse::finished, Qt::QueuedConnection);
        }
        sdimage_error_unref(error);
    }

    /* A response with an image that is available at once. */
    explicit Response(const QImage &image) : load(std::make_shared<Load>()) {
        load->image = image;
        if (image.isNull())
            load->error = QStringLiteral("no such hash");
        QMetaObject::invokeMethod(this, &QQuickImageResponse::finished, Qt::QueuedConnection);
    }

    ~Response() override {
        {
            std::lock_guard<std::mutex> lock(load->mutex);
            load->response = nullptr;
        }
        sdimage_task_cancel(task);
        sdimage_task_unref(task);
    }

    /* The engine waits for `finished` in either case; the load's last delivery emits it. */
    void cancel() override { sdimage_task_cancel(task); }

    QQuickTextureFactory *textureFactory() const override {
        std::lock_guard<std::mutex> lock(load->mutex);
        return load->image.isNull() ? nullptr : QQuickTextureFactory::textureFactoryForImage(load->image);
    }

    QString errorString() const override {
        std::lock_guard<std::mutex> lock(load->mutex);
        return load->error;
    }

  private:
    SharedLoad load;
    sdimage_task *task = nullptr;
};

/* Encodes a plain URL again, some of whose escapes Qt has decoded. Qt decodes nothing in an id from
 * encodeURIComponent: that is decoded here. */
QByteArray urlOf(const QString &id) {
    bool isPlain = id.contains(QLatin1String(":/")) || id.startsWith(QLatin1String("data:"));
    return isPlain ? QUrl(id).toEncoded() : QByteArray::fromPercentEncoding(id.toUtf8());
}

/* If only one side is given, the box is unlimited in the other direction. */
uint32_t sideOf(int side, int other) {
    constexpr uint32_t endless = 1 << 24;
    return side > 0 ? uint32_t(side) : other > 0 ? endless : 0;
}

sdimage_request *newRequest(const QByteArray &url, const QSize &size) {
    sdimage_request *request = sdimage_request_new_bytes(url.constData(), size_t(url.size()));
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, sideOf(size.width(), size.height()),
                                              sideOf(size.height(), size.width()), SDIMAGE_SCALE_MODE_ASPECT_FIT);
    /* The format that Qt draws without a conversion. */
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    sdimage_decode_options_set_first_frame_only(options, true);
    sdimage_request_set_decode_options(request, options);
    sdimage_decode_options_unref(options);
    return request;
}

/* Decodes a placeholder of a few dozen pixels; returns null if the text is not a valid hash. */
QImage decodeHash(const QByteArray &hash) {
    constexpr uint32_t side = 32;
    sdimage_image *image = nullptr;
    QByteArray text = hash.mid(hash.indexOf(':') + 1);
    if (hash.startsWith("blurhash:")) {
        sdimage_blurhash_decode(text.constData(), size_t(text.size()), side, side, 1, &image, nullptr);
    } else {
        QByteArray bytes = QByteArray::fromHex(text);
        sdimage_thumbhash_decode(bytes.constData(), size_t(bytes.size()), &image, nullptr);
    }
    QImage result = toQImage(image);
    sdimage_image_unref(image);
    return result;
}

} // namespace

QImage toQImage(const sdimage_image *image) {
    static_assert(Q_BYTE_ORDER == Q_LITTLE_ENDIAN, "elsewhere ARGB32 is no BGRA");
    sdimage_image *shared = nullptr;
    /* Returns the same image if it has the format already. */
    if (!image || sdimage_image_convert(image, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, &shared, nullptr) < 0)
        return {};
    bool hasAlpha = sdimage_image_has_alpha(shared);
    pictureCount++;
    return QImage(
        static_cast<const uchar *>(sdimage_image_pixels(shared)), int(sdimage_image_width(shared)),
        int(sdimage_image_height(shared)), qsizetype(sdimage_image_stride(shared)),
        hasAlpha ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32,
        [](void *pixels) {
            sdimage_image_unref(static_cast<sdimage_image *>(pixels));
            pictureCount--;
        },
        shared);
}

ImageProvider::ImageProvider(const QString &folder) {
    sdimage_cache_config *cacheConfig = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_cache *cache = nullptr;
    sdimage_dispatcher *dispatcher = nullptr;
    if (!folder.isEmpty())
        sdimage_cache_config_set_directory(cacheConfig, QFile::encodeName(folder).constData());
    sdimage_cache_config_set_max_memory_cost(cacheConfig, 64 << 20);
    if (sdimage_cache_new(cacheConfig, &cache, nullptr) >= 0 &&
        sdimage_dispatcher_new_immediate(&dispatcher, nullptr) >= 0) {
        sdimage_manager_config_set_cache(config, cache);
        sdimage_manager_config_set_dispatcher(config, dispatcher);
        sdimage_manager_config_set_freshness(config, SDIMAGE_FRESHNESS_RESPECT);
        sdimage_manager_new(config, &manager, nullptr);
    }
    sdimage_dispatcher_unref(dispatcher);
    sdimage_cache_unref(cache);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(cacheConfig);
}

/* Running loads fail, and their waiters receive the error. */
ImageProvider::~ImageProvider() {
    sdimage_manager_unref(manager);
}

QQuickImageResponse *ImageProvider::requestImageResponse(const QString &id, const QSize &requestedSize) {
    QByteArray url = urlOf(id);
    if (url.startsWith("blurhash:") || url.startsWith("thumbhash:"))
        return new Response(decodeHash(url));
    sdimage_request *request = newRequest(url, requestedSize);
    auto *response = new Response(manager, request);
    sdimage_request_unref(request);
    return response;
}

ImageProvider::Counts ImageProvider::counts() {
    return {loadCount, cancelCount, pictureCount};
}
