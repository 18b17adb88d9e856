package org.sdimage;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A load under way: a future that fails with an SdimageException. Cancelling it cancels the load; futures that are made of it
 * do not.
 */
public final class Load extends CompletableFuture<Result> {
    /** A manager that is collected would end the load, which is held itself until the library has told its end. */
    private volatile Manager manager;
    private final Executor executor;
    private final LoadListener listener;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean isBusy;
    private Handle task;

    Load(Manager manager, Executor executor, LoadListener listener) {
        this.manager = manager;
        this.executor = executor;
        this.listener = listener;
    }

    synchronized void begin(long pointer) {
        task = new Handle(this, Handle.TASK, pointer);
        if (isDone()) {
            task.close();
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean isCancelled = super.cancel(mayInterrupt);
        synchronized (this) {
            if (isCancelled && task != null) {
                task.useIfOpen(Native::taskCancel);
            }
        }
        return isCancelled;
    }

    /** On a thread of the library: only hands on. What cannot be told as it is ends the load. */
    void onResult(long pointer) {
        try {
            Result result = new Result(pointer);
            if (result.kind() == Result.Kind.FINAL) {
                later(() -> end(result));
            } else if (listener != null) {
                later(() -> listener.partial(result));
            }
        } catch (Throwable broken) {
            failLater(broken);
        }
    }

    private void failLater(Throwable broken) {
        try {
            later(() -> fail(broken));
        } catch (Throwable again) { // without memory for that
            fail(broken);
        }
    }

    /** Nothing comes any more. */
    void onDestroy() {
        manager = null;
    }

    void onProgress(long received, long expected) {
        if (listener != null) {
            later(() -> listener.progress(received, expected));
        }
    }

    private void end(Result result) {
        // A stale picture comes with the error of its renewal: that is a result.
        if (result.image() == null && result.error() != null) {
            completeExceptionally(result.error());
        } else {
            complete(result);
        }
        closeTask();
    }

    private void fail(Throwable broken) {
        SdimageException error = new SdimageException("INTERNAL_ERROR", "the result cannot be read: " + broken);
        error.initCause(broken);
        completeExceptionally(broken instanceof SdimageException ? broken : error);
        closeTask();
    }

    private synchronized void closeTask() {
        if (task != null) {
            task.close();
        }
    }

    /** One after another, whatever the executor. */
    private void later(Runnable call) {
        synchronized (this) {
            waiting.add(call);
            if (isBusy) {
                return;
            }
            isBusy = true;
        }
        submit();
    }

    /** Throws nothing. */
    private void runNext() {
        Runnable call;
        synchronized (this) {
            call = waiting.remove();
        }
        try {
            call.run();
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
            // As the machine does with what a handler throws.
        }
    }

    /**
     * Not under the lock: an executor may run the call at once, or wait for others that need it. A load must end, also when
     * its executor was shut down: then on a thread of its own, or else on this one.
     */
    private void submit() {
        AtomicBoolean isTaken = new AtomicBoolean(); // an executor may run the call and throw all the same
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
