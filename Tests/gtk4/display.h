/* display.h: what the tests of GTK widgets share: a loader of numbered images, the main loop, and drawn pixels. */
#ifndef GTK4_TESTS_DISPLAY_H
#define GTK4_TESTS_DISPLAY_H

#include <sdimage-gtk4.h>

#include "check.h"

/* Starts GTK, and sets a manager with a memory-only cache and this loader. Its URLs:
 *   test:N        an image of 64 by 64 pixels in color_of(N)
 *   test:N,S      the same of S by S pixels
 *   wait:N        test:N, when open_loader() is called; half of its bytes are written before
 *   rows:N        the same in PNG, of which the rows that have arrived can be shown
 *   fail:N        an error
 *   moving:N      an animation of four frames of 100 ms in color_of(N) to color_of(N + 3)
 *   slow:N        test:N,64 after 3 ms on one of eight threads */
void start_display(void);
/* Lets all loads of wait: and rows: finish. */
void open_loader(void);
/* Number of loads of wait: and rows: that the loader holds, and of those that were cancelled. */
int held_loads(void);
int cancelled_loads(void);
/* Number of loads of slow: that wait for a thread, cancelled ones included. */
guint queued_loads(void);
/* Number of loads that were started. */
int started_loads(void);
/* After start_display: sets a manager that loads over HTTP, one transfer at a time. Returns the port of the origin,
 * whose images are /N: test:N. It waits with its first response until open_origin() is called. */
int start_origin(void);
void open_origin(void);
/* Stores the numbers of the requests in the order in which they arrived; returns their count, at most `length`. */
int order_of_requests(int *numbers, int length);

/* Every image has a color of its own, 0xrrggbb. */
guint color_of(int number);

/* Runs the main loop until the condition is true; fails after a minute. */
#ifndef LONGEST_WAIT_US
#define LONGEST_WAIT_US 60000000
#endif
#define UNTIL(condition)                                                                                               \
    for (gint64 until_end = g_get_monotonic_time() + LONGEST_WAIT_US; !(condition); run_once())                        \
        if (g_get_monotonic_time() > until_end)                                                                        \
    fail_test(__FILE__, __LINE__, "%s does not become true", #condition)
void run_once(void);
/* Runs the main loop for a number of frames of a mapped widget. */
void run_frames(GtkWidget *widget, int count);

/* Makes a window with a child, and waits until it is mapped and has a size. */
GtkWidget *new_window(GtkWidget *child, int width, int height);
/* Calls `run(user_data)` at the end of the next frame of a mapped widget, when everything has a size. */
void after_frame(GtkWidget *widget, void (*run)(void *user_data), void *user_data);
/* Draws a widget, and returns its texture in device pixels. Called after a frame only. */
GdkTexture *drawn(GtkWidget *widget);
/* After the next frame, the color of a point of a widget as it is drawn, 0xrrggbb; coordinates from 0 to 1. */
guint color_at(GtkWidget *widget, double x, double y);
bool is_near(guint color, guint other);

/* Writes a drawn widget to a file of the folder in SCREENSHOTS, if it is set. */
void keep_screenshot(GtkWidget *widget, const char *name);

#endif
