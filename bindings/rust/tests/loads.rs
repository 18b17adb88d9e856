//! Loads: blocking, as futures, with callbacks, as events; cancelling; panics.

mod support;

use sdimage::{
    CacheConfig, CachePolicy, CustomLoader, DecodeOptions, DeliveryKind, Dispatcher, Error, EventKind, Freshness, FreshnessRule,
    ImageSource, Load, LoadResult,
};
use sdimage::{LoadSink, Loader, Manager, ManagerConfig, Priority, Progress, Request, SourcePolicy, Stage, Status, Task, Wanted};
use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;
use support::{becomes_true, block_on, folder, in_memory, picture, url, Counted, Unpark, LIMIT};

fn badge() -> Request {
    Request::new(&url("badge.png"))
}

/// Receives no response until the origin ends.
fn slow() -> Request {
    Request::new(&url("aurora.jpg?fault=hang"))
}

#[test]
fn the_cache_policy_of_a_request_counts() {
    let manager = in_memory();
    manager.load(&badge().cache_policy(CachePolicy::NONE)).unwrap();
    let only_cached = || badge().source_policy(SourcePolicy::CacheOnly);
    assert!(manager.load(&only_cached()).unwrap().image().is_none());
    let reloaded = badge().cache_policy(CachePolicy::SKIP_MEMORY_READ | CachePolicy::SKIP_DISK_READ);
    manager.load(&reloaded).unwrap();
    assert_eq!(manager.load(&reloaded).unwrap().source(), ImageSource::Network);
    assert_eq!(manager.load(&only_cached()).unwrap().source(), ImageSource::Memory);
}

#[test]
fn what_exceeds_a_safety_limit_is_refused() {
    let manager = Manager::with(ManagerConfig::new().no_cache()).unwrap();
    let balloons = || Request::new(&url("balloons.jpg"));
    let length = picture("balloons.jpg").len();
    assert_eq!(manager.load(&balloons().max_body_bytes(length - 1)).unwrap_err().code(), Status::TooLarge);
    assert!(manager.load(&balloons().max_body_bytes(length)).is_ok());
    for limit in [DecodeOptions::new().max_pixels(1000), DecodeOptions::new().max_bytes(1000)] {
        assert_eq!(manager.load(&balloons().decode_options(&limit)).unwrap_err().code(), Status::TooLarge);
    }
    let decode = |limit| sdimage::decode(&picture("ink-garden.jpg"), &DecodeOptions::new().max_work(limit));
    assert_eq!(decode(Duration::from_millis(1)).unwrap_err().code(), Status::Timeout);
    assert!(decode(Duration::from_secs(600)).is_ok());
}

#[test]
fn a_transient_failure_is_retried_as_often_as_the_load_allows() {
    let manager = Manager::with(ManagerConfig::new().no_cache()).unwrap();
    // The origin counts the requests of this path, which no other test loads.
    let ripples = |query| Request::new(&url(&format!("ripples.png?{query}")));
    let why = manager.load(&ripples("status=503&first=1").max_retries(0)).unwrap_err();
    assert_eq!((why.code(), why.http_status()), (Status::HttpStatus, 503));
    assert!(manager.load(&ripples("status=503&first=2").max_retries(1)).is_ok());
}

#[test]
fn a_result_has_the_rule_of_its_freshness() {
    let cache = CacheConfig::new().memory_only().open().unwrap();
    let manager = Manager::with(ManagerConfig::new().cache(&cache).freshness(Freshness::Respect)).unwrap();
    assert_eq!(manager.load(&badge()).unwrap().freshness(), FreshnessRule::None);
    assert_eq!(manager.load(&badge()).unwrap().freshness(), FreshnessRule::MaxAge);
    let refreshed = manager.load(&badge().freshness(Freshness::Refresh)).unwrap();
    assert_eq!(refreshed.freshness(), FreshnessRule::Refresh);
}

