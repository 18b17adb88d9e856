/* resource_loader.cpp: reads resources on the thread of the library that loaders may block. */
#include "resource_loader.h"

#include <QFile>
#include <QUrl>

#include <cstring>

#include <sdimage/sys.h>

namespace sdimage::qt {

namespace {

bool canLoad(void *, const sdimage_request *request) {
    const char *url = sdimage_request_url(request, nullptr);
    return url && std::strncmp(url, "qrc:", 4) == 0;
}

sdimage_status load(void *, const sdimage_request *request, sdimage_load_sink *sink) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    QFile file(u':' + QUrl::fromEncoded(QByteArray(url, qsizetype(length))).path());
    if (!file.open(QIODevice::ReadOnly))
        return SDIMAGE_STATUS_NOT_FOUND;
    QByteArray bytes = file.readAll();
    /* The disk cache is shared by programs, whose resources differ under equal URLs. */
    sdimage_load_sink_set_storable(sink, false);
    sdimage_status status = sdimage_load_sink_write(sink, bytes.constData(), size_t(bytes.size()), nullptr);
    if (status >= 0)
        sdimage_load_sink_finish(sink, nullptr);
    return status;
}

} // namespace

sdimage_loader *newResourceLoader() {
    sdimage_loader_vtable table = {};
    table.size = sizeof table;
    table.can_load = canLoad;
    table.load = load;
    sdimage_loader *loader = nullptr;
    sdimage_loader_new_custom("qrc", &table, nullptr, nullptr, &loader, nullptr);
    return loader;
}

} // namespace sdimage::qt
