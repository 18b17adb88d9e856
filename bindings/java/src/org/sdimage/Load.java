package org.sdimage;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A load in progress: a future that fails with an SdimageException. Cancelling it cancels the load; cancelling futures
 * derived from it does not.
 */
public final class Load extends CompletableFuture<Result> {
    /** The kind of a call that reports progress; others have the kind of their delivery. */
    private static final Object PROGRESS = new Object();

    private record Call(Image image, Runnable body) {}

    /**
     * Keeps the manager reachable: its collection would end the load. The load itself is held until the library reports
     * its end.
     */
    private volatile Manager manager;
    private final Executor executor;
    private final LoadListener listener;
    /** Calls to make, by kind: while the executor is behind, a newer one takes the place of an older one. */
    private final Map<Object, Call> waiting = new LinkedHashMap<>();
    private boolean isBusy;
    private Handle task;
    private Priority lastPriority = Priority.NORMAL;

    Load(Manager manager, Executor executor, LoadListener listener) {
        this.manager = manager;
        this.executor = executor;
        this.listener = listener;
    }

    synchronized void begin(long pointer) {
        task = new Handle(this, Handle.TASK, pointer);
        if (isDone()) {
            closeTask();
        }
    }

    /** The current priority: that of the request until it is changed. */
    public synchronized Priority priority() {
        if (task != null) {
            task.useIfOpen(open -> {
                Priority known = Priority.of(Native.taskPriority(open));
                lastPriority = known == null ? lastPriority : known;
            });
        }
        return lastPriority;
    }

    /**
     * Changes the priority, for example when the image scrolls into view or out of it. Takes effect while the load is
     * queued, for its transfer or for its decode.
     */
    public synchronized void setPriority(Priority priority) {
        int number = priority.number;
        lastPriority = priority;
        if (task != null) {
            task.useIfOpen(open -> Native.taskSetPriority(open, number));
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean isCancelled = super.cancel(mayInterrupt);
        Handle started;
        synchronized (this) {
            started = task;
        }
        // Outside the lock: the end may be delivered within the call.
        if (isCancelled && started != null) {
            started.useIfOpen(Native::taskCancel);
        }
        return isCancelled;
    }

    /** Called on a thread of the library; only forwards. A result that cannot be delivered ends the load. */
    void onResult(long pointer) {
        try {
            Result result = new Result(pointer);
            if (result.kind() == DeliveryKind.FINAL) {
                later(result.kind(), null, () -> end(result));
            } else if (listener != null) {
                later(result.kind(), result.image(), () -> listener.partial(result));
            }
        } catch (Throwable broken) {
            failLater(broken);
        }
    }

    private void failLater(Throwable broken) {
        try {
            later(DeliveryKind.FINAL, null, () -> fail(broken));
        } catch (Throwable again) { // no memory for that
            fail(broken);
        }
    }

    /** No further calls follow. */
    void onDestroy() {
        manager = null;
    }

    void onProgress(long received, long expected) {
        if (listener != null) {
            later(PROGRESS, null, () -> listener.progress(received, expected));
        }
    }

    private void end(Result result) {
        // A stale image is delivered with the error of its failed revalidation: the load still has a result.
        if (result.image() == null && result.error() != null) {
            completeExceptionally(result.error());
        } else {
            complete(result);
        }
        closeTask();
    }

    private void fail(Throwable broken) {
        SdimageException error = new SdimageException("INTERNAL_ERROR", "load: result cannot be read (" + broken + ")");
        error.initCause(broken);
        completeExceptionally(broken instanceof SdimageException ? broken : error);
        closeTask();
    }

    private synchronized void closeTask() {
        if (task != null) {
            priority(); // stays available
            task.close();
        }
    }

    /** Serializes calls, whatever the executor. The image of a call that is replaced before it was made is released. */
    private void later(Object kind, Image image, Runnable body) {
        Call call = new Call(image, body), replaced;
        boolean wasBusy;
        synchronized (this) {
            replaced = waiting.put(kind, call);
            wasBusy = isBusy;
            isBusy = true;
        }
        if (replaced != null && replaced.image != null) {
            replaced.image.close();
        }
        if (!wasBusy) {
            submit();
        }
    }

    /** Never throws. */
    private void runNext() {
        Call call;
        synchronized (this) {
            Iterator<Call> first = waiting.values().iterator();
            call = first.next();
            first.remove();
        }
        try {
            call.body.run();
        } catch (Throwable thrown) {
            report(thrown);
        }
        synchronized (this) {
            isBusy = !waiting.isEmpty();
            if (!isBusy) {
                return;
            }
        }
        submit();
    }

    private static void report(Throwable thrown) {
        try {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable ignored) {
            // As the virtual machine does with exceptions of a handler.
        }
    }

    /**
     * Called outside the lock: an executor may run the call at once, or wait for others that need the lock. A load must
     * end even if its executor was shut down: then on a thread of its own, or else on this one.
     */
    private void submit() {
        AtomicBoolean isTaken = new AtomicBoolean(); // an executor may run the call and still throw
        Runnable next = () -> {
            if (isTaken.compareAndSet(false, true)) {
                runNext();
            }
        };
        try {
            executor.execute(next);
        } catch (Throwable refused) {
            runAlone(next);
        }
    }

    private static void runAlone(Runnable next) {
        try {
            new Thread(next, "sdimage-late").start();
        } catch (Throwable refused) {
            next.run();
        }
    }
}
