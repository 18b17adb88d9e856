//! Asynchronous loading of images by URL, a memory and a disk cache, and decoding at the required size, by libsdimage.
//!
//! ```no_run
//! let manager = sdimage::Manager::new()?;
//! let request = sdimage::Request::new("https://example.org/cat.jpg").thumbnail_size(256, 256);
//! let picture = manager.load(&request)?.image().expect("a load that succeeds has a picture");
//! println!("{} x {}", picture.width(), picture.height());
//! # Ok::<(), sdimage::Error>(())
//! ```
//!
//! Handles are counted references to objects of the library: cloning one takes a reference, dropping it releases one.
//! Types are [`Send`] and [`Sync`] as the C headers allow: images, results, managers, caches, loaders, tasks and
//! dispatchers are both; requests, options and configurations are [`Send`] only.
//!
//! A forked child can use images and bytes of its parent. Cloning a manager or cache panics there, and their functions fail.
//!
//! Callbacks of the program run on threads of the library. A panic ends there: it is never unwound into the library.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

#[macro_use]
mod choice;
mod cache;
mod choices;
mod codec;
mod constants;
mod data;
mod dispatcher;
mod error;
mod future;
mod handle;
mod image;
mod loader;
mod manager;
mod request;
mod result;
pub mod sys;
mod sys_functions;
mod task;

pub use cache::{Cache, CacheConfig, DiskTotals};
pub use choices::{
    CacheLayers, CachePolicy, DeliveryKind, DynamicRange, Format, Freshness, FreshnessRule, ImageSource, PixelFormat, Priority,
    ScaleMode, SourcePolicy, Stage, Status,
};
pub use codec::{can_decode, can_encode, decode, decode_file, info, sniff, DecodeOptions, EncodeOptions};
pub use data::Data;
pub use dispatcher::{Dispatcher, Event, EventKind};
pub use error::Error;
pub use future::Load;
pub use image::{GainMap, Image};
pub use loader::{CustomLoader, LoadSink, Loader, Wanted};
pub use manager::{doctor, metrics, Manager, ManagerConfig};
pub use request::Request;
pub use result::LoadResult;
pub use task::{Progress, Task};

/// A value, or the error of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// The version of the library in use, "1.2.3".
pub fn version() -> &'static str {
    // SAFETY: static text.
    unsafe { handle::text(sys::sdimage_version()) }
}

/// Compiles the example of the README with the other doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
