/* libcurl for Swift: its variadic functions with one fixed type each, and its macros as constants.
 *
 * The names keep libcurl's own; every function does what curl_easy_setopt(3), curl_multi_setopt(3) or
 * curl_easy_getinfo(3) does with an argument of that type. */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CURLcode ccurl_global_init(void);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *list);

/* The certificate authorities that servers are checked against: a PEM file; NULL: the system's, also where this libcurl
 * was built on a system that keeps them elsewhere. */
CURLcode ccurl_set_authorities(CURL *easy, const char *file);

/* What the next request does: GET for NULL. `body` is read while the request runs; NULL: none. */
CURLcode ccurl_set_method(CURL *easy, const char *method, const void *body, int64_t length);

/* Body and header lines go to `write` and `header`, both with `context`. */
CURLcode ccurl_set_receivers(CURL *easy, curl_write_callback write, curl_write_callback header, void *context);
/* Called before each request, on new and on kept connections. */
CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback prerequest, void *context);
/* Called to make each socket of a transfer. */
CURLcode ccurl_set_socket_opener(CURL *easy, curl_opensocket_callback open, void *context);
/* Called to close each socket that this transfer opens, which may be long after it ended. */
CURLcode ccurl_set_socket_closer(CURL *easy, curl_closesocket_callback close, void *context);

/* Of the libcurl that is loaded, 0xXXYYZZ for X.Y.Z. */
unsigned ccurl_version(void);

CURLcode ccurl_set_share(CURL *easy, CURLSH *share);

/* What handles share that have TLS sessions in common, and cookies if `cookies`; for one thread. NULL when memory is
   refused. */
CURLSH *ccurl_make_share(bool cookies);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

long ccurl_info_long(CURL *easy, CURLINFO info);
int64_t ccurl_info_offset(CURL *easy, CURLINFO info);
const char *ccurl_info_string(CURL *easy, CURLINFO info);

/* Which sockets to watch, and when to call without one: curl_multi_socket_action(3). Both get `context`. */
CURLMcode ccurl_multi_set_watchers(CURLM *multi, curl_socket_callback watch, curl_multi_timer_callback timer,
                                   void *context);

/* Watches sockets for the least cost of those that are silent: epoll(7). `wakeup` is watched too, and never told. -1 on
 * failure; closed with close(2), and on exec. */
int ccurl_make_poller(int wakeup);
/* Watches `socket` as libcurl wishes: CURL_POLL_IN and the like; CURL_POLL_REMOVE ends it. */
void ccurl_watch(int poller, curl_socket_t socket, int what);

typedef struct ccurl_event {
    curl_socket_t socket;
    int events; /* CURL_CSELECT_IN and the like */
} ccurl_event;

/* Waits until something is ready or the time is over; the number of events, which may be 0. */
int ccurl_wait(int poller, ccurl_event *events, int capacity, int milliseconds);

/* The finished transfer of a message of curl_multi_info_read(3), or NULL when there is none. */
CURL *ccurl_multi_next_finished(CURLM *multi, CURLcode *code);

/* Makes a socket for `address` that is closed on exec; CURL_SOCKET_BAD on failure. */
curl_socket_t ccurl_make_socket(const struct curl_sockaddr *address);

/* A descriptor that poll(2) finds readable once something was written to it; closed on exec; -1 on failure. */
int ccurl_make_wakeup(void);

/* Has the kernel acknowledge what arrives next without delay (tcp(7), TCP_QUICKACK); not lasting. */
void ccurl_acknowledge_promptly(curl_socket_t socket);

/* The local port of a bound or connected socket, or 0. */
uint16_t ccurl_local_port(curl_socket_t socket);

/* Whether the socket is connected to this address, in text, and port. */
bool ccurl_is_connected_to(curl_socket_t socket, const char *address, int32_t port);

/* True when something waits to be read on the socket, be it data, its end, or an error. */
bool ccurl_has_unread_input(curl_socket_t socket);

/* --- Content codings (RFC 9110, section 8.4.1). libcurl undoes them too, but neither tells a body that ends too early
 * from a complete one, nor bounds the window of Zstandard or the work of several codings. */

typedef enum ccurl_coding { CCURL_GZIP, CCURL_DEFLATE, CCURL_BROTLI, CCURL_ZSTD } ccurl_coding;

typedef enum ccurl_decoding {
    CCURL_MORE,    /* all input was taken, or the room is full */
    CCURL_ENDED,   /* the end of the content; what follows is not part of it, or begins another frame */
    CCURL_DAMAGED, /* not of this coding */
    CCURL_NO_MEMORY
} ccurl_decoding;

typedef struct ccurl_decoder ccurl_decoder;

/* Bit 1 << coding for each that can be undone. Called once, before the others. */
unsigned ccurl_find_decoders(void);
/* NULL when memory is refused, or the coding cannot be undone. */
ccurl_decoder *ccurl_decoder_make(ccurl_coding coding);
void ccurl_decoder_free(ccurl_decoder *decoder);
/* Decodes into `room` bytes at `out`; advances the input, and stores how many bytes were made. */
ccurl_decoding ccurl_decode(ccurl_decoder *decoder, const uint8_t **bytes, size_t *count, uint8_t *out, size_t room,
                            size_t *made);

static const curl_socket_t ccurl_socket_timeout = CURL_SOCKET_TIMEOUT;
static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;

#endif
