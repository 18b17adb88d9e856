/* server.h: an HTTP server of images on the loopback interface. */
#ifndef SDIMAGE_TESTS_SERVER_H
#define SDIMAGE_TESTS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/* Responds to a request for `/NUMBER` with send_bytes, on the thread of the connection. False closes the connection. */
typedef bool server_response(int connection, unsigned number);

/* Starts a server, which runs until the process ends, and returns its port. */
int start_server(server_response *respond);

/* Returns false if the client has disconnected. */
bool send_bytes(int connection, const void *bytes, size_t length);

/* Stores the `count` lowest bytes of a number, the lowest first. */
void put_number(unsigned char *at, unsigned value, int count);

/* Stores the header of a bitmap file with 24 bits for each pixel, BITMAP_HEAD bytes. */
enum { BITMAP_HEAD = 54 };
void put_bitmap_head(unsigned char *at, unsigned width, unsigned height);

#endif
