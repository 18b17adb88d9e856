/* label.cpp: a child object of the label follows its size and visibility. */
#include <sdimage/qt/widgets.h>

#include <QEvent>
#include <QLabel>
#include <QScreen>

namespace sdimage::qt {

namespace {

/* The image of one label; deleted with it. */
class LabelImage : public QObject {
  public:
    explicit LabelImage(QLabel *label) : QObject(label), label(label) {
        label->installEventFilter(this);
        connect(&target, &ImageTarget::imageChanged, this, &LabelImage::draw);
    }

    void show(const QUrl &newUrl, const QPixmap &newPlaceholder) {
        url = newUrl;
        placeholder = newPlaceholder;
        target.setFillMode(label->hasScaledContents() ? Qt::IgnoreAspectRatio : Qt::KeepAspectRatio);
        hasStarted = hasStarted && target.url() == url && target.state() != ImageTarget::Error;
        start();
        if (!hasStarted)
            target.load({}, {});
        draw();
    }

    static LabelImage *of(const QLabel *label) {
        for (QObject *child : label->children())
            if (auto *found = dynamic_cast<LabelImage *>(child))
                return found;
        return nullptr;
    }

  protected:
    bool eventFilter(QObject *, QEvent *event) override {
        switch (event->type()) {
        case QEvent::Show:
        case QEvent::Resize: start(); break;
        case QEvent::Hide: target.setVisible(false); break;
        default: break;
        }
        return false;
    }

  private:
    /* The first layout of a label precedes its first show event. */
    bool hasSize() const { return label->isVisible() || label->testAttribute(Qt::WA_Resized); }

    QSize pixels() const {
        QSize size = label->contentsRect().size();
        if (size.isEmpty())
            size = label->screen()->size();
        return (QSizeF(size) * label->devicePixelRatioF()).toSize();
    }

    void start() {
        target.setVisible(label->isVisible());
        if (hasStarted)
            return target.setSize(pixels());
        if (!hasSize())
            return;
        hasStarted = true;
        target.load(url, pixels());
    }

    void draw() {
        if (target.image().isNull())
            return label->setPixmap(placeholder);
        QPixmap pixmap = QPixmap::fromImage(target.image(), Qt::NoFormatConversion);
        pixmap.setDevicePixelRatio(label->devicePixelRatioF());
        label->setPixmap(pixmap);
    }

    QLabel *label;
    ImageTarget target;
    QUrl url;
    QPixmap placeholder;
    bool hasStarted = false; /* the load of the URL */
};

} // namespace

void setImageUrl(QLabel *label, const QUrl &url, const QPixmap &placeholder) {
    LabelImage *image = LabelImage::of(label);
    if (!image)
        image = new LabelImage(label);
    image->show(url, placeholder);
}

} // namespace sdimage::qt
