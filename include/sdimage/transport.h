/* transport.h: another way to speak HTTP, in place of libcurl: the host's own client under the roof of the downloader.
 *
 * A transport does one exchange: it sends one request and passes on one answer. Everything else stays with the
 * downloader: the queue with its limits and priorities, sharing, time-outs, retries, redirects and their rules,
 * resumption, what is accepted of status, type and size, hooks, freshness, pictures of parts, progress, transactions.
 *
 *   static sdimage_status start(void *user_data, sdimage_request *request, sdimage_exchange *exchange) {
 *       return my_client_send(user_data, sdimage_request_url(request, NULL), sdimage_exchange_ref(exchange));
 *   }
 *   sdimage_transport_vtable table = {.size = sizeof table, .start = start};
 *
 * and, when the client has an answer:
 *
 *   sdimage_exchange_respond(exchange, response, NULL);
 *   sdimage_exchange_write(exchange, bytes, length, NULL);
 *   sdimage_exchange_finish(exchange, NULL);
 *   sdimage_exchange_unref(exchange);
 *
 * examples/c/replay.c answers from recorded files. A loader of one's own (loader.h) is for sources that do not speak
 * HTTP. Classes: sdimage_transport and sdimage_exchange synchronised; an exchange is written by one thread at a
 * time. */
#ifndef SDIMAGE_TRANSPORT_H
#define SDIMAGE_TRANSPORT_H

#include "base.h"
#include "downloader.h"
#include "error.h"
#include "hooks.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a transport; `start` is required. */
typedef struct sdimage_transport_vtable {
    size_t size;

    /* Starts an exchange and returns; on a thread of the library that may block for a while. `request` has URL, method,
     * header fields (sdimage_request_header_at: those of the downloader included, and proof of who asks) and body as
     * they are to be sent, and is lent. Redirects are not followed, they are the answer. The exchange is lent too:
     * sdimage_exchange_ref keeps it when the work goes on elsewhere. Exactly one sdimage_exchange_finish ends it;
     * releasing the last reference without it is CONNECTION_LOST, and returning a negative status ends it with that. */
    sdimage_status (*start)(void *user_data, sdimage_request *request, sdimage_exchange *exchange);

    /* Nobody waits any more: stop soon, and finish. May be NULL. Any thread; must not block. */
    void (*cancel)(void *user_data, sdimage_exchange *exchange);
} sdimage_transport_vtable;

/* `destroy(user_data)` is called once, also when this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_transport_new_custom(const sdimage_transport_vtable *vtable, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_transport **transport,
                                                        sdimage_error **error);
SDIMAGE_API sdimage_transport *sdimage_transport_ref(sdimage_transport *transport);
SDIMAGE_API void sdimage_transport_unref(sdimage_transport *transport);

/* Who does the exchanges of a downloader; NULL, the default: libcurl. Connections are the transport's own matter: with
 * it, sdimage_downloader_new answers UNSUPPORTED to an address policy, a proxy, a Unix socket, a client certificate or
 * a file of roots, and a load that wants cookies or takes invalid certificates ends with UNSUPPORTED. User and password
 * are sent as Basic. */
SDIMAGE_API void sdimage_downloader_config_set_transport(sdimage_downloader_config *config,
                                                         sdimage_transport *transport);

SDIMAGE_API sdimage_exchange *sdimage_exchange_ref(sdimage_exchange *exchange);
SDIMAGE_API void sdimage_exchange_unref(sdimage_exchange *exchange);

/* Status and header fields of the answer, copied; once, before the first byte. Codings of the content are the
 * transport's matter: what it writes is plain, and it leaves Content-Encoding and a Content-Length of the coded content
 * out. Errors: INVALID_ARGUMENT (a status outside 200 to 599, a second answer), CANCELLED (stop and finish). */
SDIMAGE_API sdimage_status sdimage_exchange_respond(sdimage_exchange *exchange, const sdimage_response *response,
                                                    sdimage_error **error);

/* The next bytes of the content, copied. Errors: INVALID_ARGUMENT before the answer or after finish, CANCELLED and
 * TOO_LARGE (stop and finish), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_exchange_write(sdimage_exchange *exchange, const void *bytes, size_t length,
                                                  sdimage_error **error);

/* Ends the exchange: the answer is whole, or `error`, which is referenced, says why not; CONNECT_FAILED and
 * CONNECTION_LOST are tried again, as is TIMEOUT before the answer. Later calls do nothing. */
SDIMAGE_API void sdimage_exchange_finish(sdimage_exchange *exchange, sdimage_error *error);

/* Whether nobody waits any more: stop, then finish. */
SDIMAGE_API bool sdimage_exchange_is_cancelled(const sdimage_exchange *exchange);

#ifdef __cplusplus
}
#endif

#endif
