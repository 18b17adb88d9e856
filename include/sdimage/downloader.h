/* downloader.h: the built-in loader for http and https.
 *
 * One thread of the library moves all transfers. Every hop of a redirect is checked like the first URL. Certificates
 * are verified. Classes: sdimage_downloader_config single-owner; the loader synchronised.
 *
 * A transfer that breaks off in its body goes on from there (RFC 9110, section 14), where the server offers parts and a
 * strong entity tag, or a date that is as good, proves that they belong together; else it begins anew. What is
 * delivered is the whole content, byte for byte, or an error. */
#ifndef SDIMAGE_DOWNLOADER_H
#define SDIMAGE_DOWNLOADER_H

#include "base.h"
#include "error.h"
#include "loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which addresses may be connected to. Decided on the resolved address of every hop. */
typedef enum SDIMAGE_ENUM sdimage_address_policy {
    SDIMAGE_ADDRESS_POLICY_ANY = 0, /* every address, those of the own network too */
    /* Neither loopback, private, link-local, shared, multicast nor unspecified addresses, in whatever spelling, and no
     * proxy. For services that load URLs of strangers. */
    SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY = 1
} sdimage_address_policy;

/* Order among waiting transfers of equal priority. */
typedef enum SDIMAGE_ENUM sdimage_execution_order {
    SDIMAGE_EXECUTION_ORDER_FIFO = 0, /* who waits longest goes first */
    SDIMAGE_EXECUTION_ORDER_LIFO = 1  /* who came last goes first */
} sdimage_execution_order;

/* Which HTTP is spoken. */
typedef enum SDIMAGE_ENUM sdimage_http_version {
    /* HTTP/2 where TLS negotiates it, many transfers on one connection; else HTTP/1.1 */
    SDIMAGE_HTTP_VERSION_AUTOMATIC = 0,
    SDIMAGE_HTTP_VERSION_1_1 = 1 /* HTTP/1.1 only: one transfer at a time on a connection */
} sdimage_http_version;

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_new(void);
SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_ref(sdimage_downloader_config *config);
SDIMAGE_API void sdimage_downloader_config_unref(sdimage_downloader_config *config);

/* Transfers at once: to one host (default 6), and in all (default 32). 0 restores the default. */
SDIMAGE_API void sdimage_downloader_config_set_max_per_host(sdimage_downloader_config *config, uint32_t count);
SDIMAGE_API void sdimage_downloader_config_set_max_total(sdimage_downloader_config *config, uint32_t count);

/* Further tries after a transient failure: nobody answers there, a lost connection, silence before the first byte, or
 * one of the statuses 408, 425, 429, 500, 502, 503 and 504. Everything else is told at once. Default 2: that outlasts a
 * packet lost or a server that restarts; more would hold back an error that somebody waits to see. No try begins after
 * the total time-out, and one that waits for its moment holds no place among the transfers at once. */
SDIMAGE_API void sdimage_downloader_config_set_max_retries(sdimage_downloader_config *config, uint32_t count);

/* Milliseconds before a retry: a random moment below `first_ms` (default 500), which doubles with each try up to
 * `longest_ms` (8,000). 0 restores the default. Where the server asks for a wait itself (Retry-After, in seconds or as
 * a date), that is kept, up to `retry_after_ms` (30,000): whoever asks for more is not asked again. */
SDIMAGE_API void sdimage_downloader_config_set_retry_delay_ms(sdimage_downloader_config *config, uint32_t first_ms,
                                                              uint32_t longest_ms);
SDIMAGE_API void sdimage_downloader_config_set_max_retry_after_ms(sdimage_downloader_config *config,
                                                                  uint32_t retry_after_ms);

/* Who of those that wait goes first. Default FIFO. */
SDIMAGE_API void sdimage_downloader_config_set_execution_order(sdimage_downloader_config *config,
                                                               sdimage_execution_order order);

/* Milliseconds: to connect (default 10,000), without a byte (15,000), for a whole transfer (60,000). 0 restores the
 * default. */
