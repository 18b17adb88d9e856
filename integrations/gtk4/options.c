/* options.c: the boxed types of requests and options. */
#include "sdimage-gtk4.h"

G_DEFINE_BOXED_TYPE(SdimageRequest, sdimage_request, sdimage_request_copy, sdimage_request_unref)
G_DEFINE_BOXED_TYPE(SdimageDecodeOptions, sdimage_decode_options, sdimage_decode_options_ref,
                    sdimage_decode_options_unref)
G_DEFINE_BOXED_TYPE(SdimageTargetOptions, sdimage_target_options, sdimage_target_options_ref,
                    sdimage_target_options_unref)
