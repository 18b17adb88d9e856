/* downloader.h: the built-in loader for http and https.
 *
 * One thread of the library moves all transfers. Every hop of a redirect is checked like the first URL. Certificates are
 * verified. Classes: sdimage_downloader_config single-owner; the loader synchronised. */
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
    SDIMAGE_ADDRESS_POLICY_ANY = 0,
    /* Neither loopback, private, link-local, shared, multicast nor unspecified addresses, in whatever spelling, and no
     * proxy. For services that load URLs of strangers. */
    SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY = 1
} sdimage_address_policy;

/* Order among waiting transfers of equal priority. */
typedef enum SDIMAGE_ENUM sdimage_execution_order {
    SDIMAGE_EXECUTION_ORDER_FIFO = 0,
    SDIMAGE_EXECUTION_ORDER_LIFO = 1
} sdimage_execution_order;

SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_new(void);
SDIMAGE_API sdimage_downloader_config *sdimage_downloader_config_ref(sdimage_downloader_config *config);
SDIMAGE_API void sdimage_downloader_config_unref(sdimage_downloader_config *config);

/* Transfers at once: to one host (default 6), and in all (default 32). 0 restores the default. */
SDIMAGE_API void sdimage_downloader_config_set_max_per_host(sdimage_downloader_config *config, uint32_t count);
SDIMAGE_API void sdimage_downloader_config_set_max_total(sdimage_downloader_config *config, uint32_t count);

/* Default FIFO. */
SDIMAGE_API void sdimage_downloader_config_set_execution_order(sdimage_downloader_config *config,
                                                               sdimage_execution_order order);

/* Milliseconds: to connect (default 10,000), without a byte (15,000), for a whole transfer (60,000). 0 restores the
 * default. */
SDIMAGE_API void sdimage_downloader_config_set_connect_timeout_ms(sdimage_downloader_config *config, uint32_t timeout_ms);
SDIMAGE_API void sdimage_downloader_config_set_inactivity_timeout_ms(sdimage_downloader_config *config,
                                                                     uint32_t timeout_ms);
SDIMAGE_API void sdimage_downloader_config_set_total_timeout_ms(sdimage_downloader_config *config, uint32_t timeout_ms);

/* Largest body in bytes, counted after content decoding. Default 64 MiB; 0 restores it. */
SDIMAGE_API void sdimage_downloader_config_set_max_body_bytes(sdimage_downloader_config *config, size_t bytes);

/* Default 10. */
SDIMAGE_API void sdimage_downloader_config_set_max_redirects(sdimage_downloader_config *config, uint32_t count);

/* Default ANY. */
SDIMAGE_API void sdimage_downloader_config_set_address_policy(sdimage_downloader_config *config,
                                                              sdimage_address_policy policy);

/* A header field of every request; a NULL value removes it. Defaults: an Accept that prefers pictures, and a User-Agent that
 * names the program. */
SDIMAGE_API void sdimage_downloader_config_set_header(sdimage_downloader_config *config, const char *name,
                                                      const char *value);

/* A PEM file of certificate authorities in place of the system's; copied. NULL restores the system's. */
SDIMAGE_API void sdimage_downloader_config_set_ca_file(sdimage_downloader_config *config, const char *path);

/* A downloader. `config` is copied; NULL for the defaults. Errors: FORKED, NO_MEMORY, UNSUPPORTED (the transfer library
 * lacks TLS or asynchronous name resolution). */
SDIMAGE_API sdimage_status sdimage_downloader_new(const sdimage_downloader_config *config, sdimage_loader **loader,
                                                  sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
