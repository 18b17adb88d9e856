package org.sdimage;

import java.io.File;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The functions of the shim, and the calls that it makes. Objects of the library are addresses. Text is UTF-8 in
 * arrays, because JNI uses modified UTF-8. The indices of arrays of options and properties are constants of their
 * classes, which the shim includes; a double among whole numbers is given by its bits.
 */
final class Native {
    private Native() {}

    /** The loads by token. The library holds the token only, no Java object. */
    private static final Map<Long, Load> loads = new ConcurrentHashMap<>();

    /** Held by their managers, to which they may refer: a strong reference here would keep both. */
    private static final Map<Long, WeakReference<LoaderThreads>> loaders = new ConcurrentHashMap<>();

    private static final AtomicLong last = new AtomicLong();

    /** The maximum of the unsigned numbers of 32 bits. */
    static final long UNSIGNED_MAX = 0xffffffffL;

    static {
        String file = System.getProperty("org.sdimage.library");
        if (file != null) {
            System.load(new File(file).getAbsolutePath());
        } else {
            System.loadLibrary("sdimage_jni");
        }
    }

    static native void unref(int kind, long pointer);

    static native String version();

    static native byte[] doctor();

    static native byte[] metrics();

    static native int sniff(byte[] bytes);

    static native byte[] info(byte[] bytes);

    static native long decode(byte[] bytes, long[] options);

    static native byte[] encode(long image, int format, double[] options);

    static native long imageNew(int width, int height, int stride, int pixelFormat, byte[] pixels);

    static native long[] imageFields(long image);

    /** Returns a separate reference, to be released with unref. */
    static native ByteBuffer imagePixels(long image);

    static native long imageApplyGainMap(long image, double headroom);

    static native long imageConvert(long image, int pixelFormat);

    static native long imageFrame(long image, int index);

    static native int imageFrameDuration(long image, int index);

    static native int pixelBytes(int pixelFormat);

    static native long cacheNew(
            byte[] directory,
            byte[] name,
            boolean isMemoryOnly,
            long maxMemoryCost,
            long maxMemoryCount,
            long maxDiskSize,
            boolean hasMaxDiskAge,
            long maxDiskAge);

    static native long cacheMemoryImage(long cache, byte[] key);

    static native void cacheSetMemoryImage(long cache, byte[] key, long image);

    static native long cacheImage(long cache, byte[] key, long[] options);

    static native byte[] cacheData(long cache, byte[] key);

    static native void cacheStore(long cache, byte[] key, long image, byte[] data, int layers);

    static native int cacheContains(long cache, byte[] key);

    static native void cacheRemove(long cache, byte[] key, int layers);

    static native void cacheClear(long cache, int layers);

    static native void cacheFlush(long cache);

    static native void cacheClose(long cache);

    static native long cacheDiskBytes(long cache);

    static native long cacheDiskCount(long cache);

    /** A cache of 0 is that of the process, unless `hasNoCache`. */
    static native long managerNew(
            long cache,
            boolean hasNoCache,
            long[] loaders,
            int freshness,
            boolean hasRetryAfter,
            long retryAfter,
            boolean ignoresSignatures);

    static native long managerStart(
            long manager, byte[] url, byte[] key, byte[][] fields, long[] decode, long[] options, long token);

    static native void managerClose(long manager, int milliseconds);

    static native void managerFlush(long manager, long milliseconds);

    static native void managerCancelAll(long manager);

    static native long managerRunningCount(long manager);

    static native boolean managerIsOffline(long manager);

    static native void managerSetOffline(long manager, boolean isOffline);

    static native void managerForgetFailed(long manager);

    static native void taskCancel(long task);

    static native int taskPriority(long task);

    static native void taskSetPriority(long task, int priority);

    static native int resultKind(long result);

    static native boolean resultIsChanged(long result);

    static native boolean resultIsStale(long result);

    static native long resultTimeNs(long result, int stage);

    /** Return separate references; 0 if there is none. */
    static native long resultImage(long result);

    static native long resultData(long result);

    static native byte[] resultUrl(long result);

    static native byte[] resultCacheKey(long result);

    static native byte[] resultSource(long result);

    static native byte[] resultFreshness(long result);

    static native SdimageException resultError(long result);

    static native ByteBuffer dataBytes(long data);

    static native long loaderNew(byte[][] schemes, long token);

    static native void sinkExpect(long sink, long length);

    static native void sinkWrite(long sink, byte[] bytes, int length);

    static native boolean sinkIsCancelled(long sink);

    /** A null code completes the load with the bytes written. */
    static native void sinkFinish(long sink, String code, byte[] message);

    /** Returns the text; refuses a NUL, which would end it in C. */
    static String checked(String text) {
        if (text != null && text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("argument: text contains a NUL");
        }
        return text;
    }

    /** Returns the number; refuses one that a conversion to an unsigned type would wrap. */
    static long notNegative(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("argument: number is negative (" + value + ")");
        }
        return value;
    }

    /** The same for 32 bits. */
    static long unsigned(long value) {
        if (value < 0 || value > UNSIGNED_MAX) {
            throw new IllegalArgumentException("argument: number is out of range (" + value + ", limit " + UNSIGNED_MAX + ")");
        }
        return value;
    }

    static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static long register(Load load) {
        long token = last.incrementAndGet();
        loads.put(token, load);
        return token;
    }

    static long register(LoaderThreads loader) {
        long token = last.incrementAndGet();
        loaders.put(token, new WeakReference<>(loader));
        return token;
    }

    // --- Called by the shim, on threads of the library: no exception may leave these.

    private static SdimageException exception(String code, byte[] message, int status, byte[] url, boolean isTransient) {
        return new SdimageException(code, string(message), status, string(url), isTransient);
    }

    private static void onResult(long token, long result) {
        Load load = loads.get(token);
        if (load != null) {
            load.onResult(result);
        } else {
            unref(Handle.RESULT, result);
        }
    }

    private static void onProgress(long token, long received, long expected) {
        Load load = loads.get(token);
        if (load != null) {
            load.onProgress(received, expected);
        }
    }

    /** The loader of a token; null after it has ended, or its manager was collected. */
    private static LoaderThreads loaderOf(long token) {
        WeakReference<LoaderThreads> found = loaders.get(token);
        return found == null ? null : found.get();
    }

    private static void onLoad(long token, byte[] url, long sink) {
        LoaderThreads loader = loaderOf(token);
        if (loader != null) {
            loader.start(url, sink);
        } else {
            sinkFinish(sink, "SHUTDOWN", bytes("loader: already released"));
            unref(Handle.SINK, sink);
        }
    }

    private static void onCancel(long token, long sink) {
        LoaderThreads loader = loaderOf(token);
        if (loader != null) {
            loader.cancel(sink);
        }
    }

    /** No further calls for the token follow. */
    private static void onDestroy(long token) {
        Load load = loads.remove(token);
        if (load != null) {
            load.onDestroy();
        }
        loaders.remove(token);
    }
}
