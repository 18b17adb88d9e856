package org.sdimage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An image: immutable pixels in memory of the library. Use it from any thread. Closing it is optional and releases the
 * memory at once.
 */
public final class Image implements AutoCloseable {
    /** Indices of the properties, also for the shim. */
    @java.lang.annotation.Native
    private static final int WIDTH = 0, HEIGHT = 1, STRIDE = 2, PIXEL_FORMAT = 3, FORMAT = 4, HAS_ALPHA = 5, SOURCE_WIDTH = 6,
            SOURCE_HEIGHT = 7, FRAME_COUNT = 8, LOOP_COUNT = 9, DURATION_MS = 10, IS_THUMBNAIL = 11, IS_INCREMENTAL = 12,
            HEADROOM = 13, CONTENT_HEADROOM = 14, COUNT = 15;

    private final Handle handle;
    private final long[] fields;

    /** Takes over the reference. */
    Image(long pointer) {
        handle = new Handle(this, Handle.IMAGE, pointer);
        try {
            fields = Native.imageFields(pointer);
        } catch (Throwable refused) {
            handle.close();
            throw refused;
        }
    }

    static Image orNull(long pointer) {
        return pointer == 0 ? null : new Image(pointer);
    }

    /** Decodes, on the calling thread. */
    public static Image decode(byte[] bytes, DecodeOptions options) {
        return new Image(Native.decode(bytes, options.values()));
    }

    public static Image decode(byte[] bytes) {
        return decode(bytes, DecodeOptions.DEFAULT);
    }

    /** Copies pixels: rows from top to bottom, `stride` bytes apart. */
    public static Image ofPixels(int width, int height, int stride, PixelFormat format, byte[] pixels) {
        return new Image(Native.imageNew(width, height, stride, format.number, pixels));
    }

    public int width() {
        return (int) fields[WIDTH];
    }

    public int height() {
        return (int) fields[HEIGHT];
    }

    /** Bytes from one row to the next. */
    public int stride() {
        return (int) fields[STRIDE];
    }

    /** Null for formats of another version. */
    public PixelFormat pixelFormat() {
        return PixelFormat.of(fields[PIXEL_FORMAT]);
    }

    /** The container that the image was decoded from; null for images created from pixels. */
    public Format format() {
        return Format.of(fields[FORMAT]);
    }

    public boolean hasAlpha() {
        return fields[HAS_ALPHA] != 0;
    }

    /** Size of the encoded image: larger than the size of a thumbnail. */
    public int sourceWidth() {
        return (int) fields[SOURCE_WIDTH];
    }

    public int sourceHeight() {
        return (int) fields[SOURCE_HEIGHT];
    }

    /** 1 for a still. */
    public int frameCount() {
        return (int) fields[FRAME_COUNT];
    }

    /** 0 repeats forever. */
    public int loopCount() {
        return (int) fields[LOOP_COUNT];
    }

    /** Duration of one loop in milliseconds. */
    public long durationMs() {
        return fields[DURATION_MS];
    }

    public boolean isThumbnail() {
        return fields[IS_THUMBNAIL] != 0;
    }

    /** True if a part of the image has not arrived. */
    public boolean isIncremental() {
        return fields[IS_INCREMENTAL] != 0;
    }

    /** Headroom of the pixels in stops above SDR white; 0 for SDR. */
    public double headroom() {
        return Double.longBitsToDouble(fields[HEADROOM]);
    }

    /**
     * Headroom of the brightest rendition of the file in stops: that of its gain map if it was applied or kept, or
     * of PQ and HLG; 0 for SDR.
     */
    public double contentHeadroom() {
        return Double.longBitsToDouble(fields[CONTENT_HEADROOM]);
    }

    /**
     * The rows, stride() bytes apart, in the library's own memory: a direct buffer without a copy, read-only, in native
     * byte order. It stays valid as long as it, or a buffer derived from it, is reachable, also after the image is
     * closed.
     */
    public ByteBuffer pixels() {
        return handle.use(image -> {
            ByteBuffer memory = Native.imagePixels(image);
            new Handle(memory, Handle.IMAGE, image);
            // A view refers to `memory`, whose collection releases the reference.
            return memory.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        });
    }

    /** Converts to another pixel format. */
    public Image convert(PixelFormat format) {
        return handle.use(image -> new Image(Native.imageConvert(image, format.number)));
    }

    /**
     * Applies the gain map that DecodeOptions.keepGainMap left, for a display with a headroom in stops; infinity selects
     * the headroom of the content. The result is RGBA_FLOAT, or the same pixels if they are the rendition.
     */
    public Image applyGainMap(double headroom) {
        return handle.use(image -> new Image(Native.imageApplyGainMap(image, headroom)));
    }

    /** A frame of an animation, composed to the whole canvas. */
    public Image frame(int index) {
        return handle.use(image -> new Image(Native.imageFrame(image, index)));
    }

    /** The display duration of a frame in milliseconds. */
    public int frameDurationMs(int index) {
        return handle.use(image -> Native.imageFrameDuration(image, index));
    }

    /** Encodes the image as a file. */
    public byte[] encode(Format format, EncodeOptions options) {
        return handle.use(image -> Native.encode(image, format.number, options.values()));
    }

    public byte[] encode(Format format) {
        return encode(format, EncodeOptions.DEFAULT);
    }

    Handle handle() {
        return handle;
    }

    @Override
    public void close() {
        handle.close();
    }

    @Override
    public String toString() {
        return "Image " + width() + " x " + height() + " " + pixelFormat();
    }
}
