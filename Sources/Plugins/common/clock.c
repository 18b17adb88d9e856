#include "clock.h"

#include <time.h>

#include "../../Modules/common/picture.h"

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

sdplug_deadline sdplug_deadline_of(const sdimage_decode_options *options) {
    return sdplug_deadline_after(sdimage_decode_options_max_work_ms(options));
}

sdplug_deadline sdplug_deadline_after(uint32_t milliseconds) { return now() + (uint64_t)milliseconds * 1000000u; }

bool sdplug_is_over(sdplug_deadline deadline) { return now() >= deadline; }

sdimage_status sdplug_check_time(sdplug_deadline deadline, sdimage_error **error) {
    if (!sdplug_is_over(deadline))
        return SDIMAGE_STATUS_OK;
    return sdmod_fail(error, SDIMAGE_STATUS_TIMEOUT, "decoding took longer than max_work_ms allows");
}
