/* dispatcher.cpp: each call is a queued invocation of an object that lives on the thread. */
#include "dispatcher.h"

#include <QCoreApplication>
#include <QObject>

#include <thread>

namespace sdimage::qt {

namespace {

struct Receiver : QObject {
    const std::thread::id thread = std::this_thread::get_id();
};

void post(void *receiver, void (*run)(void *), void *argument) {
    if (!QCoreApplication::instance())
        return;
    QMetaObject::invokeMethod(
        static_cast<Receiver *>(receiver), [run, argument] { run(argument); }, Qt::QueuedConnection);
}

bool isCurrent(void *receiver) {
    return static_cast<Receiver *>(receiver)->thread == std::this_thread::get_id();
}

/* On a thread of the library, after the last post. The object is deleted by its own thread, after the calls in its
 * queue; at the end of the process, when no event is delivered any more, it is left. */
void forget(void *receiver) {
    if (QCoreApplication::instance())
        static_cast<Receiver *>(receiver)->deleteLater();
}

} // namespace

sdimage_dispatcher *newDispatcher() {
    sdimage_dispatcher_vtable table = {sizeof table, post, isCurrent};
    sdimage_dispatcher *dispatcher = nullptr;
    sdimage_dispatcher_new_custom(&table, new Receiver, forget, &dispatcher, nullptr);
    return dispatcher;
}

} // namespace sdimage::qt