SDIMAGE_API void sdimage_downloader_config_set_connect_timeout_ms(sdimage_downloader_config *config,
                                                                  uint32_t timeout_ms);
SDIMAGE_API void sdimage_downloader_config_set_inactivity_timeout_ms(sdimage_downloader_config *config,
                                                                     uint32_t timeout_ms);
SDIMAGE_API void sdimage_downloader_config_set_total_timeout_ms(sdimage_downloader_config *config, uint32_t timeout_ms);

/* Largest body in bytes, counted after content decoding. Default 64 MiB; 0 restores it. Memory grows with the body, and
 * by what the decoder holds: at most 8 MiB, with Brotli's largest window 16 MiB, which leaves 15/16 of the limit to the
 * body. */
SDIMAGE_API void sdimage_downloader_config_set_max_body_bytes(sdimage_downloader_config *config, size_t bytes);

/* Redirects that are followed, one after the other; more are TOO_MANY_REDIRECTS. Default 10. */
SDIMAGE_API void sdimage_downloader_config_set_max_redirects(sdimage_downloader_config *config, uint32_t count);

/* Which addresses may be connected to; others are ADDRESS_FORBIDDEN. Default ANY. */
SDIMAGE_API void sdimage_downloader_config_set_address_policy(sdimage_downloader_config *config,
                                                              sdimage_address_policy policy);

/* Permits addresses that PUBLIC_ONLY refuses: a network in CIDR notation, and optionally one port. An address alone is
 * that one address, a range without a port every port.
 *
 *     "10.0.0.0/8"   "10.1.2.3"   "10.1.2.3:9000"   "10.0.0.0/8:9000"
 *     "fd00::/8"     "::1"        "[::1]:9000"      "[fd00::]/8:9000"
 *
 * Decided on the address and port of every connection, new or reused, of every hop: neither a name that changes its
 * address nor a redirect leads elsewhere. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the IPv4
 * address. Proxies stay off. Without effect on ANY. INVALID_ARGUMENT for other text, host names and bits behind the
 * prefix included. */
SDIMAGE_API sdimage_status sdimage_downloader_config_add_allowed_address(sdimage_downloader_config *config,
                                                                         const char *range, sdimage_error **error);
/* Removes all of them, the default. */
SDIMAGE_API void sdimage_downloader_config_clear_allowed_addresses(sdimage_downloader_config *config);
/* Range number `index`, as it was added; valid until the ranges change. NULL where there are not that many. */
SDIMAGE_API const char *sdimage_downloader_config_allowed_address(const sdimage_downloader_config *config,
                                                                  size_t index);

/* Statuses that are taken for an answer, both ends included; others are HTTP_STATUS. Default 200 to 299. With none
 * left, every status is taken. */
SDIMAGE_API void sdimage_downloader_config_clear_acceptable_statuses(sdimage_downloader_config *config);
SDIMAGE_API void sdimage_downloader_config_add_acceptable_statuses(sdimage_downloader_config *config, int32_t first,
                                                                   int32_t last);

/* Media types that are taken, "image/png", without parameters; others are CONTENT_TYPE. Answers without a type are
 * taken. NULL takes all types again, the default. */
SDIMAGE_API void sdimage_downloader_config_add_acceptable_type(sdimage_downloader_config *config,
                                                               const char *media_type);

/* By how much of the whole, 0 to 1, progress must advance between two reports; the last one always comes. Default 0:
 * whenever something came, at most twenty times a second. */
SDIMAGE_API void sdimage_downloader_config_set_min_progress_interval(sdimage_downloader_config *config,
                                                                     double fraction);

/* Who asks. Default "<program>/1.0 (Linux <release>; Scale/1.00)", which NULL restores; "" sends none. */
SDIMAGE_API void sdimage_downloader_config_set_user_agent(sdimage_downloader_config *config, const char *text);

