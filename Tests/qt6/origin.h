/* origin.h: an HTTP origin on the loopback interface, in the event loop of the test. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QUrl>

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

  private:
    QTcpServer server;

    void read(QTcpSocket *socket) {
        while (socket->bytesAvailable() > 0) {
            QByteArray waiting = socket->peek(65536);
            qsizetype end = waiting.indexOf("\r\n\r\n");
            if (end < 0)
                return;
            respond(socket, socket->read(end + 4));
        }
    }

    void respond(QTcpSocket *socket, const QByteArray &request) {
        QByteArray target = request.split(' ').value(1);
        targets.append(target);
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
