package org.sdimage;

/** Functions of the library as a whole. */
public final class Sdimage {
    private Sdimage() {}

    /** The version of the library, "1.2.3". */
    public static String version() {
        return Native.version();
    }

    /** The diagnostics for a bug report, as a JSON object. */
    public static String doctor() {
        return Native.string(Native.doctor());
    }

    /** The metrics of the process in the Prometheus text format. */
    public static String metrics() {
        return Native.string(Native.metrics());
    }

    /**
     * The properties in a header, as a JSON object: "format", "width", "height", "frame_count", … as sdimage_info_to_json
     * reports them.
     */
    public static String info(byte[] bytes) {
        return Native.string(Native.info(bytes));
    }

    /** Detects the format by its signature; null when none matches. */
    public static Format sniff(byte[] bytes) {
        return Format.of(Native.sniff(bytes));
    }

    /** The number of library objects that this program holds, for leak tests. */
    public static long liveHandles() {
        return Handle.live();
    }
}
