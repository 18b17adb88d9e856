/* target.cpp: a target of the library, which orders the callbacks, and a view, which plays animations. Both call on the
 * thread of the loader. */
#include <sdimage/qt/target.h>

#include <QPainter>
#include <QPointer>
#include <QTimer>

#include <optional>

#include <sdimage/qt/image.h>
#include <sdimage/qt/loader.h>

#include "handles.h"

namespace sdimage::qt {

namespace {

/* Time after the last change of size before a larger image is loaded. */
constexpr int settleMilliseconds = 100;
/* Side in pixels of the drawn BlurHash: it is smooth, and scaled when it is painted. */
constexpr uint32_t hashSide = 32;

/* Draws a placeholder where a partial image is transparent because nothing has arrived. */
QImage above(const QImage &image, const QImage &below) {
    QImage both = image;
    QPainter painter(&both);
    painter.setCompositionMode(QPainter::CompositionMode_DestinationOver);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(both.rect(), below);
    return both;
}

bool isLarger(const QSize &size, const QSize &other) {
    return size.width() > other.width() || size.height() > other.height();
}

/* The line for a failure; the name of the status if there is no error. */
QString lineOf(sdimage_status status, const sdimage_error *error) {
    return QString::fromUtf8(error ? sdimage_error_message(error) : sdimage_status_name(status));
}

} // namespace

struct ImageTarget::Private {
    /* The `user_data` of all callbacks. It outlives the object, whose destructor clears the pointer on the thread of
     * the callbacks; the library destroys it later, on another thread. */
    struct Link {
        ImageTarget *target;
    };

    /* The `user_data` of the handler of one load. */
    struct LoadLink {
        std::shared_ptr<Link> link;
        uint64_t number;
        bool isAgain;
    };

    explicit Private(ImageTarget *owner, Loader *loader);
    ~Private();

    void start(bool again);
    bool clear();
    void setState(State value);
    void setProgress(double value);
    bool wantsMore() const;
    sdimage_priority currentPriority() const;

    /* The callbacks of the library. */
    static std::shared_ptr<Link> &linkOf(void *data) { return *static_cast<std::shared_ptr<Link> *>(data); }
    static void setImage(void *data, const char *key, sdimage_image *image, sdimage_result *result);
    static void setProgress(void *data, const char *key, double fraction);
    static void show(void *data, sdimage_animated_view *view, const sdimage_image *image);
    static void finish(void *data, sdimage_task *task, sdimage_result *result);

    ImageTarget *q;
    std::shared_ptr<Link> link;
    Target target;
    View view;
    QTimer settle;

    QUrl url;
    QSize wanted, loaded; /* the size of the widget, and that for which the image was requested */
    QSize source;
    Qt::AspectRatioMode mode = Qt::KeepAspectRatio, loadedMode = Qt::KeepAspectRatio;
    Request base;
    Image placeholder;
    QByteArray blurHash;
    std::optional<int> priority; /* set by the program */
    bool isProgressive = false, isPlaying = true, isVisible = true, isSuspended = false;

