//! Loaders, which fetch bytes: those of the library, chains of them, and those of the program.

use crate::error::run;
use crate::handle::{c_text, destroy, forget_panic, guarded, handle, made, text};
use crate::{sys, Data, Error, Image, Result, Status};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

handle! {
    shared
    /// Fetches bytes.
    Loader, sdimage_loader, sdimage_loader_ref, sdimage_loader_unref
}

handle! {
    shared
    /// The output of a loader, written by one thread at a time. Exactly one `finish…` or `fail` ends the load; dropping
    /// the last handle without one is an error of the load.
    LoadSink, sdimage_load_sink, sdimage_load_sink_ref, sdimage_load_sink_unref
}

/// The request that a loader receives, borrowed for the call.
#[derive(Debug)]
pub struct Wanted<'a> {
    raw: *const sys::sdimage_request,
    _lent: PhantomData<&'a sys::sdimage_request>,
}

impl<'a> Wanted<'a> {
    /// The URL.
    pub fn url(&self) -> &'a str {
        // SAFETY: the request lives for the call that it is borrowed for.
        unsafe { text(sys::sdimage_request_url(self.raw, ptr::null_mut())) }
    }
}

/// A loader of the program, for [`Loader::custom`]. Called on threads of the library, on several at once.
///
/// ```
/// use sdimage::{CustomLoader, LoadSink, Loader, Manager, ManagerConfig, Request, Result, Wanted};
///
/// struct Painter;
///
/// impl CustomLoader for Painter {
///     fn can_load(&self, wanted: &Wanted<'_>) -> bool {
///         wanted.url().starts_with("demo:")
///     }
///     fn load(&self, _: &Wanted<'_>, sink: LoadSink) -> Result<()> {
///         let red = sdimage::Image::from_vec(1, 1, 3, sdimage::PixelFormat::Rgb8, vec![255, 0, 0])?;
///         sink.finish_with_image(&red);
///         Ok(())
///     }
/// }
///
/// let manager = Manager::with(ManagerConfig::new().no_cache().loader(&Loader::custom("painter", Painter)?))?;
/// assert_eq!(manager.load(&Request::new("demo:red"))?.image().unwrap().width(), 1);
/// # Ok::<(), sdimage::Error>(())
/// ```
pub trait CustomLoader: Send + Sync + 'static {
    /// Reports whether this loader accepts the request. Any thread; must not block.
    fn can_load(&self, wanted: &Wanted<'_>) -> bool {
        let _ = wanted;
        true
    }

    /// Starts fetching and returns; runs on a thread that may block for a while. The sink may go to another thread. An
    /// error, or a panic, ends the load.
    fn load(&self, wanted: &Wanted<'_>, sink: LoadSink) -> Result<()>;

    /// No caller is waiting any longer: stop soon, then finish the sink. Any thread; must not block.
    fn cancel(&self, sink: &LoadSink) {
        let _ = sink;
    }
}

impl LoadSink {
    /// Announces the number of bytes to come.
    pub fn set_expected_length(&self, length: u64) {
        unsafe { sys::sdimage_load_sink_set_expected_length(self.as_ptr(), length) }
    }

    /// Appends bytes, which are copied. Fails with `Cancelled` when no caller is waiting any longer, and with
    /// `TooLarge`.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        run(|why| unsafe { sys::sdimage_load_sink_write(self.as_ptr(), bytes.as_ptr().cast(), bytes.len(), why) }).map(drop)
    }

    /// Ends the load with the bytes written.
    pub fn finish(&self) {
        unsafe { sys::sdimage_load_sink_finish(self.as_ptr(), ptr::null_mut()) }
    }

    /// Ends the load with an error.
    pub fn fail(&self, why: &Error) {
        let raw = why.to_raw();
        // Passing no error would mean success. Without memory for one the sink is released, which is an error of the
        // load too.
        if raw.is_null() {
            return;
        }
        // SAFETY: the call references the error; our reference is released.
        unsafe {
            sys::sdimage_load_sink_finish(self.as_ptr(), raw);
            sys::sdimage_error_unref(raw);
        }
    }

    /// Ends the load with bytes that are passed by reference.
    pub fn finish_with_data(&self, data: &Data) {
        unsafe { sys::sdimage_load_sink_finish_with_data(self.as_ptr(), data.as_ptr()) }
    }

    /// Ends the load with an image, for sources without encoded bytes.
    pub fn finish_with_image(&self, image: &Image) {
        unsafe { sys::sdimage_load_sink_finish_with_image(self.as_ptr(), image.as_ptr()) }
    }

    /// Reports progress, for sources that write no bytes.
    pub fn report_progress(&self, received: i64, expected: Option<i64>) {
        unsafe { sys::sdimage_load_sink_report_progress(self.as_ptr(), received, expected.unwrap_or(-1)) }
    }

    /// Reports whether no caller is waiting any longer.
    pub fn is_cancelled(&self) -> bool {
        unsafe { sys::sdimage_load_sink_is_cancelled(self.as_ptr()) }
    }
}

