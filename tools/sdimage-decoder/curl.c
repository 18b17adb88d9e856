/* The functions of libcurl in the processes that decode, which must not connect.
 *
 * sdimage-decoder has the shared object name of libcurl, so that the dynamic linker takes it in place of that library.
 * The true one opens about thirty further libraries: they are two thirds of the time in which a worker starts, and code
 * that an attacker could use. All functions of libcurl 7.88 are here, so that modules linked to it can be opened. */
#include <stddef.h>
#include <stdlib.h>

/* Functions that start something fail, as libcurl may, and those that free ignore NULL: a library that prepares libcurl
   when it is opened does not end the worker. The others need an object that no function here returns. */
#define FAILED_INIT 2 /* CURLE_FAILED_INIT */
#define FAILING(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void) {                                                                                                   \
        return FAILED_INIT;                                                                                            \
    }
#define RETURNING_NULL(name)                                                                                           \
    void *name(void);                                                                                                  \
    void *name(void) {                                                                                                 \
        return NULL;                                                                                                   \
    }
#define IGNORED(name)                                                                                                  \
    void name(void);                                                                                                   \
    void name(void) {}
#define ABORTING(name)                                                                                                 \
    void name(void);                                                                                                   \
    void name(void) {                                                                                                  \
        abort();                                                                                                       \
    }

FAILING(curl_global_init)
FAILING(curl_global_init_mem)

RETURNING_NULL(curl_easy_duphandle)
RETURNING_NULL(curl_easy_escape)
RETURNING_NULL(curl_easy_init)
RETURNING_NULL(curl_easy_unescape)
RETURNING_NULL(curl_escape)
RETURNING_NULL(curl_getenv)
RETURNING_NULL(curl_mime_init)
RETURNING_NULL(curl_multi_init)
RETURNING_NULL(curl_share_init)
RETURNING_NULL(curl_slist_append)
RETURNING_NULL(curl_unescape)
RETURNING_NULL(curl_url)
RETURNING_NULL(curl_url_dup)
RETURNING_NULL(curl_version_info)

IGNORED(curl_easy_cleanup)
IGNORED(curl_formfree)
IGNORED(curl_free)
IGNORED(curl_global_cleanup)
IGNORED(curl_mime_free)
IGNORED(curl_slist_free_all)
IGNORED(curl_url_cleanup)

ABORTING(curl_easy_getinfo)
ABORTING(curl_easy_header)
ABORTING(curl_easy_nextheader)
ABORTING(curl_easy_option_by_id)
ABORTING(curl_easy_option_by_name)
ABORTING(curl_easy_option_next)
ABORTING(curl_easy_pause)
ABORTING(curl_easy_perform)
ABORTING(curl_easy_recv)
ABORTING(curl_easy_reset)
ABORTING(curl_easy_send)
ABORTING(curl_easy_setopt)
ABORTING(curl_easy_strerror)
ABORTING(curl_easy_upkeep)
ABORTING(curl_formadd)
ABORTING(curl_formget)
ABORTING(curl_getdate)
ABORTING(curl_global_sslset)
ABORTING(curl_maprintf)
ABORTING(curl_mfprintf)
ABORTING(curl_mime_addpart)
ABORTING(curl_mime_data)
ABORTING(curl_mime_data_cb)
ABORTING(curl_mime_encoder)
ABORTING(curl_mime_filedata)
ABORTING(curl_mime_filename)
ABORTING(curl_mime_headers)
ABORTING(curl_mime_name)
ABORTING(curl_mime_subparts)
ABORTING(curl_mime_type)
ABORTING(curl_mprintf)
ABORTING(curl_msnprintf)
ABORTING(curl_msprintf)
ABORTING(curl_multi_add_handle)
ABORTING(curl_multi_assign)
ABORTING(curl_multi_cleanup)
ABORTING(curl_multi_fdset)
ABORTING(curl_multi_info_read)
ABORTING(curl_multi_perform)
ABORTING(curl_multi_poll)
ABORTING(curl_multi_remove_handle)
ABORTING(curl_multi_setopt)
ABORTING(curl_multi_socket)
ABORTING(curl_multi_socket_action)
ABORTING(curl_multi_socket_all)
ABORTING(curl_multi_strerror)
ABORTING(curl_multi_timeout)
ABORTING(curl_multi_wait)
ABORTING(curl_multi_wakeup)
ABORTING(curl_mvaprintf)
ABORTING(curl_mvfprintf)
ABORTING(curl_mvprintf)
ABORTING(curl_mvsnprintf)
ABORTING(curl_mvsprintf)
ABORTING(curl_pushheader_byname)
ABORTING(curl_pushheader_bynum)
ABORTING(curl_share_cleanup)
ABORTING(curl_share_setopt)
ABORTING(curl_share_strerror)
ABORTING(curl_strequal)
ABORTING(curl_strnequal)
ABORTING(curl_url_get)
ABORTING(curl_url_set)
ABORTING(curl_url_strerror)
ABORTING(curl_version)
ABORTING(curl_ws_meta)
ABORTING(curl_ws_recv)
ABORTING(curl_ws_send)
