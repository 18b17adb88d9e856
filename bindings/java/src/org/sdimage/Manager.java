package org.sdimage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongFunction;

/** Loads images through memory, disk and network. Use it from any thread. */
public final class Manager implements AutoCloseable {
    /** The configuration of a manager. */
    public static final class Builder {
        private Cache cache;
        private boolean hasNoCache;
        private final Map<String, Loader> loaders = new LinkedHashMap<>();
        private Executor executor = ForkJoinPool.commonPool();
        private Freshness freshness = Freshness.IGNORE;
        private Long retryAfter;
        private boolean ignoresSignatures;

        private Builder() {}

        /** Default: the cache that all managers of the process share. */
        public Builder cache(Cache cache) {
            this.cache = cache;
            return this;
        }

        public Builder noCache() {
            hasNoCache = true;
            return this;
        }

        /** Adds a loader for the URLs of a scheme, "" for all. It is tried before the built-in loaders. */
        public Builder loader(String scheme, Loader loader) {
            loaders.put(scheme, loader);
            return this;
        }

        /** Sets the executor that calls listeners and completes futures. Default: ForkJoinPool.commonPool(). */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        public Builder freshness(Freshness freshness) {
            this.freshness = freshness;
            return this;
        }

        /**
         * Seconds for which a permanently failed URL is not requested again; negative: until forgetFailed(). Default
         * 300.
         */
        public Builder failedUrlRetryAfter(long seconds) {
            retryAfter = seconds;
            return this;
        }

        public Builder ignoreSignatures() {
            ignoresSignatures = true;
            return this;
        }

        public Manager build() {
            long[] pointers = new long[loaders.size()];
            List<LoaderThreads> held = new ArrayList<>();
            int count = 0;
            try {
                for (Map.Entry<String, Loader> each : loaders.entrySet()) {
                    byte[][] schemes = each.getKey().isEmpty() ? new byte[0][] : new byte[][] {Native.bytes(each.getKey() + ":")};
                    LoaderThreads threads = new LoaderThreads(each.getValue());
                    held.add(threads);
                    pointers[count++] = Native.loaderNew(schemes, Native.register(threads));
                }
                LongFunction<Manager> make = pointer -> new Manager(newManager(pointer, pointers), executor, held);
                return cache == null ? make.apply(0) : cache.handle().use(make);
            } finally {
                for (int index = 0; index < count; index++) {
                    Native.unref(Handle.LOADER, pointers[index]);
                }
            }
        }

        private long newManager(long cache, long[] loaders) {
            boolean hasRetryAfter = retryAfter != null;
            return Native.managerNew(
                    cache, hasNoCache, loaders, freshness.number, hasRetryAfter, hasRetryAfter ? retryAfter : 0, ignoresSignatures);
        }
    }

    private final Handle handle;
    private final Executor executor;
    /** Keeps its loaders reachable. */
    private final List<LoaderThreads> loaders;

    private Manager(long pointer, Executor executor, List<LoaderThreads> loaders) {
        handle = new Handle(this, Handle.MANAGER, pointer);
        this.executor = executor;
        this.loaders = loaders;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts a load. */
    public Load load(String url) {
        return load(Request.of(url), null);
    }

    public Load load(Request request) {
        return load(request, null);
    }

    /** Starts a load with a listener, which may be null. */
    public Load load(Request request, LoadListener listener) {
        byte[] url = Native.bytes(request.url), key = Native.bytes(request.cacheKey);
        byte[][] fields = request.fields.stream().map(Native::bytes).toArray(byte[][]::new);
        long[] decode = request.decode.values();
        return handle.use(manager -> {
            Load load = new Load(this, executor, listener);
            // A failed call releases the token itself.
            load.begin(Native.managerStart(manager, url, key, fields, decode, request.values(), Native.register(load)));
            return load;
        });
    }

    public void cancelAll() {
        handle.run(Native::managerCancelAll);
    }

    /** The number of loads without a final result. */
    public long runningCount() {
        return handle.use(Native::managerRunningCount);
    }

    public boolean isOffline() {
        return handle.use(Native::managerIsOffline);
    }

    /** Switches network loading off and on again. */
    public void setOffline(boolean isOffline) {
        handle.run(manager -> Native.managerSetOffline(manager, isOffline));
    }

    /** Forgets all failed URLs. */
    public void forgetFailed() {
        handle.run(Native::managerForgetFailed);
    }

    /** Returns when the stores of finished loads are committed, images that are still being encoded for the cache included. */
    public void flush() {
        flush(Native.UNSIGNED_MAX);
    }

    /** The same with a limit; fails with TIMEOUT after it. */
    public void flush(long timeoutMs) {
        long limit = Native.unsigned(timeoutMs);
        handle.run(manager -> Native.managerFlush(manager, limit));
    }

    /** Accepts no more loads and ends the running ones with SHUTDOWN; their futures may complete a little later. */
    @Override
    public void close() {
        handle.useIfOpen(manager -> Native.managerClose(manager, 10000));
        handle.close();
    }
}