/// The table's functions for a loader of type `L`.
///
/// # Safety
/// `user_data` is the `Box<L>` of [`Loader::custom`], alive until `destroy`; requests and sinks are alive for the call.
unsafe extern "C" fn can_load<L: CustomLoader>(user_data: *mut c_void, request: *const sys::sdimage_request) -> bool {
    let loader = unsafe { &*user_data.cast::<L>() };
    guarded(false, || loader.can_load(&Wanted { raw: request, _lent: PhantomData }))
}

unsafe extern "C" fn load<L: CustomLoader>(
    user_data: *mut c_void,
    request: *const sys::sdimage_request,
    sink: *mut sys::sdimage_load_sink,
) -> sys::sdimage_status {
    let loader = unsafe { &*user_data.cast::<L>() };
    let Some(sink) = (unsafe { LoadSink::retained(sink) }) else { return sys::SDIMAGE_STATUS_INVALID_ARGUMENT };
    let given = sink.clone();
    let wanted = Wanted { raw: request, _lent: PhantomData };
    match catch_unwind(AssertUnwindSafe(|| loader.load(&wanted, given))) {
        Ok(Ok(())) => {}
        Ok(Err(why)) => sink.fail(&why),
        Err(panic) => {
            sink.fail(&Error::new(Status::InternalError, "loader: panicked"));
            forget_panic(panic);
        }
    }
    sys::SDIMAGE_STATUS_OK
}

unsafe extern "C" fn cancel<L: CustomLoader>(user_data: *mut c_void, sink: *mut sys::sdimage_load_sink) {
    let loader = unsafe { &*user_data.cast::<L>() };
    let Some(sink) = (unsafe { LoadSink::retained(sink) }) else { return };
    guarded((), || loader.cancel(&sink));
}

type Maker = unsafe extern "C" fn(*mut *mut sys::sdimage_loader, *mut *mut sys::sdimage_error) -> sys::sdimage_status;

impl Loader {
    fn made_by(make: Maker) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { make(&mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Loads file: URLs.
    pub fn file() -> Result<Self> {
        Self::made_by(sys::sdimage_loader_new_file)
    }

    /// Loads data: URLs.
    pub fn data_url() -> Result<Self> {
        Self::made_by(sys::sdimage_loader_new_data_url)
    }

    /// The built-in downloader for http and https, with its defaults.
    pub fn http() -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_downloader_new(ptr::null(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Each URL goes to the first loader that can load it; the last one is tried first.
    pub fn chain<'a>(members: impl IntoIterator<Item = &'a Loader>) -> Result<Self> {
        let chain = Self::made_by(sys::sdimage_loader_new_chain)?;
        for member in members {
            run(|why| unsafe { sys::sdimage_loader_chain_add(chain.as_ptr(), member.as_ptr(), why) })?;
        }
        Ok(chain)
    }

    /// A loader of the program; it is dropped on a thread of the library, after its last call and the end of its last sink.
    pub fn custom<L: CustomLoader>(name: &str, loader: L) -> Result<Self> {
        let table = sys::sdimage_loader_vtable {
            size: std::mem::size_of::<sys::sdimage_loader_vtable>(),
            can_load: Some(can_load::<L>),
            load: Some(load::<L>),
            cancel: Some(cancel::<L>),
            can_share: None,
            should_remember_failure: None,
        };
        let name = c_text(name);
        let owner = Box::into_raw(Box::new(loader)).cast::<c_void>();
        let mut raw = ptr::null_mut();
        // SAFETY: the table is copied; the library owns the box until `destroy`, also when this fails.
        run(|why| unsafe { sys::sdimage_loader_new_custom(name.as_ptr(), &table, owner, Some(destroy::<L>), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// "http", "file", "data", "chain", or the name of a custom one.
    pub fn name(&self) -> &str {
        unsafe { text(sys::sdimage_loader_name(self.as_ptr())) }
    }
}
