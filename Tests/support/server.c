#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "check.h"

static server_response *respond;

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
    char request[8192];
    size_t length = 0;
    for (ssize_t count; (count = read(connection, request + length, sizeof request - 1 - length)) > 0;) {
        length += (size_t)count;
        request[length] = 0;
        if (!strstr(request, "\r\n\r\n"))
            continue;
        length = 0;
        if (!respond(connection, (unsigned)strtoul(request + strlen("GET /"), NULL, 10)))
            break;
    }
    close(connection);
    return NULL;
}

static void *accept_all(void *argument) {
    for (;;) {
        int connection = accept((int)(intptr_t)argument, NULL, NULL), on = 1;
        pthread_t thread;
        if (connection < 0)
            return NULL;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) == 0)
            pthread_detach(thread);
        else
            close(connection);
    }
}

int start_server(server_response *response) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pthread_t thread;
    respond = response;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 256) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    CHECK(pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener) == 0);
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

bool send_bytes(int connection, const void *bytes, size_t length) {
    return send(connection, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

void put_number(unsigned char *at, unsigned value, int count) {
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

void put_bitmap_head(unsigned char *at, unsigned width, unsigned height) {
    unsigned row = (3 * width + 3) / 4 * 4;
    memset(at, 0, BITMAP_HEAD);
    memcpy(at, "BM", 2);
    put_number(at + 2, BITMAP_HEAD + row * height, 4);
    put_number(at + 10, BITMAP_HEAD, 4);
    put_number(at + 14, 40, 4);
    put_number(at + 18, width, 4);
    put_number(at + 22, height, 4);
    put_number(at + 26, 1, 2);
    put_number(at + 28, 24, 2);
}
