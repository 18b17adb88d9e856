package org.sdimage;

import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A running loader: its threads, one per load, and their work. They are daemons: no program waits for them. */
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

    /** Takes over the reference to the sink. */
    void start(byte[] url, long sink) {
        Work work;
        try {
            work = new Work(new LoaderRequest(Native.string(url), sink), sink);
            running.put(sink, work);
        } catch (Throwable refused) {
            Native.unref(Handle.SINK, sink);
            throw refused;
        }
        if (Native.sinkIsCancelled(sink)) {
            work.cancel(); // cancel() may have come before the work was registered
        }
        try {
            threads.execute(work);
        } catch (Throwable refused) { // such as when no more threads can be created
            work.refuse(refused);
        }
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
            if (thread != null && request.isCancelled()) {
                thread.interrupt();
            }
        }

        void refuse(Throwable refused) {
            try {
                fail(refused);
            } finally {
                end();
            }
        }

        @Override
        public void run() {
            runsOn(Thread.currentThread());
            try {
                copy(loader.load(request));
                Native.sinkFinish(sink, null, null);
            } catch (Throwable thrown) {
                fail(thrown);
            } finally {
                runsOn(null);
                Thread.interrupted(); // the thread belongs to the pool
                end();
            }
        }

        /** A sink that is released without finish ends the load with an error. */
        private void end() {
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
            Native.sinkFinish(sink, code, Native.bytes(textOf(thrown)));
        }

        /** Calls code of the program, which may throw. */
        private String textOf(Throwable thrown) {
            try {
                String message = thrown.getMessage();
                return message == null ? thrown.toString() : message;
            } catch (Throwable again) {
                return thrown.getClass().getName();
            }
        }
    }
}
