#include "pages.h"

#include <sdimage/metadata.h>
#include <sdimage/options.h>

#include "fail.h"

/* Known to the plug-ins alone. */
static const char COUNTS_PAGES[] = "sdimage.counts-pages";

/* The number of frames that the library accepts from a worker process. */
enum { MOST_PAGES = 1 << 20 };

uint32_t sdcs_page_count(const void *bytes, size_t length, sdimage_format format) {
    sdimage_options *values = sdimage_options_new();
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_info *info = NULL;
    uint32_t count = 0;
    sdimage_options_set_bool(values, COUNTS_PAGES, true);
    sdimage_decode_options_set_options(options, values);
    /* Without memory for the value, the coder would describe the first page. */
    if (values && options && sdimage_info_new(bytes, length, options, &info, NULL) >= 0 &&
        sdimage_info_format(info) == format && !sdimage_info_size(info).width)
        count = sdimage_info_frame_count(info);
    sdimage_info_unref(info);
    sdimage_decode_options_unref(options);
    sdimage_options_unref(values);
    return count;
}

bool sdcs_counts_pages(const sdimage_decode_options *options) {
    return sdimage_options_is_true(sdimage_decode_options_options(options), COUNTS_PAGES, false);
}

sdimage_status sdcs_describe_pages(sdimage_format format, uint32_t count, sdimage_metadata *metadata,
                                   sdimage_error **error) {
    if (count == 0)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "decoder: document has no pages");
    sdimage_metadata_set_format(metadata, format);
    sdimage_metadata_set_frame_count(metadata, count < MOST_PAGES ? count : MOST_PAGES);
    return SDIMAGE_STATUS_OK;
}
