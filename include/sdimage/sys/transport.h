/* sys/transport.h: custom transports, which send HTTP requests for the downloader in place of libcurl.
 *
 * A transport performs one exchange: it sends one request and passes on one response. The downloader does everything
 * else: the queue with its limits and priorities, coalescing, time-outs, retries, redirects and their rules,
 * resumption, checks of status, type and size, hooks, freshness, partial images, progress, transactions.
 *
 *   static sdimage_status start(void *user_data, sdimage_request *request, sdimage_exchange *exchange) {
 *       return my_client_send(user_data, sdimage_request_url(request, NULL), sdimage_exchange_ref(exchange));
 *   }
 *   sdimage_transport_vtable table = {.size = sizeof table, .start = start};
 *
 * and, when the client has a response:
 *
 *   sdimage_exchange_respond(exchange, response, NULL);
 *   sdimage_exchange_write(exchange, bytes, length, NULL);
 *   sdimage_exchange_finish(exchange, NULL);
 *   sdimage_exchange_unref(exchange);
 *
 * examples/c/replay.c responds from recorded files. A custom loader (sys/loader.h) is for sources that do not use HTTP.
 * Classes: sdimage_transport and sdimage_exchange synchronized; an exchange is written by one thread at a time. */
#ifndef SDIMAGE_SYS_TRANSPORT_H
#define SDIMAGE_SYS_TRANSPORT_H

#include "../base.h"
#include "../downloader.h"
#include "../error.h"
#include "../request.h"
#include "../task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a transport; `start` is required. */
typedef struct sdimage_transport_vtable {
    size_t size;

    /* Starts an exchange and returns. Called on a thread of the library that may block for a while. `request` has the
     * URL, method, header fields (sdimage_request_header_at; including those of the downloader, and credentials) and
     * body to send, and is borrowed. Redirects are not followed; they are the response. The exchange is borrowed, too:
     * sdimage_exchange_ref keeps it when the work continues elsewhere. Exactly one sdimage_exchange_finish ends it.
     * Releasing the last reference without it is CONNECTION_LOST; a negative status ends the exchange with that
     * status. */
    sdimage_status (*start)(void *user_data, sdimage_request *request, sdimage_exchange *exchange);

    /* Reports that no load waits any more: stop soon, then finish. May be NULL. Called on any thread, also while
     * `start` runs, and before its first statement (sdimage_exchange_is_cancelled); never for an exchange that `start`
     * does not receive. Must not block. */
    void (*cancel)(void *user_data, sdimage_exchange *exchange);
} sdimage_transport_vtable;

/* Makes a transport of functions of the host. `destroy(user_data)` is called once, also when this call fails,
 * and after the release of the last exchange: it cannot release them. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_transport_new_custom(const sdimage_transport_vtable *vtable, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_transport **transport,
                                                        sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_transport *sdimage_transport_ref(const sdimage_transport *transport);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_transport_unref(sdimage_transport *transport);

/* Sets the transport of a downloader; NULL, the default: libcurl. A transport manages its own connections. With it,
 * sdimage_downloader_new returns UNSUPPORTED for an address policy, a proxy, a Unix socket, a client certificate or a
 * file of root certificates. A load that enables cookies or accepts invalid certificates ends with UNSUPPORTED. User
 * and password are sent as Basic. */
SDIMAGE_API void sdimage_downloader_config_set_transport(sdimage_downloader_config *config,
                                                         sdimage_transport *transport);
/* Returns the transport; the caller owns *transport. NULL for libcurl. */
SDIMAGE_API void sdimage_downloader_config_get_transport(const sdimage_downloader_config *config,
                                                         sdimage_transport **transport);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_exchange *sdimage_exchange_ref(const sdimage_exchange *exchange);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_exchange_unref(sdimage_exchange *exchange);

/* Sets status and header fields of the response, copied; once, before the first byte. The transport decodes the content
 * coding: it writes plain content, and omits Content-Encoding and a Content-Length of the coded content. Errors:
 * INVALID_ARGUMENT (a status outside 200 to 599, a second response), CANCELLED (stop and finish). */
SDIMAGE_API sdimage_status sdimage_exchange_respond(sdimage_exchange *exchange, const sdimage_response *response,
                                                    sdimage_error **error);

/* Appends a copy of the next bytes of the content. Errors: INVALID_ARGUMENT before the response or after finish,
 * CANCELLED and TOO_LARGE (stop and finish), NO_MEMORY. After TOO_LARGE and NO_MEMORY the response is not complete, and
 * the exchange ends with that error. */
SDIMAGE_API sdimage_status sdimage_exchange_write(sdimage_exchange *exchange, const void *bytes, size_t length,
                                                  sdimage_error **error);

/* Ends the exchange: with a complete response if `error` is NULL, otherwise with the error, which is referenced.
 * CONNECT_FAILED and CONNECTION_LOST are retried, as is TIMEOUT before the response. Later calls have no effect. */
SDIMAGE_API void sdimage_exchange_finish(sdimage_exchange *exchange, sdimage_error *error);

/* True if no load waits any more: stop, then finish. */
SDIMAGE_API bool sdimage_exchange_is_cancelled(const sdimage_exchange *exchange);

#ifdef __cplusplus
}
#endif

#endif
