//! Shared parts of the tests: the origin that Tests/bindings/rust.sh starts, an executor, a drop counter.
#![allow(dead_code)]

use std::env;
use std::fs;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use sdimage::{CacheConfig, Manager, ManagerConfig};

/// A URL of the origin.
pub fn url(name: &str) -> String {
    env::var("ORIGIN").expect("ORIGIN: run Tests/bindings/rust.sh") + name
}

/// A file that the origin serves.
pub fn picture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../Tests/fixtures/pictures");
    fs::read(folder.join(name)).expect(name)
}

/// A new folder.
pub fn folder() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    place
}

pub fn in_memory() -> Manager {
    Manager::with(ManagerConfig::new().cache(&CacheConfig::new().memory_only().open().unwrap())).unwrap()
}

/// The longest wait for an event, which only ends a hang.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Polls, for conditions without an event.
pub fn becomes_true(condition: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Counts live objects.
pub struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub fn new(alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(alive))
    }
}

impl Counted {
    /// For closures that must own it.
    pub fn touch(&self) {}
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub struct Unpark {
    thread: Thread,
    pub wakes: AtomicUsize,
}

impl Unpark {
    pub fn here() -> Arc<Self> {
        Arc::new(Self { thread: thread::current(), wakes: AtomicUsize::new(0) })
    }
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Unpark::here());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
