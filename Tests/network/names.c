/* getaddrinfo(3) for tests, preloaded: names under `dead.test` are never found; names under `good.test` resolve to
 * this machine. */
#include <netdb.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <dlfcn.h>

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), count = strlen(end);
    return length >= count && strcmp(text + length - count, end) == 0;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    lookup *real = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (node && ends_with(node, "dead.test")) {
        struct timespec long_time = {.tv_sec = 3600};
        nanosleep(&long_time, NULL);
        return EAI_AGAIN;
    }
    if (node && ends_with(node, "good.test"))
        node = "127.0.0.1";
    /* A look-up of the same name with a final dot then returns another address. */
    if (node && ends_with(node, "moved.test"))
        node = "127.0.0.1";
    if (node && ends_with(node, "moved.test."))
        node = "127.0.0.2";
    return real ? real(node, service, hints, found) : EAI_SYSTEM;
}
