package org.sdimage;

import java.nio.ByteBuffer;

/** One delivery of a load. */
public final class Result {
    private final DeliveryKind kind;
    private final Image image;
    private final ByteBuffer data;
    private final boolean isChanged;
    private final boolean isStale;
    private final SdimageException error;
    private final String url;
    private final String cacheKey;
    private final String source;
    private final String freshness;
    private final long[] timesNs = new long[Stage.values().length];

    /** Takes over the reference. */
    Result(long pointer) {
        try {
            DeliveryKind known = DeliveryKind.of(Native.resultKind(pointer));
            kind = known == null ? DeliveryKind.PARTIAL : known; // a kind of a later version is not the end
            isChanged = Native.resultIsChanged(pointer);
            isStale = Native.resultIsStale(pointer);
            for (Stage stage : Stage.values()) {
                timesNs[stage.ordinal()] = Native.resultTimeNs(pointer, stage.number);
            }
            // Each reference gets its owner before the next one is taken, so that an exception in between leaks none.
            image = Image.orNull(Native.resultImage(pointer));
            data = bufferOf(Native.resultData(pointer));
            error = Native.resultError(pointer);
            url = Native.string(Native.resultUrl(pointer));
            cacheKey = Native.string(Native.resultCacheKey(pointer));
            source = Native.string(Native.resultSource(pointer));
            freshness = Native.string(Native.resultFreshness(pointer));
        } finally {
            Native.unref(Handle.RESULT, pointer);
        }
    }

    private static ByteBuffer bufferOf(long data) {
        if (data == 0) {
            return null;
        }
        ByteBuffer memory;
        try {
            memory = Native.dataBytes(data);
        } catch (Throwable refused) {
            Native.unref(Handle.DATA, data);
            throw refused;
        }
        new Handle(memory, Handle.DATA, data);
        return memory.asReadOnlyBuffer();
    }

    public DeliveryKind kind() {
        return kind;
    }

    /** Null after a cache-only load that found nothing. */
    public Image image() {
        return image;
    }

    /** The encoded bytes, if the load had them; otherwise null. Read-only, not copied. */
    public ByteBuffer data() {
        return data == null ? null : data.duplicate();
    }

    /** For a refresh: true if the image differs from the cached one. */
    public boolean isChanged() {
        return isChanged;
    }

    /** True if the image is stale and could not be revalidated; error() has the reason. */
    public boolean isStale() {
        return isStale;
    }

    public SdimageException error() {
        return error;
    }

    public String url() {
        return url;
    }

    public String cacheKey() {
        return cacheKey;
    }

    /** "memory", "disk", "remote", "network", "loader" or "none". */
    public String source() {
        return source;
    }

    /** The freshness rule that applied: "max_age", "refresh", …, or "none". */
    public String freshness() {
        return freshness;
    }

    /** Nanoseconds spent in a stage; 0 if it did not run. */
    public long timeNs(Stage stage) {
        return timesNs[stage.ordinal()];
    }
}
