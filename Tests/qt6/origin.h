/* origin.h: an HTTP origin on the loopback interface, in the event loop of the test. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QUrl>

#include <utility>

#include "probe.h"

/* Responds with Tiles::picture(N) to /tile/N, and to other targets with those of `files`. */
class Origin {
  public:
    struct File {
        QByteArray body, etag;
        QByteArray cacheControl = "max-age=3600";
    };

    QHash<QByteArray, File> files; /* by the target of the request, as it is sent */
    QList<QByteArray> targets;     /* those of all requests */
    int notModified = 0;           /* responses 304 */
    bool isHolding = false;        /* requests wait for open() */

    Origin() {
        server.listen(QHostAddress::LocalHost);
        QObject::connect(&server, &QTcpServer::newConnection, &server, [this] {
            while (QTcpSocket *socket = server.nextPendingConnection())
                QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] { read(socket); });
        });
    }

    QUrl url(const QString &target) const {
        return QUrl(QStringLiteral("http://127.0.0.1:%1%2").arg(server.serverPort()).arg(target));
    }
    QUrl tile(int number) const { return url(QStringLiteral("/tile/%1").arg(number)); }

    void open() {
        isHolding = false;
        for (auto &[socket, target] : std::exchange(held, {}))
            if (socket)
                respond(socket, target);
    }

    /* The requests that came before one of a tile in [first, end) and are for others. The first one was sent before the
     * view moved; after it follow those in view. Empty if they are in order, and all of them have come. */
    QString outOfOrder(int first, int end) const {
        QString wrong;
        int left = end - first;
        for (qsizetype index = 0; index < targets.size() && left > 0; index++) {
            int number = numberAt(index);
            bool isInView = number >= first && number < end;
            left -= isInView;
            if (!isInView && index > 0)
                wrong += QStringLiteral("%1 is request %2, ").arg(number).arg(index);
        }
        return left > 0 ? QStringLiteral("%1 are missing").arg(left) : wrong;
    }
    /* The number of the tile of a request. */
    int numberAt(qsizetype index) const { return targets[index].mid(6).toInt(); }

  private:
    QTcpServer server;
    QList<std::pair<QPointer<QTcpSocket>, QByteArray>> held;

    void read(QTcpSocket *socket) {
        while (socket->bytesAvailable() > 0) {
            QByteArray waiting = socket->peek(65536);
            qsizetype end = waiting.indexOf("\r\n\r\n");
            if (end < 0)
                return;
            QByteArray request = socket->read(end + 4);
            targets.append(request.split(' ').value(1));
            if (isHolding)
                held.append({socket, request});
            else
                respond(socket, request);
        }
    }

    void respond(QTcpSocket *socket, const QByteArray &request) {
        QByteArray target = request.split(' ').value(1);
        File file = files.value(target);
        if (target.startsWith("/tile/"))
            file.body = Tiles::encoded(target.mid(6).toInt());
        bool isFound = !file.body.isEmpty();
        bool isSame = isFound && !file.etag.isEmpty() && request.contains("\r\nIf-None-Match: " + file.etag + "\r\n");
        notModified += isSame;
        if (isSame)
            file.body.clear();
        socket->write(!isFound ? "HTTP/1.1 404 Not Found\r\n"
                      : isSame ? "HTTP/1.1 304 Not Modified\r\n"
                               : "HTTP/1.1 200 OK\r\n");
        socket->write("Cache-Control: " + file.cacheControl + "\r\n");
        if (!file.etag.isEmpty())
            socket->write("ETag: " + file.etag + "\r\n");
        if (!isSame)
            socket->write("Content-Length: " + QByteArray::number(file.body.size()) + "\r\n");
        socket->write("\r\n" + file.body);
    }
};

#endif
