package org.sdimage;

/** Encode options. The default is the best quality. Immutable: each method returns a copy. */
public final class EncodeOptions {
    /** The defaults. */
    public static final EncodeOptions DEFAULT = new EncodeOptions(new double[] {1, 0, 0, 0, 0, 0, 0, 0, 0});

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
        if (value < 0) {
            throw new IllegalArgumentException("a negative number");
        }
        return with(index, (double) value);
    }

    /** 0 to 1. */
    public EncodeOptions quality(double quality) {
        return with(0, quality);
    }

    public EncodeOptions lossless(boolean lossless) {
        return with(1, lossless ? 1L : 0L);
    }

    /** 1 (fastest) to 9; 0 is the default of the format. */
    public EncodeOptions effort(int effort) {
        return with(2, (long) effort);
    }

    /** Selects the best quality with a file of at most this many bytes. */
    public EncodeOptions maxFileSize(long bytes) {
        return with(3, bytes);
    }

    /** Scales down into a box of pixels. */
    public EncodeOptions maxPixelSize(int width, int height) {
        return with(4, (long) width).with(5, (long) height);
    }

    public EncodeOptions firstFrameOnly(boolean only) {
        return with(6, only ? 1L : 0L);
    }

    public EncodeOptions progressive(boolean progressive) {
        return with(7, progressive ? 1L : 0L);
    }

    /** JPEG: writes the gain map of a base image, or one for the light above SDR white. */
    public EncodeOptions embedGainMap(boolean embed) {
        return with(8, embed ? 1L : 0L);
    }

    double[] values() {
        return values;
    }
}
