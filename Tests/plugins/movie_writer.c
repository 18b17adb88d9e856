/* Writes movies with libavformat and libavcodec, for tests that know each of their frames.
 *
 *   movie_writer CONTAINER ENCODER FORMAT WIDTH HEIGHT OUT [OPTION=VALUE]... <COLORS
 *
 * FORMAT: a pixel format of libavutil with three planes of bytes. Each line of the input is a frame: Y, Cb and Cr of
 * its left half, and of its right half. 25 frames per second.
 * Exit status 3: the encoder is not available. */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int code, const char *what) {
    if (code >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, av_err2str(code));
    exit(1);
}

static void draw(AVFrame *frame, const int *colors) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    for (int plane = 0; plane < 3; plane++) {
        int width = plane ? frame->width >> format->log2_chroma_w : frame->width;
        int height = plane ? frame->height >> format->log2_chroma_h : frame->height;
        for (int y = 0; y < height; y++) {
            uint8_t *row = frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane];
            memset(row, colors[plane], (size_t)width / 2);
            memset(row + width / 2, colors[3 + plane], (size_t)(width - width / 2));
        }
    }
}

/* Opens the encoder for the arguments from FORMAT on. */
static AVCodecContext *open_encoder(const AVCodec *codec, const AVFormatContext *format, char **arguments, int count) {
    AVCodecContext *context = avcodec_alloc_context3(codec);
    AVDictionary *said = NULL;
    context->pix_fmt = av_get_pix_fmt(arguments[0]);
    context->width = atoi(arguments[1]), context->height = atoi(arguments[2]);
    context->colorspace = AVCOL_SPC_SMPTE170M;
    context->time_base = (AVRational){1, 25};
    context->framerate = (AVRational){25, 1};
    if (format->oformat->flags & AVFMT_GLOBALHEADER)
        context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    for (int i = 4; i < count; i++)
        must(av_dict_parse_string(&said, arguments[i], "=", "", 0), arguments[i]);
    must(avcodec_open2(context, codec, &said), "the encoder");
    av_dict_free(&said);
    return context;
}

/* Sends a frame, or NULL at the end, to the encoder, and writes its output. */
static void encode(AVCodecContext *encoder, AVFormatContext *format, const AVFrame *frame, AVPacket *packet) {
    must(avcodec_send_frame(encoder, frame), "a picture");
    while (avcodec_receive_packet(encoder, packet) >= 0) {
        packet->duration = 1;
        av_packet_rescale_ts(packet, encoder->time_base, format->streams[0]->time_base);
        must(av_interleaved_write_frame(format, packet), "a packet");
    }
}

int main(int argc, char **argv) {
    if (argc < 7)
        return 2;
    av_log_set_level(AV_LOG_ERROR);
    AVFormatContext *format = NULL;
    const AVCodec *codec = avcodec_find_encoder_by_name(argv[2]);
    if (!codec)
        return 3;
    must(avformat_alloc_output_context2(&format, NULL, argv[1], argv[6]), argv[1]);
    AVStream *stream = avformat_new_stream(format, NULL);
    AVCodecContext *encoder = open_encoder(codec, format, argv + 3, argc - 3);
    must(avcodec_parameters_from_context(stream->codecpar, encoder), "the track");
    stream->time_base = encoder->time_base;
    stream->avg_frame_rate = encoder->framerate;
    must(avio_open(&format->pb, argv[6], AVIO_FLAG_WRITE), argv[6]);
    must(avformat_write_header(format, NULL), "the header");
    AVFrame *frame = av_frame_alloc();
    AVPacket *packet = av_packet_alloc();
    frame->format = encoder->pix_fmt, frame->width = encoder->width, frame->height = encoder->height;
    must(av_frame_get_buffer(frame, 0), "memory");
    int c[6];
    frame->pts = 0;
    while (scanf("%d %d %d %d %d %d", &c[0], &c[1], &c[2], &c[3], &c[4], &c[5]) == 6) {
        must(av_frame_make_writable(frame), "memory");
        draw(frame, c);
        encode(encoder, format, frame, packet);
        frame->pts++;
    }
    encode(encoder, format, NULL, packet);
    must(av_write_trailer(format), "the end");
    avio_closep(&format->pb);
    av_packet_free(&packet);
    av_frame_free(&frame);
    avcodec_free_context(&encoder);
    avformat_free_context(format);
    return 0;
}