#[test]
fn a_url_signed_again_has_the_same_key() {
    let manager = Manager::with(ManagerConfig::new().no_cache().ignore_signatures(true)).unwrap();
    let key = |manager: &Manager| manager.cache_key(&Request::new("https://x/a.png?w=1&X-Amz-Signature=2")).unwrap();
    assert_eq!(key(&manager), b"https://x/a.png?w=1");
    assert_eq!(key(&in_memory()), b"https://x/a.png?w=1&X-Amz-Signature=2");
}

#[test]
fn a_header_field_of_the_library_can_be_omitted() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}/a", server.local_addr().unwrap());
    let heads = thread::spawn(move || {
        [(); 2].map(|()| {
            let (mut socket, _) = server.accept().unwrap();
            let mut reader = BufReader::new(socket.try_clone().unwrap());
            let lines = std::iter::from_fn(|| {
                let mut line = String::new();
                reader.read_line(&mut line).ok()?;
                (line.trim() != "").then(|| line.to_lowercase())
            });
            let head: String = lines.collect();
            socket.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            head
        })
    });
    let manager = Manager::with(ManagerConfig::new().no_cache()).unwrap();
    for request in [Request::new(&place), Request::new(&place).without_header("Accept").retry_failed(true)] {
        assert_eq!(manager.load(&request).unwrap_err().http_status(), 404);
    }
    assert_eq!(heads.join().unwrap().map(|head| head.contains("\naccept:")), [true, false]);
}

#[test]
fn a_header_field_with_a_nul_is_refused_and_not_cut() {
    let manager = in_memory();
    for (name, value) in [("X-A\0b", "c"), ("X-A", "b\0c"), ("X-A\0", "c"), ("X-A", "\0")] {
        assert_eq!(manager.load(&badge().header(name, value)).unwrap_err().code(), Status::InvalidRequest);
    }
    assert!(manager.load(&badge().header("X-A", "b")).is_ok());
}

#[test]
fn a_load_waits_and_memory_answers_the_second_time() {
    let manager = in_memory();
    let small = badge().thumbnail_size(64, 64);
    let first = manager.load(&small).unwrap();
    assert_eq!((first.image().unwrap().width(), first.source(), first.kind()), (64, ImageSource::Network, DeliveryKind::Final));
    assert!(first.time(Stage::Total) > Duration::ZERO);
    assert_eq!(first.url(), url("badge.png"));
    let second = manager.load(&small).unwrap();
    assert_eq!(second.source(), ImageSource::Memory);
    assert!(std::ptr::eq(second.image().unwrap().pixels(), first.image().unwrap().pixels()));
    assert_eq!(manager.cache_key(&badge()).unwrap(), url("badge.png").into_bytes());
    assert!(manager.load(&Request::new("x:").source_policy(SourcePolicy::CacheOnly)).unwrap().image().is_none());
}

#[test]
fn a_failed_load_says_why() {
    let manager = in_memory();
    let why = manager.load(&Request::new(&url("none.png"))).unwrap_err();
    assert_eq!((why.code(), why.http_status(), why.url()), (Status::HttpStatus, 404, url("none.png").as_str()));
    assert!(!why.is_transient());
    assert_eq!(manager.load(&Request::new(&url("none.png"))).unwrap_err().code(), Status::FailedUrl);
    manager.forget_failed(None);
    assert_eq!(manager.load(&Request::new(&url("none.png"))).unwrap_err().code(), Status::HttpStatus);
    assert!(!manager.is_offline());
    manager.set_offline(true);
    assert!(manager.is_offline());
    assert_eq!(manager.load(&badge()).unwrap_err().code(), Status::Offline);
}

#[test]
fn futures_are_driven_by_a_waker() {
    let manager = in_memory();
    let names = ["badge.png", "aurora.jpg", "leaf.webp", "orbits.gif"];
    let loads: Vec<Load> =
        names.iter().map(|name| manager.load_async(&Request::new(&url(name)).thumbnail_size(32, 32)).unwrap()).collect();
    block_on(async {
        for load in loads {
            assert!(load.await.unwrap().image().unwrap().width() <= 32);
        }
        let missing = manager.load_async(&Request::new(&url("none.png"))).unwrap();
        assert_eq!(missing.await.unwrap_err().code(), Status::HttpStatus);
    });
}

