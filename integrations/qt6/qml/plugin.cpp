/* plugin.cpp: the QML module for `import Sdimage`. */
#include <QQmlEngine>
#include <QQmlExtensionPlugin>

#include <sdimage/qt/quick.h>

class SdimagePlugin : public QQmlExtensionPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QQmlExtensionInterface_iid)

  public:
    void registerTypes(const char *uri) override {
        qmlRegisterType<sdimage::qt::RemoteImage>(uri, 1, 0, "RemoteImage");
    }
    void initializeEngine(QQmlEngine *engine, const char *) override {
        if (!engine->imageProvider(QStringLiteral("sd")))
            engine->addImageProvider(QStringLiteral("sd"), new sdimage::qt::ImageProvider);
    }
};

#include "plugin.moc"
