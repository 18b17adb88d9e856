#include "attack_decodes.h"

void start_isolation(void) {
    sdimage_coder *coder = NULL;
    find_attack_module();
    CHECK_EQUAL(sdimage_attack_coder_new(&coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    sdimage_coder_unref(coder);
    sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
}

sdimage_status decode_attack(const char *attack, const char *text, uint32_t limit_ms, sdimage_image **image) {
    static atomic_int count;
    char bytes[200];
    sdimage_decode_options *options = sdimage_decode_options_new();
    CHECK(options != NULL);
    sdimage_decode_options_set_max_work_ms(options, limit_ms);
    int length = snprintf(bytes, sizeof bytes, "ATTACK %s\n%s %d", attack, text, atomic_fetch_add(&count, 1));
    sdimage_status status = sdimage_decode(bytes, (size_t)length, options, image, NULL);
    sdimage_decode_options_unref(options);
    CHECK((status >= 0) == (*image != NULL));
    return status;
}

sdimage_isolation_statistics isolation_counts(void) {
    sdimage_isolation_statistics counts = {.size = sizeof counts};
    CHECK_EQUAL(sdimage_isolation_get_statistics(&counts, NULL), SDIMAGE_STATUS_OK);
    return counts;
}