#[test]
fn a_picture_in_memory_is_ready_at_the_first_poll() {
    let manager = in_memory();
    manager.load(&badge()).unwrap();
    let mut load = manager.load_async(&badge()).unwrap();
    assert!(matches!(Pin::new(&mut load).poll(&mut Context::from_waker(&Waker::from(Unpark::here()))), Poll::Ready(Ok(_))));
}

#[test]
fn the_waker_of_the_latest_poll_is_woken_once() {
    let manager = in_memory();
    let mut load = manager.load_async(&slow()).unwrap();
    let (first, second) = (Unpark::here(), Unpark::here());
    for waker in [&first, &second] {
        assert!(Pin::new(&mut load).poll(&mut Context::from_waker(&Waker::from(Arc::clone(waker)))).is_pending());
    }
    load.cancel();
    assert!(becomes_true(|| second.wakes.load(Ordering::SeqCst) == 1));
    assert_eq!(first.wakes.load(Ordering::SeqCst), 0);
    assert_eq!(block_on(load).unwrap_err().code(), Status::Cancelled);
}

#[test]
fn dropping_a_future_cancels_its_load() {
    let manager = in_memory();
    let load = manager.load_async(&slow()).unwrap();
    let task = load.task().clone();
    drop(load);
    task.wait(LIMIT).unwrap();
    assert_eq!(task.result().unwrap().error().unwrap().code(), Status::Cancelled);
    assert_eq!(manager.running_count(), 0);
}

#[test]
fn the_priority_of_a_load_changes() {
    let manager = in_memory();
    let load = manager.load_async(&slow().priority(Priority::Low)).unwrap();
    assert_eq!(load.task().priority(), Priority::Low);
    load.task().set_priority(Priority::High);
    assert_eq!(load.task().priority(), Priority::High);
    load.cancel();
    assert_eq!(load.task().priority(), Priority::High);
}

#[test]
fn flushing_completes_what_is_still_being_encoded() {
    let cache = CacheConfig::new().directory(folder()).open().unwrap();
    let manager = Manager::with(ManagerConfig::new().cache(&cache)).unwrap();
    let names = ["badge.png", "aurora.jpg", "leaf.webp"];
    for name in names {
        manager.load(&Request::new(&url(name)).thumbnail_size(64, 64)).unwrap();
    }
    manager.flush(LIMIT).unwrap();
    assert_eq!(cache.disk_totals().unwrap().count, 2 * names.len() as u64, "originals and thumbnails");
    manager.close(LIMIT).unwrap();
    manager.flush(LIMIT).unwrap();
    cache.close().unwrap();
    assert_eq!(manager.flush(LIMIT).unwrap_err().code(), Status::Shutdown);
}

/// Delivers the second half of an image after the first has been seen.
struct Halves(Mutex<mpsc::Receiver<()>>);

impl CustomLoader for Halves {
    fn load(&self, _: &Wanted<'_>, sink: LoadSink) -> sdimage::Result<()> {
        let bytes = picture("aurora.jpg");
        let (first, second) = bytes.split_at(bytes.len() / 2);
        sink.set_expected_length(bytes.len() as u64);
        sink.write(first)?;
        self.0.lock().unwrap().recv_timeout(LIMIT).map_err(|_| Error::new(Status::Timeout, "no part was shown"))?;
        sink.write(second)?;
        sink.finish();
        Ok(())
    }
}

