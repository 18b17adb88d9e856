/* CCurl.h: libcurl for Swift: its variadic functions with one fixed type each, and its macros as constants.
 *
 * The names follow libcurl's own; every function does the same as curl_easy_setopt(3), curl_multi_setopt(3) or
 * curl_easy_getinfo(3) with an argument of that type. */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initializes libcurl for the process (curl_global_init(3)). */
CURLcode ccurl_global_init(void);

/* Set an option whose value is a number, a text, which libcurl copies, or a pointer, which it keeps. The header fields
 * of requests are kept by the caller until the handle has others. */
CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *list);

/* Sets the certificate authorities that verify servers: a PEM file. NULL: those of the system, even if this libcurl was
 * built on a system that stores them elsewhere. */
CURLcode ccurl_set_authorities(CURL *easy, const char *file);

/* Sets the method of the next request; NULL: GET. `body` is read while the request runs; NULL: none. */
CURLcode ccurl_set_method(CURL *easy, const char *method, const void *body, int64_t length);

/* Sets the callbacks for body and header lines, both with `context`. */
CURLcode ccurl_set_receivers(CURL *easy, curl_write_callback write, curl_write_callback header, void *context);
/* Sets a callback before each request, on new and on reused connections. */
CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback prerequest, void *context);
/* Sets the callback that makes each socket of a transfer. */
CURLcode ccurl_set_socket_opener(CURL *easy, curl_opensocket_callback open, void *context);
/* Sets the callback that closes each socket that this transfer opens, possibly long after the transfer. */
CURLcode ccurl_set_socket_closer(CURL *easy, curl_closesocket_callback close, void *context);

/* Version of the loaded libcurl, 0xXXYYZZ for X.Y.Z. */
unsigned ccurl_version(void);

/* Connects a handle with a share handle; NULL: with none. */
CURLcode ccurl_set_share(CURL *easy, CURLSH *share);

/* Makes a share handle for TLS sessions, and for cookies if `cookies`; for one thread. NULL if memory is exhausted. */
CURLSH *ccurl_make_share(bool cookies);

/* Removes all cookies of a handle and its share if they have more than `limit` bytes. Returns the bytes removed. */
size_t ccurl_limit_cookies(CURL *easy, size_t limit);

/* Sets a numeric option of a multi handle. */
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/* Return information about a transfer; 0 or an empty text if it is not known. Texts are borrowed from the handle. */
long ccurl_info_long(CURL *easy, CURLINFO info);
int64_t ccurl_info_offset(CURL *easy, CURLINFO info);
const char *ccurl_info_string(CURL *easy, CURLINFO info);

/* Sets the callbacks for the sockets to watch and for the timeout: curl_multi_socket_action(3). Both get `context`. */
CURLMcode ccurl_multi_set_watchers(CURLM *multi, curl_socket_callback watch, curl_multi_timer_callback timer,
                                   void *context);

/* Makes an epoll(7) descriptor, for which silent sockets cost least. It watches `wakeup` too and does not report it. -1
 * on failure. Closed with close(2), and on exec. */
int ccurl_make_poller(int wakeup);
/* Watches `socket` as libcurl requests: CURL_POLL_IN and the like; CURL_POLL_REMOVE ends it. */
void ccurl_watch(int poller, curl_socket_t socket, int what);

/* A socket that is ready. */
typedef struct ccurl_event {
    curl_socket_t socket; /* CURL_SOCKET_BAD: the wake-up */
    int events;           /* CURL_CSELECT_IN and the like */
} ccurl_event;

/* Waits until something is ready or the time has passed; returns the number of events, which may be 0. */
int ccurl_wait(int poller, ccurl_event *events, int capacity, int milliseconds);

/* Returns the finished transfer of a message of curl_multi_info_read(3), or NULL for none. */
CURL *ccurl_multi_next_finished(CURLM *multi, CURLcode *code);

/* Makes a socket for `address` that is closed on exec; CURL_SOCKET_BAD on failure. */
curl_socket_t ccurl_make_socket(const struct curl_sockaddr *address);

/* Makes a descriptor that poll(2) reports as readable after a write to it; closed on exec; -1 on failure. */
int ccurl_make_wakeup(void);

/* Requests immediate acknowledgment of incoming data (tcp(7), TCP_QUICKACK); not permanent. */
void ccurl_acknowledge_promptly(curl_socket_t socket);

/* Returns the local port of a bound or connected socket, or 0. */
uint16_t ccurl_local_port(curl_socket_t socket);

/* Reports that the socket is connected to this address, as text, and port. */
bool ccurl_is_connected_to(curl_socket_t socket, const char *address, int32_t port);

/* Reports unread input on the socket: data, its end, or an error. */
bool ccurl_has_unread_input(curl_socket_t socket);

/* --- Content codings (RFC 9110, section 8.4.1). libcurl decodes them too, but it neither distinguishes a truncated
 * body from a complete one, nor bounds the window of Zstandard or the work of several codings. */

typedef enum ccurl_coding { CCURL_GZIP, CCURL_DEFLATE, CCURL_BROTLI, CCURL_ZSTD } ccurl_coding;

typedef enum ccurl_decoding {
    CCURL_MORE,    /* the input is consumed, or the output is full */
    CCURL_ENDED,   /* the end of the content; further bytes are not part of it, or begin another frame */
    CCURL_DAMAGED, /* not in this coding */
    CCURL_NO_MEMORY
} ccurl_decoding;

typedef struct ccurl_decoder ccurl_decoder;

/* Returns bit 1 << coding for each supported coding. Must be called once, before the other functions. */
unsigned ccurl_find_decoders(void);
/* NULL if memory is exhausted, or the coding is not supported. */
ccurl_decoder *ccurl_decoder_make(ccurl_coding coding);
void ccurl_decoder_free(ccurl_decoder *decoder);
/* Decodes into `room` bytes at `out`; advances the input, and stores the number of bytes written in `made`. */
ccurl_decoding ccurl_decode(ccurl_decoder *decoder, const uint8_t **bytes, size_t *count, uint8_t *out, size_t room,
                            size_t *made);

static const curl_socket_t ccurl_socket_timeout = CURL_SOCKET_TIMEOUT;
static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;

#endif
