package org.sdimage;

import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A loader at work: its threads, one for each load, and what they are doing. Daemons: no program waits for them. */
final class LoaderThreads {
    private static final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "sdimage-loader");
        thread.setDaemon(true);
        return thread;
    });

    private final Loader loader;
    private final Map<Long, Work> running = new ConcurrentHashMap<>();

    LoaderThreads(Loader loader) {
        this.loader = loader;
    }

    /** Takes the reference to the sink over. */
    void start(String url, long sink) {
        Work work = new Work(new LoaderRequest(url, sink), sink);
        running.put(sink, work);
        threads.execute(work);
    }

    void cancel(long sink) {
        Work work = running.get(sink);
        if (work != null) {
            work.cancel();
        }
    }

    private final class Work implements Runnable {
        private final LoaderRequest request;
        private final long sink;
        private Thread thread;

        Work(LoaderRequest request, long sink) {
            this.request = request;
            this.sink = sink;
        }

        synchronized void cancel() {
            request.cancel();
            if (thread != null) {
                thread.interrupt();
            }
        }

        private synchronized void runsOn(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void run() {
            runsOn(Thread.currentThread());
            try {
                copy(loader.load(request));
                Native.sinkFinish(sink, null, null);
            } catch (Throwable thrown) {
                fail(thrown);
            }
            runsOn(null);
            Thread.interrupted(); // the thread is the pool's
            running.remove(sink);
            request.end();
            Native.unref(Handle.SINK, sink);
        }

        private void copy(InputStream stream) throws Exception {
            try (stream) {
                byte[] piece = new byte[32768];
                for (int length; (length = stream.read(piece)) >= 0; ) {
                    Native.sinkWrite(sink, piece, length);
                }
            }
        }

        private void fail(Throwable thrown) {
            String code = request.isCancelled() ? "CANCELLED" : "INTERNAL_ERROR";
            if (thrown instanceof SdimageException) {
                code = ((SdimageException) thrown).code();
            }
            String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
            Native.sinkFinish(sink, code, Native.bytes(message));
        }
    }
}
