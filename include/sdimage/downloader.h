/* downloader.h: the built-in loader for http and https.
 *
 * One thread of the library runs all transfers. Every hop of a redirect is checked like the first URL. Certificates
 * are verified. Each downloader has its own connections, resolved names, TLS sessions, cookies and limits; the
 * connections are closed with it, or after a minute without any transfer. Classes: sdimage_downloader_config
 * single-owner; the loader synchronized.
 *
 * A transfer interrupted in its body is resumed (RFC 9110, section 14) if the server supports ranges. A strong entity
 * tag, or a date that is a strong validator, must prove that the parts belong together; otherwise it is restarted.
 * The result is the complete content, byte for byte, or an error. */
#ifndef SDIMAGE_DOWNLOADER_H
#define SDIMAGE_DOWNLOADER_H

#include "base.h"
#include "error.h"
#include "loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The addresses to which connections are permitted. Checked with the resolved address of every hop. */
typedef enum SDIMAGE_ENUM sdimage_address_policy {
    SDIMAGE_ADDRESS_POLICY_ANY = 0, /* every address, including the local network */
    /* No loopback, private, link-local, shared, multicast or unspecified addresses, in any notation, and no proxy. For
     * services that load URLs from untrusted sources. */
    SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY = 1
} sdimage_address_policy;

/* Order among waiting transfers of equal priority. */
typedef enum SDIMAGE_ENUM sdimage_execution_order {
    SDIMAGE_EXECUTION_ORDER_FIFO = 0, /* the transfer that waits longest starts first, the default */
    SDIMAGE_EXECUTION_ORDER_LIFO = 1  /* the transfer added last starts first */
} sdimage_execution_order;

