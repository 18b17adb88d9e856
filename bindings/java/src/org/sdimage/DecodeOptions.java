package org.sdimage;

/** Decode options. The defaults: full size, upright, in sRGB. Immutable: each method returns a copy. */
public final class DecodeOptions {
    /** Indices of the values, also for the shim. */
    @java.lang.annotation.Native
    private static final int WIDTH = 0, HEIGHT = 1, SCALE_MODE = 2, PIXEL_FORMAT = 3, FIRST_FRAME_ONLY = 4, APPLY_ORIENTATION = 5,
            CONVERT_TO_SRGB = 6, ACCEPT_PARTIAL = 7, LIMIT_BYTES = 8, MAX_PIXELS = 9, MAX_BYTES = 10, DYNAMIC_RANGE = 11,
            DISPLAY_HEADROOM = 12, KEEP_GAIN_MAP = 13, MAX_WORK_MS = 14, COUNT = 15;

    /** The defaults. */
    public static final DecodeOptions DEFAULT =
            new DecodeOptions(new long[COUNT]).with(APPLY_ORIENTATION, true).with(CONVERT_TO_SRGB, true);

    private final long[] values;

    private DecodeOptions(long[] values) {
        this.values = values;
    }

    private DecodeOptions with(int index, long value) {
        long[] copy = values.clone();
        copy[index] = Native.notNegative(value);
        return new DecodeOptions(copy);
    }

    private DecodeOptions with(int index, boolean value) {
        return with(index, value ? 1 : 0);
    }

    /** A box in pixels. The image is scaled down into it while it is decoded; nothing is enlarged. */
    public DecodeOptions thumbnail(int width, int height) {
        return with(WIDTH, width).with(HEIGHT, height).with(SCALE_MODE, ScaleMode.ASPECT_FIT.number);
    }

    /** The same with another fit than ASPECT_FIT. */
    public DecodeOptions thumbnail(int width, int height, ScaleMode mode) {
        return thumbnail(width, height).with(SCALE_MODE, mode.number);
    }

    /** Default AUTOMATIC: gray, RGB or RGBA with 8 bits a channel; NATIVE keeps the depth of the file. */
    public DecodeOptions pixelFormat(PixelFormat format) {
        return with(PIXEL_FORMAT, format.number);
    }

    /** Default SDR; the others decode an image that has more than the range of SDR to RGBA_FLOAT. */
    public DecodeOptions dynamicRange(DynamicRange range) {
        return with(DYNAMIC_RANGE, range.number);
    }

    /** The headroom of the display for DynamicRange.AUTOMATIC, in stops above SDR white. Negative numbers count as 0. */
    public DecodeOptions displayHeadroom(double stops) {
        return with(DISPLAY_HEADROOM, Double.doubleToLongBits(Math.max(stops, 0)));
    }

    /** Default false; true leaves the base image with its gain map, for Image.applyGainMap and EncodeOptions.embedGainMap. */
    public DecodeOptions keepGainMap(boolean keep) {
        return with(KEEP_GAIN_MAP, keep);
    }

    /** Default false; true decodes an animation as a still. */
    public DecodeOptions firstFrameOnly(boolean only) {
        return with(FIRST_FRAME_ONLY, only);
    }

    /** Default true. */
    public DecodeOptions applyOrientation(boolean apply) {
        return with(APPLY_ORIENTATION, apply);
    }

    /** Default true. */
    public DecodeOptions convertToSrgb(boolean convert) {
        return with(CONVERT_TO_SRGB, convert);
    }

    /** Default false: truncated or damaged bytes are an error. */
    public DecodeOptions acceptPartial(boolean accept) {
        return with(ACCEPT_PARTIAL, accept);
    }

    /** Scales down until the bitmap takes at most this many bytes; 0 is no limit. */
    public DecodeOptions limitBytes(long bytes) {
        return with(LIMIT_BYTES, bytes);
    }

    /** A safety limit for the number of pixels in the header; 0 is the library's limit. */
    public DecodeOptions maxPixels(long pixels) {
        return with(MAX_PIXELS, pixels);
    }

    /** A safety limit for the bytes of the bitmap; 0 is the library's limit. */
    public DecodeOptions maxBytes(long bytes) {
        return with(MAX_BYTES, bytes);
    }

    /** A safety limit for the milliseconds of work; 0 is the library's limit. */
    public DecodeOptions maxWorkMs(long milliseconds) {
        return with(MAX_WORK_MS, Native.unsigned(milliseconds));
    }

    long[] values() {
        return values;
    }
}
