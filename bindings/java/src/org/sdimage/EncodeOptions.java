package org.sdimage;

/** Encode options. The default is the best quality. Immutable: each method returns a copy. */
public final class EncodeOptions {
    /** Indices of the values, also for the shim. */
    @java.lang.annotation.Native
    private static final int QUALITY = 0, LOSSLESS = 1, EFFORT = 2, MAX_FILE_SIZE = 3, MAX_WIDTH = 4, MAX_HEIGHT = 5,
            FIRST_FRAME_ONLY = 6, PROGRESSIVE = 7, EMBED_GAIN_MAP = 8, COUNT = 9;

    /** The defaults. */
    public static final EncodeOptions DEFAULT = new EncodeOptions(new double[COUNT]).quality(1);

    private final double[] values;

    private EncodeOptions(double[] values) {
        this.values = values;
    }

    private EncodeOptions with(int index, double value) {
        double[] copy = values.clone();
        copy[index] = value;
        return new EncodeOptions(copy);
    }

    private EncodeOptions with(int index, long value) {
        return with(index, (double) Native.notNegative(value));
    }

    /** 0 to 1. */
    public EncodeOptions quality(double quality) {
        return with(QUALITY, quality);
    }

    public EncodeOptions lossless(boolean lossless) {
        return with(LOSSLESS, lossless ? 1L : 0L);
    }

    /** 1 (fastest) to 9; 0 is the default of the format. */
    public EncodeOptions effort(int effort) {
        return with(EFFORT, (long) effort);
    }

    /** Selects the best quality with a file of at most this many bytes. */
    public EncodeOptions maxFileSize(long bytes) {
        return with(MAX_FILE_SIZE, bytes);
    }

    /** Scales down into a box of pixels. */
    public EncodeOptions maxPixelSize(int width, int height) {
        return with(MAX_WIDTH, (long) width).with(MAX_HEIGHT, (long) height);
    }

    public EncodeOptions firstFrameOnly(boolean only) {
        return with(FIRST_FRAME_ONLY, only ? 1L : 0L);
    }

    public EncodeOptions progressive(boolean progressive) {
        return with(PROGRESSIVE, progressive ? 1L : 0L);
    }

    /** JPEG: writes the gain map of a base image, or one for the light above SDR white. */
    public EncodeOptions embedGainMap(boolean embed) {
        return with(EMBED_GAIN_MAP, embed ? 1L : 0L);
    }

    double[] values() {
        return values;
    }
}