    uint64_t latestLoad = 0;
    bool isAgain = false; /* the latest load is one of the same URL at another size */
    State state = Null;
    double progress = 0;
    QString error;
    QImage image;
    QImage below; /* the placeholder of the library, a BlurHash or a smaller image, which is below partial images */
    Image shown;  /* the image of the library, of which `image` may be a frame */
    bool isPlaceholder = false;
};

ImageTarget::Private::Private(ImageTarget *owner, Loader *loader) : q(owner), link(std::make_shared<Link>()) {
    link->target = owner;
    if (!loader)
        loader = &Loader::shared();
    sdimage_target_vtable table = {};
    table.size = sizeof table;
    table.set_image = setImage;
    table.indicator_update = setProgress;
    auto forget = [](void *data) { delete static_cast<std::shared_ptr<Link> *>(data); };
    sdimage_target *made = nullptr;
    sdimage_target_new(loader->manager(), loader->dispatcher(), &table, new std::shared_ptr<Link>(link), forget, &made,
                       nullptr);
    target.reset(made);
    sdimage_animated_view_handler handler = {sizeof handler, show, nullptr};
    sdimage_animated_view *viewMade = nullptr;
    sdimage_animated_view_new(&handler, new std::shared_ptr<Link>(link), forget, &viewMade, nullptr);
    view.reset(viewMade);
    sdimage_animated_view_set_clock(view.get(), SDIMAGE_PLAYER_CLOCK_LIBRARY, loader->dispatcher(), nullptr);
    settle.setSingleShot(true);
    settle.setInterval(settleMilliseconds);
}

ImageTarget::Private::~Private() {
    link->target = nullptr;
    sdimage_target_close(target.get());
    sdimage_animated_view_stop(view.get());
}

void ImageTarget::Private::setState(State value) {
    if (state == value)
        return;
    state = value;
    Q_EMIT q->stateChanged();
}

void ImageTarget::Private::setProgress(double value) {
    if (progress == value)
        return;
    progress = value;
    Q_EMIT q->progressChanged();
}

/* A load of the same URL at another size (`again`) keeps the image until the new one arrives. Signals follow the call:
 * a slot may load something else. */
void ImageTarget::Private::start(bool again) {
    QPointer<ImageTarget> guard(q);
    double before = progress;
    Request request(newRequest(url, wanted, mode, base.get()));
    TargetOptions options(sdimage_target_options_new());
    sdimage_request_set_priority(request.get(), currentPriority());
    isAgain = again;
    if (again) {
        sdimage_request_set_progressive(request.get(), false);
        sdimage_target_options_set_placeholder_time(options.get(), SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE);
    } else {
        sdimage_request_set_progressive(request.get(), isProgressive || sdimage_request_is_progressive(request.get()));
        sdimage_target_options_set_cached_placeholder(options.get(), SDIMAGE_CACHED_PLACEHOLDER_MEMORY);
        if (!blurHash.isEmpty())
            sdimage_target_options_set_blurhash(options.get(), blurHash.constData(), size_t(blurHash.size()), hashSide,
                                                hashSide);
        else
            sdimage_target_options_set_placeholder(options.get(), placeholder.get());
        source = {};
        progress = 0;
    }
    loaded = wanted;
    loadedMode = mode;
    state = Loading;
    uint64_t mine = ++latestLoad;
    sdimage_load_handler handler = {sizeof handler, finish, nullptr};
    sdimage_error *refusal = nullptr;
    sdimage_status status = sdimage_target_load(
        target.get(), request.get(), options.get(), &handler, new LoadLink{link, mine, again},
        [](void *load) { delete static_cast<LoadLink *>(load); }, nullptr, &refusal);
    Failure why(refusal);
    if (!guard || latestLoad != mine)
        return;
    if (status < 0) {
        progress = before; /* clear reports its end */
        if (!clear())
            return;
        error = lineOf(status, why.get());
        setState(Error);
    } else if (state == Loading) {
        Q_EMIT q->stateChanged();
        if (guard && !again)
            Q_EMIT q->progressChanged();
    }
}

/* Cancels, and shows nothing. False if a slot has deleted the object meanwhile, or started another load. */
bool ImageTarget::Private::clear() {
    QPointer<ImageTarget> guard(q);
    uint64_t mine = ++latestLoad;
    settle.stop();
    shown.reset();
    below = {};
    source = {};
    isAgain = isPlaceholder = false;
    sdimage_target_cancel(target.get(), nullptr);
    if (guard && latestLoad == mine)
        sdimage_animated_view_set_image(view.get(), nullptr, nullptr);
    if (guard && latestLoad == mine)
        setProgress(0);
    return guard && latestLoad == mine;
}

/* True if an image of more pixels can be decoded than for the earlier, smaller size: docs/decisions.md, "A widget that
 * grows loads again without cancelling". */
bool ImageTarget::Private::wantsMore() const {
    bool hasToCover = mode != Qt::KeepAspectRatio && loadedMode == Qt::KeepAspectRatio;
    if (loaded.isEmpty() || wanted.isEmpty() || !(isLarger(wanted, loaded) || hasToCover))
        return false;
    return source.isEmpty() || isLarger(source, image.size()) || sdimage_image_is_vector(shown.get()) ||
           sdimage_image_is_transformed(shown.get());
}

sdimage_priority ImageTarget::Private::currentPriority() const {
    if (priority)
        return sdimage_priority(*priority);
    if (!isVisible)
        return SDIMAGE_PRIORITY_LOW;
    return base ? sdimage_request_priority(base.get()) : SDIMAGE_PRIORITY_NORMAL;
}

void ImageTarget::Private::setImage(void *data, const char *, sdimage_image *image, sdimage_result *result) {
    ImageTarget *target = linkOf(data)->target;
    if (!target)
        return;
    Private &d = *target->d;
    /* The image of a smaller size stays after a failure. */
    if (d.isAgain && !result)
        return;
    d.isPlaceholder = image && !result;
    if (d.isPlaceholder)
        d.below = toQImage(image);
    else if (!sdimage_image_is_incremental(image))
        d.below = {};
    d.shown.reset(image ? sdimage_image_ref(image) : nullptr);
    sdimage_size size = result ? sdimage_image_source_size(image) : sdimage_size{};
    if (result)
        d.source = QSize(int(size.width), int(size.height));
    sdimage_animated_view_set_image(d.view.get(), image, nullptr);
}

void ImageTarget::Private::setProgress(void *data, const char *, double fraction) {
    ImageTarget *target = linkOf(data)->target;
    if (target && !target->d->isAgain)
        target->d->setProgress(fraction);
}

void ImageTarget::Private::show(void *data, sdimage_animated_view *, const sdimage_image *image) {
    ImageTarget *target = linkOf(data)->target;
    if (!target)
        return;
    Private &d = *target->d;
    d.image = toQImage(image);
    if (!d.below.isNull() && sdimage_image_is_incremental(image) && d.image.hasAlphaChannel())
        d.image = above(d.image, d.below);
    Q_EMIT target->imageChanged();
}

void ImageTarget::Private::finish(void *data, sdimage_task *, sdimage_result *result) {
    const auto *load = static_cast<LoadLink *>(data);
    QPointer<ImageTarget> target = load->link->target;
    /* CANCELLED of a load that another one has replaced. */
    if (!target || sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL || load->number != target->d->latestLoad)
        return;
    Private &d = *target->d;
    bool isReady = sdimage_result_image(result) || load->isAgain;
    if (!isReady)
        d.error = lineOf(SDIMAGE_STATUS_NOT_FOUND, sdimage_result_error(result)); /* without an error: in no cache */
    else if (d.wantsMore())
        d.settle.start();
    d.state = isReady ? Ready : Error;
    Q_EMIT target->stateChanged();
    if (target && isReady && load->number == d.latestLoad)
        d.setProgress(1);
}

ImageTarget::ImageTarget(QObject *parent, Loader *loader)
    : QObject(parent), d(std::make_unique<Private>(this, loader)) {
    connect(&d->settle, &QTimer::timeout, this, [this] {
        if (d->state == Ready && d->wantsMore())
            d->start(true);
    });
}

ImageTarget::~ImageTarget() = default;

void ImageTarget::load(const QUrl &url, const QSize &pixels) {
    if (url == d->url && !d->isSuspended && (d->state == Loading || d->state == Ready))
        return setSize(pixels);
    d->url = url;
    d->wanted = pixels;
    d->isSuspended = false;
    if (!url.isEmpty())
        return d->start(false);
    if (d->clear())
        d->setState(Null);
}

void ImageTarget::setSize(const QSize &pixels) {
    d->wanted = pixels;
    if (d->state == Ready && d->wantsMore())
        d->settle.start();
}

void ImageTarget::suspend() {
    d->isSuspended = true;
    if (d->clear())
        d->setState(Null);
}

void ImageTarget::resume() {
    if (d->isSuspended)
        load(d->url, d->wanted);
}

void ImageTarget::setPlaceholder(const QImage &image) {
    d->placeholder.reset(fromQImage(image));
}

void ImageTarget::setBlurHash(const QString &text) {
    d->blurHash = text.toUtf8();
}

void ImageTarget::setFillMode(Qt::AspectRatioMode mode) {
    d->mode = mode;
    if (d->state == Ready && d->wantsMore())
        d->settle.start();
}

void ImageTarget::setProgressive(bool progressive) {
    d->isProgressive = progressive;
}

void ImageTarget::setRequest(const sdimage_request *request) {
    d->base.reset(request ? sdimage_request_copy(request) : nullptr);
}

void ImageTarget::setPriority(int priority) {
    if (d->priority == priority)
        return;
    d->priority = priority;
    sdimage_target_set_priority(d->target.get(), nullptr, d->currentPriority());
}

void ImageTarget::setPlaying(bool playing) {
    d->isPlaying = playing;
    sdimage_animated_view_set_autoplay(d->view.get(), playing);
    if (playing)
        sdimage_animated_view_start(d->view.get());
    else
        sdimage_animated_view_stop(d->view.get());
}

bool ImageTarget::isPlaying() const {
    return d->isPlaying;
}

void ImageTarget::setVisible(bool visible) {
    if (d->isVisible == visible)
        return;
    d->isVisible = visible;
    sdimage_target_set_priority(d->target.get(), nullptr, d->currentPriority());
    sdimage_animated_view_set_visible(d->view.get(), visible);
}

QUrl ImageTarget::url() const {
    return d->url;
}

ImageTarget::State ImageTarget::state() const {
    return d->state;
}

double ImageTarget::progress() const {
    return d->progress;
}

QString ImageTarget::errorString() const {
    return d->state == Error ? d->error : QString();
}

QImage ImageTarget::image() const {
    return d->image;
}

bool ImageTarget::isPlaceholder() const {
    return d->isPlaceholder;
}

bool ImageTarget::isAnimated() const {
    return d->shown && sdimage_image_is_animated(d->shown.get());
}

QSize ImageTarget::sourceSize() const {
    return d->source;
}

} // namespace sdimage::qt

#include <sdimage/qt/moc_target.cpp>
