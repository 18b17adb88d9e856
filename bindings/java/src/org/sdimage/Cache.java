package org.sdimage;

import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/** A memory and a disk cache. Calls that may touch the disk block. Use it from any thread. */
public final class Cache implements AutoCloseable {
    /** The location and the limits of a cache. */
    public static final class Builder {
        private String directory;
        private String name;
        private boolean isMemoryOnly;
        private long maxMemoryCost;
        private long maxMemoryCount;
        private long maxDiskSize;
        private Long maxDiskAge;

        private Builder() {}

        /** Default: $XDG_CACHE_HOME/sdimage. */
        public Builder directory(Path directory) {
            this.directory = directory.toString();
            return this;
        }

        public Builder namespace(String name) {
            this.name = Native.checked(name);
            return this;
        }

        public Builder memoryOnly() {
            isMemoryOnly = true;
            return this;
        }

        /** Bytes of pixels; 0 is no limit. */
        public Builder maxMemoryCost(long bytes) {
            maxMemoryCost = Native.notNegative(bytes);
            return this;
        }

        /** Number of images in memory; 0 is no limit. */
        public Builder maxMemoryCount(long count) {
            maxMemoryCount = Native.notNegative(count);
            return this;
        }

        /** Bytes on disk; 0 is no limit. */
        public Builder maxDiskSize(long bytes) {
            maxDiskSize = Native.notNegative(bytes);
            return this;
        }

        /** Seconds after the last access; negative: an entry never expires. Default 604800, a week. */
        public Builder maxDiskAge(long seconds) {
            maxDiskAge = seconds;
            return this;
        }

        public Cache build() {
            boolean hasMaxDiskAge = maxDiskAge != null;
            return new Cache(Native.cacheNew(
                    Native.bytes(directory), Native.bytes(name), isMemoryOnly, maxMemoryCost, maxMemoryCount, maxDiskSize,
                    hasMaxDiskAge, hasMaxDiskAge ? maxDiskAge : 0));
        }
    }

    private final Handle handle;

    private Cache(long pointer) {
        handle = new Handle(this, Handle.CACHE, pointer);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The image in memory; null when there is none. */
    public Image memoryImage(String key) {
        return call(cache -> Image.orNull(Native.cacheMemoryImage(cache, Native.bytes(key))));
    }

    public void setMemoryImage(String key, Image image) {
        image.handle().use(picture -> run(cache -> Native.cacheSetMemoryImage(cache, Native.bytes(key), picture)));
    }

    /** From memory, or decoded from the disk; null when there is none. */
    public Image image(String key, DecodeOptions options) {
        return call(cache -> Image.orNull(Native.cacheImage(cache, Native.bytes(key), options.values())));
    }

    /** The bytes of an entry; null when there is none. */
    public byte[] data(String key) {
        return call(cache -> Native.cacheData(cache, Native.bytes(key)));
    }

    /** Stores an image, its bytes, or both (the other is null), and returns when they are committed. */
    public void store(String key, Image image, byte[] data, CacheLayers layers) {
        LongFunction<Void> store = picture ->
                run(cache -> Native.cacheStore(cache, Native.bytes(key), picture, data, layers.number));
        if (image == null) {
            store.apply(0);
        } else {
            image.handle().use(store);
        }
    }

    /** The layers that hold an entry. */
    public CacheLayers contains(String key) {
        return call(cache -> CacheLayers.of(Native.cacheContains(cache, Native.bytes(key)) & CacheLayers.ALL.number));
    }

    public void remove(String key, CacheLayers layers) {
        run(cache -> Native.cacheRemove(cache, Native.bytes(key), layers.number));
    }

    public void clear(CacheLayers layers) {
        run(cache -> Native.cacheClear(cache, layers.number));
    }

    /** Returns when all earlier stores are committed. */
    public void flush() {
        run(Native::cacheFlush);
    }

    public long diskBytes() {
        return call(Native::cacheDiskBytes);
    }

    public long diskCount() {
        return call(Native::cacheDiskCount);
    }

    /** Commits pending stores and closes the disk part. Repeated calls are harmless. */
    @Override
    public void close() {
        try {
            handle.useIfOpen(Native::cacheClose);
        } finally {
            handle.close();
        }
    }

    Handle handle() {
        return handle;
    }

    private <T> T call(LongFunction<T> function) {
        return handle.use(function);
    }

    private Void run(LongConsumer action) {
        return handle.use(cache -> {
            action.accept(cache);
            return null;
        });
    }
}
