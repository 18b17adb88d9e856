/* Writes JPEG XL with libjxl alone, with the given code points (ITU-T H.273).
 *
 *   jxl_writer WIDTH HEIGHT PRIMARIES TRANSFER DISTANCE KIND OUT <SAMPLES
 *
 * The input has 16 bits per sample in the machine's byte order: RGB, or RGBA if KIND is `alpha` or `layers`. Of
 * `layers` the samples of a second layer follow, with half the sides, which is blended over the first at a quarter of
 * the sides. A distance of 0 is lossless. */
#include <jxl/encode.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    uint32_t width, height, channels;
    bool has_layers;
    float distance;
} picture;

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

static void set_up(JxlEncoder *encoder, const picture *picture, const JxlColorEncoding *color) {
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = picture->width, info.ysize = picture->height;
    info.bits_per_sample = 16;
    info.num_color_channels = 3;
    info.num_extra_channels = picture->channels - 3;
    info.alpha_bits = picture->channels > 3 ? 16 : 0;
    info.uses_original_profile = !(picture->distance > 0);
    must(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS, "the header");
    must(JxlEncoderSetCodestreamLevel(encoder, 10) == JXL_ENC_SUCCESS, "the level");
    must(JxlEncoderSetColorEncoding(encoder, color) == JXL_ENC_SUCCESS, "the colors");
}

/* Makes a frame a layer: the first is a reference for the second. */
static void set_layer(JxlEncoderFrameSettings *settings, const picture *picture, bool is_second) {
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    JxlLayerInfo *layer = &header.layer_info;
    layer->xsize = picture->width, layer->ysize = picture->height;
    layer->save_as_reference = is_second ? 0 : 1;
    if (is_second) {
        layer->have_crop = JXL_TRUE;
        layer->crop_x0 = (int32_t)picture->width / 4, layer->crop_y0 = (int32_t)picture->height / 4;
        layer->xsize /= 2, layer->ysize /= 2;
        layer->blend_info.blendmode = JXL_BLEND_BLEND;
        layer->blend_info.source = 1;
    }
    must(JxlEncoderSetFrameHeader(settings, &header) == JXL_ENC_SUCCESS, "the layer");
    must(JxlEncoderSetExtraChannelBlendInfo(settings, 0, &layer->blend_info) == JXL_ENC_SUCCESS, "the blending");
}

/* Reads the samples of a frame from the input. */
static void add_frame(JxlEncoder *encoder, const picture *picture, bool is_second) {
    size_t pixels = (size_t)picture->width * picture->height / (is_second ? 4 : 1);
    size_t length = pixels * picture->channels * 2;
    uint8_t *samples = malloc(length);
    must(samples && fread(samples, 1, length, stdin) == length, "the samples");
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3);
    if (picture->distance > 0)
        must(JxlEncoderSetFrameDistance(settings, picture->distance) == JXL_ENC_SUCCESS, "the distance");
    else
        must(JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS, "no loss");
    if (picture->has_layers)
        set_layer(settings, picture, is_second);
    JxlPixelFormat format = {picture->channels, JXL_TYPE_UINT16, JXL_NATIVE_ENDIAN, 0};
    must(JxlEncoderAddImageFrame(settings, &format, samples, length) == JXL_ENC_SUCCESS, "the picture");
    free(samples);
}

int main(int argc, char **argv) {
    if (argc != 8)
        return 2;
    picture picture = {(uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), 3, false, (float)atof(argv[5])};
    picture.has_layers = strcmp(argv[6], "layers") == 0;
    if (picture.has_layers || strcmp(argv[6], "alpha") == 0)
        picture.channels = 4;
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlColorEncoding color = color_of(atoi(argv[3]), atoi(argv[4]));
    set_up(encoder, &picture, &color);
    add_frame(encoder, &picture, false);
    if (picture.has_layers)
        add_frame(encoder, &picture, true);
    JxlEncoderCloseInput(encoder);
    size_t room = (size_t)picture.width * picture.height * picture.channels * 4 + 65536;
    uint8_t *made = malloc(room), *next = made;
    must(made && JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS, "the bytes");
    FILE *out = fopen(argv[7], "wb");
    must(out && fwrite(made, 1, (size_t)(next - made), out) == (size_t)(next - made) && !fclose(out), argv[7]);
    JxlEncoderDestroy(encoder);
    free(made);
    return 0;
}
