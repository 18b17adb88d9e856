package org.sdimage;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The parameters of a load. Immutable: each method returns a copy. */
public final class Request {
    /** Indices of the values, also for the shim. */
    @java.lang.annotation.Native
    private static final int PRIORITY = 0, SOURCE_POLICY = 1, FRESHNESS = 2, PROGRESSIVE = 3, PROGRESSIVE_INTERVAL_MS = 4,
            INCLUDE_DATA = 5, WAIT_FOR_STORE = 6, RETRY_FAILED = 7, TIMEOUT_MS = 8, CACHE_POLICY = 9, MAX_RETRIES = 10,
            MAX_BODY_BYTES = 11, COUNT = 12;

    /** The freshness of the manager, and the number of retries of the downloader. */
    @java.lang.annotation.Native
    private static final int FRESHNESS_OF_MANAGER = -1, RETRIES_OF_DOWNLOADER = -1;

    private final long[] values;
    final String url;
    final String cacheKey;
    /** Names and values; not changed. */
    final List<String> fields;
    final DecodeOptions decode;

    private Request(String url, String cacheKey, List<String> fields, DecodeOptions decode, long[] values) {
        this.url = url;
        this.cacheKey = cacheKey;
        this.fields = fields;
        this.decode = decode;
        this.values = values;
    }

    public static Request of(String url) {
        return new Request(url, null, List.of(), DecodeOptions.DEFAULT, new long[COUNT])
                .with(FRESHNESS, FRESHNESS_OF_MANAGER).with(MAX_RETRIES, RETRIES_OF_DOWNLOADER);
    }

    private Request with(int index, long value) {
        long[] copy = values.clone();
        copy[index] = value;
        return new Request(url, cacheKey, fields, decode, copy);
    }

    /** A box in pixels that the image is scaled down into. */
    public Request thumbnail(int width, int height) {
        return decode(decode.thumbnail(width, height));
    }

    /** The same with another fit than ASPECT_FIT. */
    public Request thumbnail(int width, int height, ScaleMode mode) {
        return decode(decode.thumbnail(width, height, mode));
    }

    public Request decode(DecodeOptions options) {
        return new Request(url, cacheKey, fields, options, values);
    }

    /** Replaces the URL as the cache key. */
    public Request cacheKey(String key) {
        return new Request(url, key, fields, decode, values);
    }

    /** Sets a field of the HTTP request; null omits it, even if the library has a default for it, such as Accept. */
    public Request header(String name, String value) {
        List<String> more = new ArrayList<>(fields); // not List.copyOf, which refuses null
        more.add(Native.checked(Objects.requireNonNull(name, "header: name is null")));
        more.add(Native.checked(value));
        return new Request(url, cacheKey, more, decode, values);
    }

    public Request priority(Priority priority) {
        return with(PRIORITY, priority.number);
    }

    /** The sources that the load may use. Default ANY. */
    public Request sourcePolicy(SourcePolicy policy) {
        return with(SOURCE_POLICY, policy.number);
    }

    /** The use of the cache: all given exceptions from the default together. */
    public Request cachePolicy(CachePolicy... exceptions) {
        int bits = 0;
        for (CachePolicy each : exceptions) {
            bits |= each.number;
        }
        return with(CACHE_POLICY, bits);
    }

    /** Default: that of the manager. */
    public Request freshness(Freshness freshness) {
        return with(FRESHNESS, freshness.number);
    }

    /** Delivers partial images while bytes arrive, at most once per interval. */
    public Request progressive(long intervalMs) {
        return with(PROGRESSIVE, 1).with(PROGRESSIVE_INTERVAL_MS, Native.unsigned(intervalMs));
    }

    /** Delivers the encoded bytes also for images in memory. */
    public Request includeData(boolean include) {
        return with(INCLUDE_DATA, include ? 1 : 0);
    }

    /** Ends after the disk has committed. */
    public Request waitForStore(boolean wait) {
        return with(WAIT_FOR_STORE, wait ? 1 : 0);
    }

    public Request retryFailed(boolean retry) {
        return with(RETRY_FAILED, retry ? 1 : 0);
    }

    /** The timeout of the transfer; 0 uses that of the downloader. */
    public Request timeoutMs(long milliseconds) {
        return with(TIMEOUT_MS, Native.unsigned(milliseconds));
    }

    /** The number of retries after a transient failure. Default: that of the downloader. */
    public Request maxRetries(long count) {
        return with(MAX_RETRIES, Native.unsigned(count));
    }

    /** The largest accepted body, without its content coding; 0 uses the limit of the downloader. */
    public Request maxBodyBytes(long bytes) {
        return with(MAX_BODY_BYTES, Native.notNegative(bytes));
    }

    long[] values() {
        return values;
    }
}