/* User and password for servers that ask for them (Basic, Digest). Sent to whatever host a load names, so that a
 * downloader for one service should have them and no other; never to another origin after a redirect. A user in the URL
 * comes first. NULL for the user: none, the default. Refused ones are AUTHENTICATION_FAILED. */
SDIMAGE_API void sdimage_downloader_config_set_credential(sdimage_downloader_config *config, const char *user,
                                                          const char *password);
/* Sent as "Authorization: Bearer <token>" under the same conditions, unless the request has that field. NULL: none. */
SDIMAGE_API void sdimage_downloader_config_set_bearer_token(sdimage_downloader_config *config, const char *token);
/* PEM files that tell servers who the client is, under the same conditions; `key_file` NULL: in the same file;
 * `key_password` may be NULL. A `certificate_file` of NULL: none, the default. Files that cannot be used are
 * TLS_FAILED. */
SDIMAGE_API void sdimage_downloader_config_set_client_certificate(sdimage_downloader_config *config,
                                                                  const char *certificate_file, const char *key_file,
                                                                  const char *key_password);

/* The URL of a proxy, "http://user:password@host:3128", "socks5h://host"; NULL: none, the default. The environment is
 * never asked. `except`: hosts and domains that are connected to directly, separated by commas; may be NULL. */
SDIMAGE_API void sdimage_downloader_config_set_proxy(sdimage_downloader_config *config, const char *url,
                                                     const char *except);

/* Connects to this socket of the file system whatever host a URL names; NULL: none, the default. */
SDIMAGE_API void sdimage_downloader_config_set_unix_socket(sdimage_downloader_config *config, const char *path);

/* Which HTTP is spoken. Default AUTOMATIC. */
SDIMAGE_API void sdimage_downloader_config_set_http_version(sdimage_downloader_config *config,
                                                            sdimage_http_version version);

/* A header field of every request; a NULL value removes it. Defaults: an Accept that prefers pictures, and a User-Agent
 * that names the program. */
SDIMAGE_API void sdimage_downloader_config_set_header(sdimage_downloader_config *config, const char *name,
                                                      const char *value);

/* A PEM file of certificate authorities in place of the system's; copied. NULL restores the system's. */
SDIMAGE_API void sdimage_downloader_config_set_ca_file(sdimage_downloader_config *config, const char *path);

/* A downloader. `config` is copied; NULL for the defaults. Errors: FORKED, NO_MEMORY, UNSUPPORTED (the transfer library
 * lacks TLS or asynchronous name resolution), INVALID_REQUEST (header fields that cannot be sent). */
SDIMAGE_API sdimage_status sdimage_downloader_new(const sdimage_downloader_config *config, sdimage_loader **loader,
                                                  sdimage_error **error);

/* --- A downloader that runs. On any other loader these do nothing, or answer 0. */

/* What the config set, changed for what waits and for what comes; what runs goes on. 0 restores the default. */
SDIMAGE_API void sdimage_downloader_set_max_per_host(sdimage_loader *downloader, uint32_t count);
SDIMAGE_API void sdimage_downloader_set_max_total(sdimage_loader *downloader, uint32_t count);
SDIMAGE_API void sdimage_downloader_set_execution_order(sdimage_loader *downloader, sdimage_execution_order order);

/* While suspended, what runs goes on and what waits does not begin. Default false. */
SDIMAGE_API void sdimage_downloader_set_suspended(sdimage_loader *downloader, bool suspended);
SDIMAGE_API bool sdimage_downloader_is_suspended(const sdimage_loader *downloader);

/* Transfers that run or wait. */
SDIMAGE_API size_t sdimage_downloader_transfer_count(const sdimage_loader *downloader);

/* Ends all its transfers with CANCELLED. */
SDIMAGE_API void sdimage_downloader_cancel_all(sdimage_loader *downloader);

/* Takes no more loads: they end with INVALID_REQUEST. What is under way is cancelled, or ends by itself. For good. */
SDIMAGE_API void sdimage_downloader_invalidate(sdimage_loader *downloader, bool cancel);

#ifdef __cplusplus
}
#endif

#endif
