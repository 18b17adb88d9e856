/* Writes JPEG XL with libjxl alone, with the given code points (ITU-T H.273).
 *
 *   jxl_writer WIDTH HEIGHT PRIMARIES TRANSFER DISTANCE OUT <SAMPLES
 *
 * The input is RGB with 16 bits per sample in the machine's byte order. A distance of 0 is lossless. */
#include <jxl/encode.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* The libjxl constants for the numbers of the standard. */
static JxlColorEncoding color_of(int primaries, int transfer) {
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE);
    color.primaries = primaries == 9 ? JXL_PRIMARIES_2100 : primaries == 12 ? JXL_PRIMARIES_P3 : JXL_PRIMARIES_SRGB;
    color.transfer_function = transfer == 16   ? JXL_TRANSFER_FUNCTION_PQ
                              : transfer == 18 ? JXL_TRANSFER_FUNCTION_HLG
                                               : JXL_TRANSFER_FUNCTION_SRGB;
    return color;
}

static void set_up(JxlEncoder *encoder, uint32_t width, uint32_t height, const JxlColorEncoding *color,
                   int is_lossless) {
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = width, info.ysize = height;
    info.bits_per_sample = 16;
    info.num_color_channels = 3;
    info.uses_original_profile = is_lossless;
    must(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS, "the header");
    must(JxlEncoderSetCodestreamLevel(encoder, 10) == JXL_ENC_SUCCESS, "the level");
    must(JxlEncoderSetColorEncoding(encoder, color) == JXL_ENC_SUCCESS, "the colours");
}

int main(int argc, char **argv) {
    if (argc != 7)
        return 2;
    uint32_t width = (uint32_t)atoi(argv[1]), height = (uint32_t)atoi(argv[2]);
    size_t length = (size_t)width * height * 6, room = length + 65536;
    uint8_t *samples = malloc(length), *made = malloc(room), *next = made;
    must(samples && made && fread(samples, 1, length, stdin) == length, "the samples");
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlColorEncoding color = color_of(atoi(argv[3]), atoi(argv[4]));
    float distance = (float)atof(argv[5]);
    set_up(encoder, width, height, &color, !(distance > 0));
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3);
    if (distance > 0)
        must(JxlEncoderSetFrameDistance(settings, distance) == JXL_ENC_SUCCESS, "the distance");
    else
        must(JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS, "no loss");
    JxlPixelFormat format = {3, JXL_TYPE_UINT16, JXL_NATIVE_ENDIAN, 0};
    must(JxlEncoderAddImageFrame(settings, &format, samples, length) == JXL_ENC_SUCCESS, "the picture");
    JxlEncoderCloseInput(encoder);
    must(JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS, "the bytes");
    FILE *out = fopen(argv[6], "wb");
    must(out && fwrite(made, 1, (size_t)(next - made), out) == (size_t)(next - made) && !fclose(out), argv[6]);
    JxlEncoderDestroy(encoder);
    free(samples);
    free(made);
    return 0;
}
