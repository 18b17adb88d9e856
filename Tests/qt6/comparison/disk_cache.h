#include <QNetworkAccessManager>
#include <QNetworkDiskCache>
#include <QQmlNetworkAccessManagerFactory>

/* Gives the network managers of an engine a disk cache. */
class CacheFactory : public QQmlNetworkAccessManagerFactory {
  public:
    explicit CacheFactory(const QString &folder) : folder(folder) {}
    QNetworkAccessManager *create(QObject *parent) override {
        auto *manager = new QNetworkAccessManager(parent);
        auto *cache = new QNetworkDiskCache(manager);
        cache->setCacheDirectory(folder);
        cache->setMaximumCacheSize(512 << 20);
        manager->setCache(cache);
        return manager;
    }

  private:
    QString folder;
};
