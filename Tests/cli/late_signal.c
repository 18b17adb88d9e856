/* late_signal.c: poll for a preloaded program: sends SIGINT before the program waits again after its first key. */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

int poll(struct pollfd *watched, nfds_t count, int timeout) {
    static bool had_key, is_sent;
    struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
    bool has_keyboard = count == 2 && watched[1].fd == STDIN_FILENO;
    if (has_keyboard && had_key && !is_sent) {
        is_sent = true;
        raise(SIGINT);
    }
    int result = ppoll(watched, count, timeout < 0 ? NULL : &limit, NULL);
    had_key = had_key || (has_keyboard && result > 0 && watched[1].revents);
    return result;
}