/* The versions of HTTP. */
typedef enum SDIMAGE_ENUM sdimage_http_version {
    /* HTTP/2 where TLS negotiates it, many transfers on one connection; else HTTP/1.1 */
    SDIMAGE_HTTP_VERSION_AUTOMATIC = 0,
    SDIMAGE_HTTP_VERSION_1_1 = 1 /* HTTP/1.1 only: one transfer at a time on a connection */
} sdimage_http_version;

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_ref(const sdimage_downloader_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_downloader_config_unref(sdimage_downloader_config *config);

/* Sets the number of concurrent transfers to one host. Default 6; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_max_per_host(sdimage_downloader_config *config, uint32_t count);
/* Returns the number of concurrent transfers to one host. */
SDIMAGE_API uint32_t sdimage_downloader_config_max_per_host(const sdimage_downloader_config *config);

/* Sets the number of concurrent transfers in total. Default 32; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_max_total(sdimage_downloader_config *config, uint32_t count);
/* Returns the number of concurrent transfers in total. */
SDIMAGE_API uint32_t sdimage_downloader_config_max_total(const sdimage_downloader_config *config);

/* Sets the number of retries after a transient failure: a server that does not respond, a lost connection, silence
 * before the first byte, or one of the statuses 408, 425, 429, 500, 502, 503 and 504. Other errors, also a missing
 * network (OFFLINE), are reported at once. Default 2: enough for a lost packet or a restarting server, without delaying
 * an error for the user. No retry begins after the total time-out. A transfer that waits for its retry does not count
 * as a concurrent transfer. */
SDIMAGE_API void sdimage_downloader_config_set_max_retries(sdimage_downloader_config *config, uint32_t count);
/* Returns the number of retries after a transient failure. */
SDIMAGE_API uint32_t sdimage_downloader_config_max_retries(const sdimage_downloader_config *config);

/* Sets the milliseconds before a retry: a random time up to `first_ms` (default 500), which doubles with each retry
 * up to `longest_ms` (8,000). 0 restores the default. */
SDIMAGE_API void sdimage_downloader_config_set_retry_delay_ms(sdimage_downloader_config *config, uint32_t first_ms,
                                                              uint32_t longest_ms);
/* Returns the milliseconds before the first retry and the longest delay, each through a pointer that may be NULL. */
SDIMAGE_API void sdimage_downloader_config_get_retry_delay_ms(const sdimage_downloader_config *config,
                                                              uint32_t *first_ms, uint32_t *longest_ms);

/* Sets the longest wait in milliseconds that a server may request (Retry-After, in seconds or as a date). Default
 * 30,000; 0 restores it. The wait is followed by a random time up to the delay of the first retry; after a request for
 * a longer wait there is no retry. */
SDIMAGE_API void sdimage_downloader_config_set_max_retry_after_ms(sdimage_downloader_config *config,
                                                                  uint32_t retry_after_ms);
/* Returns the longest wait in milliseconds that a server may request. */
SDIMAGE_API uint32_t sdimage_downloader_config_max_retry_after_ms(const sdimage_downloader_config *config);

/* Sets the order among waiting transfers of equal priority. Default FIFO. */
SDIMAGE_API void sdimage_downloader_config_set_execution_order(sdimage_downloader_config *config,
                                                               sdimage_execution_order order);
/* Returns the order among waiting transfers of equal priority. */
SDIMAGE_API sdimage_execution_order sdimage_downloader_config_execution_order(const sdimage_downloader_config *config);

/* Sets the time-out in milliseconds to connect: for name look-up, connection and TLS handshake together. Default
 * 10,000; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_connect_timeout_ms(sdimage_downloader_config *config,
                                                                  uint32_t timeout_ms);
/* Returns the time-out in milliseconds to connect. */
SDIMAGE_API uint32_t sdimage_downloader_config_connect_timeout_ms(const sdimage_downloader_config *config);

/* Sets the time-out in milliseconds without a byte. Default 15,000; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_inactivity_timeout_ms(sdimage_downloader_config *config,
                                                                     uint32_t timeout_ms);
/* Returns the time-out in milliseconds without a byte. */
SDIMAGE_API uint32_t sdimage_downloader_config_inactivity_timeout_ms(const sdimage_downloader_config *config);

/* Sets the time-out in milliseconds for a whole transfer. Default 60,000; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_total_timeout_ms(sdimage_downloader_config *config, uint32_t timeout_ms);
/* Returns the time-out in milliseconds for a whole transfer. */
SDIMAGE_API uint32_t sdimage_downloader_config_total_timeout_ms(const sdimage_downloader_config *config);

/* Sets the largest accepted body in bytes, counted after content decoding. Default 64 MiB; 0 restores it. Memory grows
 * with the body and the content decoder: at most 8 MiB for the latter, or 16 MiB with Brotli's largest window, which
 * leaves 15/16 of the limit to the body. */
SDIMAGE_API void sdimage_downloader_config_set_max_body_bytes(sdimage_downloader_config *config, size_t bytes);
/* Returns the largest accepted body in bytes. */
SDIMAGE_API size_t sdimage_downloader_config_max_body_bytes(const sdimage_downloader_config *config);

/* Sets the number of redirects that are followed in succession; more are TOO_MANY_REDIRECTS. Default 10. */
SDIMAGE_API void sdimage_downloader_config_set_max_redirects(sdimage_downloader_config *config, uint32_t count);
/* Returns the number of redirects that are followed in succession. */
SDIMAGE_API uint32_t sdimage_downloader_config_max_redirects(const sdimage_downloader_config *config);

/* Sets the addresses to which connections are permitted; others are ADDRESS_FORBIDDEN. Default ANY. */
SDIMAGE_API void sdimage_downloader_config_set_address_policy(sdimage_downloader_config *config,
                                                              sdimage_address_policy policy);
/* Returns the addresses to which connections are permitted. */
SDIMAGE_API sdimage_address_policy sdimage_downloader_config_address_policy(const sdimage_downloader_config *config);

/* Permits addresses that PUBLIC_ONLY refuses: a network in CIDR notation, and optionally one port. A single address
 * permits only that address, a range without a port every port.
 *
 *     "10.0.0.0/8"   "10.1.2.3"   "10.1.2.3:9000"   "10.0.0.0/8:9000"
 *     "fd00::/8"     "::1"        "[::1]:9000"      "[fd00::]/8:9000"
 *
 * Checked with the address and port of every connection, new or reused, of every hop: no name that changes its
 * address and no redirect leads elsewhere. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the IPv4
 * address. Proxies stay disabled. Has no effect on ANY. INVALID_ARGUMENT for other text, including host names and bits
 * beyond the prefix. */
SDIMAGE_API sdimage_status sdimage_downloader_config_add_allowed_address(sdimage_downloader_config *config,
                                                                         const char *range, sdimage_error **error);
/* Removes all permitted ranges, the default. */
SDIMAGE_API void sdimage_downloader_config_clear_allowed_addresses(sdimage_downloader_config *config);
/* Returns range number `index`, as it was added; valid until the ranges change. NULL beyond the last. */
SDIMAGE_API const char *sdimage_downloader_config_allowed_address(const sdimage_downloader_config *config,
                                                                  size_t index);

/* Removes all accepted statuses. With an empty set every status is accepted. */
SDIMAGE_API void sdimage_downloader_config_clear_acceptable_statuses(sdimage_downloader_config *config);
/* Adds accepted statuses, both ends included; others are HTTP_STATUS. Default 200 to 299. */
SDIMAGE_API void sdimage_downloader_config_add_acceptable_statuses(sdimage_downloader_config *config, int32_t first,
                                                                   int32_t last);
/* Returns true if there is a range number `index` of accepted statuses, and its ends through pointers that may be
 * NULL. False beyond the last. */
SDIMAGE_API bool sdimage_downloader_config_get_acceptable_statuses(const sdimage_downloader_config *config,
                                                                   size_t index, int32_t *first, int32_t *last);

/* Adds an accepted media type, "image/png", without parameters; others are CONTENT_TYPE. Responses without a type are
 * accepted. NULL accepts all types again, the default. */
SDIMAGE_API void sdimage_downloader_config_add_acceptable_type(sdimage_downloader_config *config,
                                                               const char *media_type);
/* Returns accepted media type number `index`, in alphabetical order; NULL beyond the last. Borrowed until the types
 * change or the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_acceptable_type(const sdimage_downloader_config *config,
                                                                  size_t index);

/* Sets the fraction of the total, 0 to 1, by which progress must advance between two reports; the last report is always
 * delivered. Default 0: whenever bytes have arrived, at most twenty times a second. */
SDIMAGE_API void sdimage_downloader_config_set_min_progress_interval(sdimage_downloader_config *config,
                                                                     double fraction);
/* Returns the fraction of the total between two reports of progress. */
SDIMAGE_API double sdimage_downloader_config_min_progress_interval(const sdimage_downloader_config *config);

/* Sets the User-Agent. Default "<program>/1.0 (Linux <release>; Scale/1.00)", which NULL restores; "" sends none. */
SDIMAGE_API void sdimage_downloader_config_set_user_agent(sdimage_downloader_config *config, const char *text);
/* Returns the User-Agent; "" for none. Borrowed until it is set again or the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_user_agent(const sdimage_downloader_config *config);

/* Sets user and password for servers that require them (Basic, Digest). They are sent to any host that a load names, so
 * a downloader with credentials should serve one service only; they are never sent to another origin after a redirect.
 * A user in the URL takes precedence. NULL for the user: none, the default. Refused credentials are
 * AUTHENTICATION_FAILED. */
SDIMAGE_API void sdimage_downloader_config_set_credential(sdimage_downloader_config *config, const char *user,
                                                          const char *password);
/* Returns true if user and password are set. */
SDIMAGE_API bool sdimage_downloader_config_has_credential(const sdimage_downloader_config *config);
/* Returns the user; NULL for none. The password cannot be read. Borrowed until it is set again or the configuration
 * is freed. */
SDIMAGE_API const char *sdimage_downloader_config_credential_user(const sdimage_downloader_config *config);
/* Sets a token, sent as "Authorization: Bearer <token>" under the same conditions, unless the request has that field.
 * NULL: none. */
SDIMAGE_API void sdimage_downloader_config_set_bearer_token(sdimage_downloader_config *config, const char *token);
/* Returns true if a token is set, which cannot be read. */
SDIMAGE_API bool sdimage_downloader_config_has_bearer_token(const sdimage_downloader_config *config);
/* Sets the PEM files of the client certificate, used under the same conditions. `key_file` NULL: the key is in the same
 * file; `key_password` may be NULL. A `certificate_file` of NULL: none, the default. Unusable files are TLS_FAILED. */
SDIMAGE_API void sdimage_downloader_config_set_client_certificate(sdimage_downloader_config *config,
                                                                  const char *certificate_file, const char *key_file,
                                                                  const char *key_password);
/* Returns true if a client certificate is set. */
SDIMAGE_API bool sdimage_downloader_config_has_client_certificate(const sdimage_downloader_config *config);
/* Returns the file of the client certificate; NULL for none. Borrowed until it is set again or the configuration is
 * freed. */
SDIMAGE_API const char *sdimage_downloader_config_client_certificate_file(const sdimage_downloader_config *config);
/* Returns the file of its key; NULL if the key is in the file of the certificate. The password of the key cannot be
 * read. Borrowed until it is set again or the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_client_key_file(const sdimage_downloader_config *config);

/* Sets the URL of a proxy, "http://user:password@host:3128", "socks5h://host"; NULL: none, the default. Environment
 * variables are never used. `exceptions`: hosts and domains with direct connections, separated by commas; may be
 * NULL. */
SDIMAGE_API void sdimage_downloader_config_set_proxy(sdimage_downloader_config *config, const char *url,
                                                     const char *exceptions);
/* Returns the URL of the proxy, without user and password; NULL for none. Borrowed until it is set again or the
 * configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_proxy(const sdimage_downloader_config *config);
/* Returns the hosts and domains with direct connections, separated by commas; "" for none. Borrowed until they are
 * set again or the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_proxy_exceptions(const sdimage_downloader_config *config);

/* Connects to this Unix socket for every host in a URL; NULL: none, the default. */
SDIMAGE_API void sdimage_downloader_config_set_unix_socket(sdimage_downloader_config *config, const char *path);
/* Returns the path of the Unix socket; NULL for none. Borrowed until it is set again or the configuration is
 * freed. */
SDIMAGE_API const char *sdimage_downloader_config_unix_socket(const sdimage_downloader_config *config);

/* Sets the version of HTTP. Default AUTOMATIC. */
SDIMAGE_API void sdimage_downloader_config_set_http_version(sdimage_downloader_config *config,
                                                            sdimage_http_version version);
/* Returns the version of HTTP. */
SDIMAGE_API sdimage_http_version sdimage_downloader_config_http_version(const sdimage_downloader_config *config);

/* Sets a header field of every request; a NULL value removes it. Defaults: an Accept that prefers images, and a
 * User-Agent that names the program. */
SDIMAGE_API void sdimage_downloader_config_set_header(sdimage_downloader_config *config, const char *name,
                                                      const char *value);
/* Returns the value of a header field of every request; NULL when there is none. Borrowed until the field changes or
 * the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_header(const sdimage_downloader_config *config, const char *name);
/* Returns the name of header field number `index`; NULL beyond the last. *value, if `value` is not NULL, receives
 * its value. Borrowed until fields change or the configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_header_at(const sdimage_downloader_config *config, size_t index,
                                                            const char **value);

/* Sets a PEM file of certificate authorities in place of the system's; copied. NULL restores the system's. */
SDIMAGE_API void sdimage_downloader_config_set_ca_file(sdimage_downloader_config *config, const char *path);
/* Returns the file of certificate authorities; NULL for those of the system. Borrowed until it is set again or the
 * configuration is freed. */
SDIMAGE_API const char *sdimage_downloader_config_ca_file(const sdimage_downloader_config *config);

/* Creates a downloader. `config` is copied; NULL for the defaults. Errors: FORKED, NO_MEMORY, INTERNAL_ERROR (libcurl
 * could not be initialized), UNSUPPORTED (options that a custom transport does not have, see sys/transport.h),
 * INVALID_REQUEST (header fields that cannot be sent), INVALID_ARGUMENT (a proxy whose user or password has a control
 * character, also a percent-encoded one). */
SDIMAGE_API sdimage_status sdimage_downloader_new(const sdimage_downloader_config *config, sdimage_loader **loader,
                                                  sdimage_error **error);

/* --- A running downloader. On any other loader these functions have no effect, or return 0. */

/* Changes the number of concurrent transfers to one host, for waiting and future transfers; running ones continue. 0
 * restores the default. */
SDIMAGE_API void sdimage_downloader_set_max_per_host(sdimage_loader *downloader, uint32_t count);
/* Returns the number of concurrent transfers to one host. */
SDIMAGE_API uint32_t sdimage_downloader_max_per_host(const sdimage_loader *downloader);

/* Changes the number of concurrent transfers in total, for waiting and future transfers; running ones continue. 0
 * restores the default. */
SDIMAGE_API void sdimage_downloader_set_max_total(sdimage_loader *downloader, uint32_t count);
/* Returns the number of concurrent transfers in total. */
SDIMAGE_API uint32_t sdimage_downloader_max_total(const sdimage_loader *downloader);

/* Changes the order among waiting transfers of equal priority. */
SDIMAGE_API void sdimage_downloader_set_execution_order(sdimage_loader *downloader, sdimage_execution_order order);
/* Returns the order among waiting transfers of equal priority. */
SDIMAGE_API sdimage_execution_order sdimage_downloader_execution_order(const sdimage_loader *downloader);

/* Sets a header field of requests that are sent from now on; NULL removes it. Fields of a request take precedence.
 * Errors: INVALID_ARGUMENT (no downloader, no name), INVALID_REQUEST (a field that cannot be sent). */
SDIMAGE_API sdimage_status sdimage_downloader_set_header(sdimage_loader *downloader, const char *name,
                                                         const char *value, sdimage_error **error);
/* Returns the value of a header field, NUL-terminated; the caller owns *value. NULL when there is none. */
SDIMAGE_API void sdimage_downloader_get_header(const sdimage_loader *downloader, const char *name,
                                               sdimage_data **value);
/* Returns true if there is a header field number `index`, and its name and value through pointers that may be NULL; the
 * caller owns them. False beyond the last. */
SDIMAGE_API bool sdimage_downloader_get_header_at(const sdimage_loader *downloader, size_t index, sdimage_data **name,
                                                  sdimage_data **value);

/* Suspends the downloader: running transfers continue and waiting ones do not start. Default false. */
SDIMAGE_API void sdimage_downloader_set_suspended(sdimage_loader *downloader, bool suspended);
/* Returns true if the downloader is suspended. */
SDIMAGE_API bool sdimage_downloader_is_suspended(const sdimage_loader *downloader);

/* Returns the number of running and waiting transfers. */
SDIMAGE_API size_t sdimage_downloader_transfer_count(const sdimage_loader *downloader);

/* Cancels all transfers of the downloader; they end with CANCELLED. */
SDIMAGE_API void sdimage_downloader_cancel_all(sdimage_loader *downloader);

/* Refuses all further loads, permanently: they end with INVALID_REQUEST. Transfers in progress are cancelled if
 * `cancel` is true, or else completed. */
SDIMAGE_API void sdimage_downloader_invalidate(sdimage_loader *downloader, bool cancel);

#ifdef __cplusplus
}
#endif

#endif
