//! Loaders of the program.

mod support;

use sdimage::{
    CacheConfig, CustomLoader, Data, Error, Image, ImageSource, LoadSink, Loader, Manager, ManagerConfig, PixelFormat, Request,
    Result, Status, Wanted,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use support::{becomes_true, block_on, picture, url, Counted, LIMIT};

struct Demo {
    _own: Counted,
    tell: Mutex<Sender<&'static str>>,
    kept: Mutex<Vec<LoadSink>>,
}

impl CustomLoader for Demo {
    fn can_load(&self, wanted: &Wanted<'_>) -> bool {
        wanted.url().starts_with("demo:")
    }

    fn load(&self, wanted: &Wanted<'_>, sink: LoadSink) -> Result<()> {
        match wanted.url() {
            "demo:bytes" => {
                let bytes = picture("badge.png");
                sink.set_expected_length(bytes.len() as u64);
                sink.write(&bytes)?;
                sink.finish();
            }
            "demo:later" => drop(thread::spawn(move || {
                sink.report_progress(1, Some(2));
                sink.finish_with_data(&Data::from_vec(picture("leaf.webp")).unwrap());
            })),
            "demo:picture" => sink.finish_with_image(&Image::from_vec(1, 1, 1, PixelFormat::Gray8, vec![7])?),
            "demo:panic" => panic!("as the test wants"),
            "demo:wait" => {
                self.kept.lock().unwrap().push(sink);
                self.tell.lock().unwrap().send("asked").unwrap();
            }
            "demo:drop" => {}
            _ => return Err(Error::new(Status::PermissionDenied, "not for you")),
        }
        Ok(())
    }

    fn cancel(&self, sink: &LoadSink) {
        assert!(sink.is_cancelled());
        sink.fail(&Error::new(Status::Cancelled, ""));
        self.kept.lock().unwrap().clear();
        self.tell.lock().unwrap().send("cancelled").unwrap();
    }
}

fn manager(alive: &Arc<AtomicUsize>) -> (Manager, mpsc::Receiver<&'static str>) {
    let (tell, told) = mpsc::channel();
    let demo = Demo { _own: Counted::new(alive), tell: Mutex::new(tell), kept: Mutex::default() };
    let demo = Loader::custom("demo", demo).unwrap();
    assert_eq!(demo.name(), "demo");
    let chain = Loader::chain([&Loader::http().unwrap(), &Loader::file().unwrap(), &Loader::data_url().unwrap(), &demo]).unwrap();
    let cache = CacheConfig::new().memory_only().open().unwrap();
    (Manager::with(ManagerConfig::new().cache(&cache).loader(&chain)).unwrap(), told)
}

#[test]
fn a_loader_brings_bytes_pictures_and_errors() {
    let alive = Arc::new(AtomicUsize::new(0));
    {
        let (manager, _told) = manager(&alive);
        let load = |url: &str| manager.load(&Request::new(url));
        assert_eq!(load("demo:bytes").unwrap().source(), ImageSource::Loader);
        assert_eq!(load("demo:bytes").unwrap().source(), ImageSource::Memory);
        assert!(load("demo:later").unwrap().image().is_some());
        assert_eq!(load("demo:picture").unwrap().image().unwrap().row(0), [7]);
        let why = load("demo:other").unwrap_err();
        assert_eq!((why.code(), why.message()), (Status::PermissionDenied, "not for you"));
        assert!(load("demo:drop").is_err());
        assert_eq!(load("other:x").unwrap_err().code(), Status::SchemeForbidden);
        assert_eq!(load(&url("badge.png")).unwrap().source(), ImageSource::Network);
    }
    assert!(becomes_true(|| alive.load(Ordering::SeqCst) == 0), "the loader is dropped once");
}

#[test]
fn a_panic_of_a_loader_is_the_error_of_its_load() {
    let (manager, _told) = manager(&Arc::default());
    let why = manager.load(&Request::new("demo:panic")).unwrap_err();
    assert_eq!((why.code(), why.message()), (Status::InternalError, "loader: panicked"));
}

#[test]
fn a_loader_is_cancelled_when_no_caller_is_waiting() {
    let (manager, told) = manager(&Arc::default());
    let load = manager.load_async(&Request::new("demo:wait")).unwrap();
    assert_eq!(told.recv_timeout(LIMIT), Ok("asked"));
    load.cancel();
    assert_eq!(block_on(load).unwrap_err().code(), Status::Cancelled);
    assert_eq!(told.recv_timeout(LIMIT), Ok("cancelled"));
}

struct Whole;

impl CustomLoader for Whole {
    fn load(&self, _: &Wanted<'_>, sink: LoadSink) -> Result<()> {
        sink.write(&picture("badge.png"))?;
        Err(Error::new(Status::PermissionDenied, "after all of it"))
    }
}

/// Otherwise the bytes written would count as the complete body.
#[test]
#[ignore = "needs a library that gives no errors: see rust.sh"]
fn a_loader_fails_also_without_memory_for_the_error() {
    let config = ManagerConfig::new().no_cache().loader(&Loader::custom("whole", Whole).unwrap());
    assert!(Manager::with(config).unwrap().load(&Request::new("whole:a")).is_err());
}
