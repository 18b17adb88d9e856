/* shim.c: functions of libcurl with fixed types, and the system calls of the transfer thread. Swift cannot call
 * variadic C functions. */
#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

/* In order: Debian and Arch; Fedora and RHEL, now and before; openSUSE; Alpine and the BSDs. */
static const char *const authority_files[] = {
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

CURLcode ccurl_set_authorities(CURL *easy, const char *file) {
    CURLcode code;
    if (file)
        return curl_easy_setopt(easy, CURLOPT_CAINFO, file);
    const char *built_in = NULL;
    /* A libcurl whose own file is readable, or that needs no file, is left as it is. */
    if (curl_easy_getinfo(easy, CURLINFO_CAINFO, &built_in) != CURLE_OK || !built_in || access(built_in, R_OK) == 0)
        return CURLE_OK;
    for (size_t i = 0; i < sizeof authority_files / sizeof *authority_files; i++) {
        if (access(authority_files[i], R_OK) != 0)
            continue;
        code = curl_easy_setopt(easy, CURLOPT_CAINFO, authority_files[i]);
        return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, authority_files[i]) : code;
    }
    return CURLE_OK;
}

CURLcode ccurl_set_method(CURL *easy, const char *method, const void *body, int64_t length) {
    /* First resets what the previous request of the handle has set. */
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, (char *)NULL);
    if (code != CURLE_OK || !method)
        return code;
    /* POST has a body in any case, other methods only if one was given. */
    if (body || strcmp(method, "POST") == 0) {
        code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
        if (code == CURLE_OK)
            code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
        if (code == CURLE_OK)
            code = curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body ? body : "");
    }
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method) : code;
}

CURLcode ccurl_set_receivers(CURL *easy, curl_write_callback write, curl_write_callback header, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HEADERDATA, context) : code;
}

CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback prerequest, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, prerequest);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_PREREQDATA, context) : code;
}

CURLcode ccurl_set_socket_opener(CURL *easy, curl_opensocket_callback open, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

CURLcode ccurl_set_socket_closer(CURL *easy, curl_closesocket_callback close, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context) : code;
}

unsigned ccurl_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

CURLcode ccurl_set_share(CURL *easy, CURLSH *share) {
    return curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

CURLSH *ccurl_make_share(bool cookies) {
    CURLSH *share = curl_share_init();
    if (share == NULL)
        return NULL;
    /* No functions for locking: the share is for one thread. */
    CURLSHcode code = curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    if (code == CURLSHE_OK && cookies)
        code = curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    if (code == CURLSHE_OK)
        return share;
    curl_share_cleanup(share);
    return NULL;
}

size_t ccurl_limit_cookies(CURL *easy, size_t limit) {
    struct curl_slist *cookies = NULL;
    size_t bytes = 0;
    /* A line of text for each cookie. */
    if (curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &cookies) != CURLE_OK)
        return 0;
    for (const struct curl_slist *cookie = cookies; cookie != NULL; cookie = cookie->next)
        bytes += strlen(cookie->data);
    curl_slist_free_all(cookies);
    if (bytes <= limit)
        return 0;
    return curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL") == CURLE_OK ? bytes : 0;
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

long ccurl_info_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

int64_t ccurl_info_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *ccurl_info_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK && value != NULL ? value : "";
}

CURL *ccurl_multi_next_finished(CURLM *multi, CURLcode *code) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE)
            continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

CURLMcode ccurl_multi_set_watchers(CURLM *multi, curl_socket_callback watch, curl_multi_timer_callback timer,
                                   void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    if (code == CURLM_OK)
        code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK)
        code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

int ccurl_make_poller(int wakeup) {
    int poller = epoll_create1(EPOLL_CLOEXEC);
    /* The number -1 stands for the wake-up in the events. */
    struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
    if (poller >= 0 && epoll_ctl(poller, EPOLL_CTL_ADD, wakeup, &event) != 0) {
        close(poller);
        return -1;
    }
    return poller;
}

void ccurl_watch(int poller, curl_socket_t socket, int what) {
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(poller, EPOLL_CTL_DEL, socket, &event);
        return;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    /* A descriptor that was closed and reused is unknown here, whatever libcurl's state. */
    if (epoll_ctl(poller, EPOLL_CTL_MOD, socket, &event) != 0 && errno == ENOENT)
        epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

int ccurl_wait(int poller, ccurl_event *events, int capacity, int milliseconds) {
    /* Further events are reported by the next call. */
    enum { most = 64 };
    struct epoll_event ready[most];
    int count = epoll_wait(poller, ready, capacity < most ? capacity : most, milliseconds), told = 0;
    for (int i = 0; i < count; i++) {
        int mask = (ready[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                   (ready[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (ready[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        events[told++] = (ccurl_event){.socket = ready[i].data.fd, .events = mask};
    }
    return told;
}

curl_socket_t ccurl_make_socket(const struct curl_sockaddr *address) {
    /* A program that the host starts must not inherit the connection. */
    int made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    return made < 0 ? CURL_SOCKET_BAD : made;
}

int ccurl_make_wakeup(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void ccurl_acknowledge_promptly(curl_socket_t socket) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/* Returns the port of an IP address, 0 for other families. */
static uint16_t port_of(const struct sockaddr_storage *address) {
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return 0;
}

uint16_t ccurl_local_port(curl_socket_t socket) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getsockname(socket, (struct sockaddr *)&address, &length) == 0 ? port_of(&address) : 0;
}

bool ccurl_is_connected_to(curl_socket_t socket, const char *expected, int32_t port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char text[INET6_ADDRSTRLEN];
    /* The port of families other than IPv4 and IPv6 is 0, and never matches. */
    if (getpeername(socket, (struct sockaddr *)&address, &length) != 0 || port_of(&address) != port)
        return false;
    const void *host = address.ss_family == AF_INET ? (const void *)&((struct sockaddr_in *)&address)->sin_addr
                                                    : (const void *)&((struct sockaddr_in6 *)&address)->sin6_addr;
    return inet_ntop(address.ss_family, host, text, sizeof text) && strcmp(text, expected) == 0;
}

bool ccurl_has_unread_input(curl_socket_t socket) {
    char byte;
    /* A count of 0 is the end of the input. */
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}
