#include "deadline.h"

#include "clock.h"
#include "fail.h"

sdcs_deadline sdcs_deadline_of(const sdimage_decode_options *options) {
    return sdcs_deadline_after(sdimage_decode_options_max_work_ms(options),
                               sdimage_decode_options_work_budget(options));
}

/* A number of milliseconds has 32 bits, so that the product fits 64. */
sdcs_deadline sdcs_deadline_after(uint32_t milliseconds, const sdimage_work_budget *budget) {
    return (sdcs_deadline){sdcs_monotonic_ns() + (uint64_t)milliseconds * 1000000u, budget};
}

/* Returns OK, TIMEOUT or CANCELLED. The work budget may also end before the own time limit. */
static sdimage_status status_of(sdcs_deadline deadline) {
    if (deadline.end && sdcs_monotonic_ns() >= deadline.end)
        return SDIMAGE_STATUS_TIMEOUT;
    return sdimage_work_budget_check(deadline.budget);
}

bool sdcs_must_end(sdcs_deadline deadline) {
    return status_of(deadline) != SDIMAGE_STATUS_OK;
}

sdimage_status sdcs_check_deadline(sdcs_deadline deadline, sdimage_error **error) {
    sdimage_status status = status_of(deadline);
    if (status == SDIMAGE_STATUS_OK)
        return status;
    /* Other statuses than CANCELLED are TIMEOUT. */
    const char *message =
        status == SDIMAGE_STATUS_CANCELLED ? "task: cancelled" : "decoder: took longer than max_work_ms allows";
    return sdcs_fail(error, status, message);
}