#[test]
fn callbacks_hear_of_parts_progress_and_one_end() {
    let manager = in_memory();
    let (shown, seen) = mpsc::channel();
    let halves = Loader::custom("halves", Halves(Mutex::new(seen))).unwrap();
    let (tell, told) = mpsc::channel();
    let expected = Arc::new(AtomicUsize::new(0));
    let last = Arc::clone(&expected);
    let request = Request::new("halves:a").loader(&halves).progressive(true).progressive_interval(Duration::from_millis(1));
    let on_result = move |_: &Task, result: &LoadResult| {
        if result.image().is_some_and(|image| image.is_incremental()) {
            let _ = shown.send(());
        }
        tell.send(result.kind()).unwrap();
    };
    let on_progress = move |_: &Task, so_far: Progress| last.store(so_far.expected.unwrap_or(0) as usize, Ordering::SeqCst);
    let task = manager.start(&request, on_result, on_progress).unwrap();
    let kinds: Vec<DeliveryKind> = told.iter().collect();
    assert!(kinds.len() > 1 && kinds[0] == DeliveryKind::Partial);
    assert_eq!(kinds.iter().filter(|kind| **kind == DeliveryKind::Final).count(), 1);
    assert_eq!(expected.load(Ordering::SeqCst), picture("aurora.jpg").len());
    assert_eq!(task.progress().received as usize, picture("aurora.jpg").len());
    assert_eq!(task.result().unwrap().image().unwrap().width(), 1000);
}

#[test]
fn what_a_callback_owns_is_dropped_once() {
    let alive = Arc::new(AtomicUsize::new(0));
    let manager = in_memory();
    for request in [badge(), slow()] {
        let kept = Counted::new(&alive);
        let task = manager.start(&request, move |_, _| kept.touch(), |_, _| {}).unwrap();
        if request.url().contains("aurora") {
            task.cancel_and_wait(LIMIT).unwrap();
        }
    }
    assert!(becomes_true(|| alive.load(Ordering::SeqCst) == 0));
    manager.close(LIMIT).unwrap();
    let kept = Counted::new(&alive);
    let why = manager.start(&badge(), move |_, _| kept.touch(), |_, _| {}).unwrap_err();
    assert_eq!(why.code(), Status::Shutdown);
    assert!(becomes_true(|| alive.load(Ordering::SeqCst) == 0));
}

#[test]
fn a_panic_in_a_callback_ends_there() {
    let manager = in_memory();
    let alive = Arc::new(AtomicUsize::new(0));
    let kept = Counted::new(&alive);
    manager
        .start(
            &badge(),
            move |_, _| {
                kept.touch();
                panic!("of the program, as the test wants")
            },
            |_, _| {},
        )
        .unwrap();
    assert!(becomes_true(|| alive.load(Ordering::SeqCst) == 0));
    assert_eq!(manager.load(&badge()).unwrap().image().unwrap().width(), 400);
}

#[test]
fn events_come_from_a_descriptor() {
    let manager = in_memory();
    let queue = Dispatcher::pollable().unwrap();
    assert!(queue.as_raw_fd() >= 0 && Dispatcher::immediate().unwrap().as_raw_fd() == -1);
    let task = manager.start_for_events(&badge().dispatcher(&queue), 7).unwrap();
    task.wait(LIMIT).unwrap();
    assert!(readable(queue.as_raw_fd()));
    loop {
        let event = queue.next_event().unwrap().expect("a final result");
        assert_eq!((event.token, event.task.token()), (7, 7));
        if let EventKind::Result(result) = event.kind {
            assert_eq!((result.kind(), result.image().unwrap().width()), (DeliveryKind::Final, 400));
            break;
        }
    }
    assert!(queue.next_event().unwrap().is_none() && !readable(queue.as_raw_fd()));
    let (tell, told) = mpsc::channel();
    queue.bind_current_thread().unwrap();
    manager.start(&badge().dispatcher(&queue), move |_, result| tell.send(result.source()).unwrap(), |_, _| {}).unwrap();
    assert_eq!(told.try_recv(), Ok(ImageSource::Memory));
    assert_eq!(queue.drain(), 0);
}

/// Reports whether a descriptor is readable now, with poll of libc.
fn readable(descriptor: i32) -> bool {
    #[repr(C)]
    struct PollFd {
        descriptor: i32,
        events: i16,
        returned: i16,
    }
    extern "C" {
        fn poll(descriptors: *mut PollFd, count: std::ffi::c_ulong, timeout_ms: i32) -> i32;
    }
    let mut one = PollFd { descriptor, events: 1, returned: 0 };
    // SAFETY: one descriptor, matching the count.
    unsafe { poll(&mut one, 1, 0) == 1 }
}
