//! From a URL to pixels: asynchronous loading, a memory and a disk cache, and decoding at the size you need, by libsdimage.
//!
//! ```no_run
//! let manager = sdimage::Manager::new()?;
//! let request = sdimage::Request::new("https://example.org/cat.jpg").thumbnail_size(256, 256);
//! let picture = manager.load(&request)?.image().expect("a load that succeeds has a picture");
//! println!("{} x {}", picture.width(), picture.height());
//! # Ok::<(), sdimage::Error>(())
//! ```
//!
//! Handles are references of objects of the library, which are counted: cloning one takes a reference, dropping it gives one back.
//! What may be shared between threads is [`Send`] and [`Sync`] as the C headers say: images, results, managers, caches, loaders,
//! tasks and dispatchers are; requests, options and configurations are [`Send`] only.
//!
//! Callbacks of the program are called on threads of the library. A panic in one ends there: it is never unwound into the library.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

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
mod sys_loads;
mod task;

pub use cache::{Cache, CacheConfig, CacheLayers, DiskTotals};
pub use choices::{DeliveryKind, Format, Freshness, ImageSource, PixelFormat, Priority, ScaleMode, SourcePolicy, Stage, Status};
pub use codec::{can_decode, can_encode, decode, decode_file, info, sniff, DecodeOptions, EncodeOptions};
pub use data::Data;
pub use dispatcher::{Dispatcher, Event, EventKind};
pub use error::Error;
pub use future::Load;
pub use image::Image;
pub use loader::{CustomLoader, LoadSink, Loader, Wanted};
pub use manager::{doctor, metrics, Manager, ManagerConfig};
pub use request::Request;
pub use result::LoadResult;
pub use task::{Progress, Task};

/// A value, or the library's reason why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// The version of the library in use, "1.2.3".
pub fn version() -> &'static str {
    // SAFETY: static text.
    unsafe { handle::text(sys::sdimage_version()) }
}

/// The example of the README is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
