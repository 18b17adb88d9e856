//! From a URL to pixels with caches, loaders and coders.

use crate::error::run;
use crate::handle::{destroy, guarded, handle, made};
use crate::request::milliseconds;
use crate::{sys, Cache, Data, Dispatcher, Freshness, Load, LoadResult, Loader, Progress, Request, Result, Task};
use std::ffi::c_void;
use std::ptr;
use std::time::Duration;

handle! {
    single
    /// The configuration of a manager.
    ManagerConfig, sdimage_manager_config, sdimage_manager_config_unref
}

impl Default for ManagerConfig {
    fn default() -> Self {
        Self::new()
    }
}

impl ManagerConfig {
    /// The defaults: the cache of the process, the built-in loaders, the library's callback thread.
    pub fn new() -> Self {
        made(unsafe { Self::owned(sys::sdimage_manager_config_new()) })
    }

    /// The cache.
    pub fn cache(self, cache: &Cache) -> Self {
        unsafe { sys::sdimage_manager_config_set_cache(self.as_ptr(), cache.as_ptr()) };
        self
    }

    /// Disables caching.
    pub fn no_cache(self) -> Self {
        unsafe { sys::sdimage_manager_config_set_cache(self.as_ptr(), ptr::null_mut()) };
        self
    }

    /// The loader.
    pub fn loader(self, loader: &Loader) -> Self {
        unsafe { sys::sdimage_manager_config_set_loader(self.as_ptr(), loader.as_ptr()) };
        self
    }

    /// The dispatcher for loads that name none.
    pub fn dispatcher(self, dispatcher: &Dispatcher) -> Self {
        unsafe { sys::sdimage_manager_config_set_dispatcher(self.as_ptr(), dispatcher.as_ptr()) };
        self
    }

    /// The freshness policy for requests that do not set one.
    pub fn freshness(self, freshness: Freshness) -> Self {
        unsafe { sys::sdimage_manager_config_set_freshness(self.as_ptr(), freshness.raw()) };
        self
    }

    /// Removes the parameters of a signature from the cache key, so that a URL signed again finds its image. Default false.
    pub fn ignore_signatures(self, ignore: bool) -> Self {
        unsafe { sys::sdimage_manager_config_set_ignore_signatures(self.as_ptr(), ignore) };
        self
    }

    /// Seconds for which a permanently failed URL is not requested again; negative: forever; 0: failures are not
    /// remembered.
    pub fn failed_url_retry_after(self, seconds: i64) -> Self {
        unsafe { sys::sdimage_manager_config_set_failed_url_retry_after(self.as_ptr(), seconds) };
        self
    }
}

handle! {
    shared
    /// Loads images. Dropping the last handle closes it without waiting.
    Manager, sdimage_manager, sdimage_manager_ref, sdimage_manager_unref
}

/// The callbacks of a load, on the heap until `destroy`.
struct Callbacks<R, P> {
    result: R,
    progress: P,
}

/// The functions of the load handler.
///
/// # Safety
/// `user_data` is a `Box<Callbacks<R, P>>`, alive until `destroy`; calls of one load never overlap, so that it may be borrowed mutably;
/// task and result are alive for the call.
unsafe extern "C" fn on_result<R, P>(user_data: *mut c_void, task: *mut sys::sdimage_task, result: *mut sys::sdimage_result)
where
    R: FnMut(&Task, &LoadResult),
{
    let callbacks = unsafe { &mut *user_data.cast::<Callbacks<R, P>>() };
    let (Some(task), Some(result)) = (unsafe { Task::retained(task) }, unsafe { LoadResult::retained(result) }) else { return };
    guarded((), || (callbacks.result)(&task, &result));
}

unsafe extern "C" fn on_progress<R, P>(user_data: *mut c_void, task: *mut sys::sdimage_task, received: i64, expected: i64)
where
    P: FnMut(&Task, Progress),
{
    let callbacks = unsafe { &mut *user_data.cast::<Callbacks<R, P>>() };
    let Some(task) = (unsafe { Task::retained(task) }) else { return };
    guarded((), || (callbacks.progress)(&task, Progress::from_raw(received, expected)));
}

impl Manager {
    /// Creates a manager with the default configuration.
    pub fn new() -> Result<Self> {
        Self::with(ManagerConfig::new())
    }

    /// Creates a manager with a configuration.
    pub fn with(config: ManagerConfig) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_manager_new(config.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Loads and waits. Returns an error if there is no image; a cache-only load that found nothing is a result without
    /// an image.
    pub fn load(&self, request: &Request) -> Result<LoadResult> {
        let mut raw = ptr::null_mut();
        let status = run(|why| unsafe { sys::sdimage_manager_load_sync(self.as_ptr(), request.as_ptr(), &mut raw, why) });
        // SAFETY: stored whenever the load was accepted; the reference is ours.
        match (unsafe { LoadResult::owned(raw) }, status) {
            (Some(result), Ok(_)) => Ok(result),
            // A stale image comes with the reason for its staleness.
            (Some(result), Err(why)) => result.image().is_some().then_some(result).ok_or(why),
            (None, Ok(status)) => Err(crate::Error::new(status, "")),
            (None, Err(why)) => Err(why),
        }
    }

    /// Starts a load as a future. Dropping it cancels the load.
    ///
    /// ```no_run
    /// # async fn show(manager: sdimage::Manager) -> sdimage::Result<()> {
    /// let result = manager.load_async(&sdimage::Request::new("https://example.org/cat.jpg"))?.await?;
    /// # drop(result); Ok(())
    /// # }
    /// ```
    pub fn load_async(&self, request: &Request) -> Result<Load> {
        Load::start(self, request)
    }

    /// Starts a load and returns. The callbacks run on the load's dispatcher, in order and serialized: partial and
    /// cached results, then exactly one final result; and progress as bytes arrive.
    pub fn start<R, P>(&self, request: &Request, result: R, progress: P) -> Result<Task>
    where
        R: FnMut(&Task, &LoadResult) + Send + 'static,
        P: FnMut(&Task, Progress) + Send + 'static,
    {
        let handler = sys::sdimage_load_handler {
            size: std::mem::size_of::<sys::sdimage_load_handler>(),
            result: Some(on_result::<R, P>),
            progress: Some(on_progress::<R, P>),
        };
        let state = Box::into_raw(Box::new(Callbacks { result, progress })).cast::<c_void>();
        let free = Some(destroy::<Callbacks<R, P>> as unsafe extern "C" fn(*mut c_void));
        let mut raw = ptr::null_mut();
        // SAFETY: the handler is copied; the library owns the callbacks until `destroy`, also when this fails.
        run(|why| unsafe { sys::sdimage_manager_load(self.as_ptr(), request.as_ptr(), &handler, state, free, &mut raw, why) })?;
        Ok(made(unsafe { Task::owned(raw) }))
    }

    /// Starts a load without callbacks: its deliveries are events of the request's pollable dispatcher, which carry `token`.
    pub fn start_for_events(&self, request: &Request, token: usize) -> Result<Task> {
        let mut raw = ptr::null_mut();
        // SAFETY: the token is a number: the library never dereferences it.
        run(|why| unsafe {
            let (manager, wanted) = (self.as_ptr(), request.as_ptr());
            sys::sdimage_manager_load(manager, wanted, ptr::null(), token as *mut c_void, None, &mut raw, why)
        })?;
        Ok(made(unsafe { Task::owned(raw) }))
    }

    /// The cache key of a load of the request.
    pub fn cache_key(&self, request: &Request) -> Result<Vec<u8>> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_manager_get_cache_key(self.as_ptr(), request.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Data::owned(raw) }).to_vec())
    }

    /// Cancels all loads in progress.
    pub fn cancel_all(&self) {
        unsafe { sys::sdimage_manager_cancel_all(self.as_ptr()) }
    }

    /// The number of loads without a final result.
    pub fn running_count(&self) -> usize {
        unsafe { sys::sdimage_manager_running_count(self.as_ptr()) }
    }

    /// Switches loading of http and https URLs off and on again.
    pub fn set_offline(&self, offline: bool) {
        unsafe { sys::sdimage_manager_set_offline(self.as_ptr(), offline) }
    }

    /// Reports whether loading of http and https URLs is switched off.
    pub fn is_offline(&self) -> bool {
        unsafe { sys::sdimage_manager_is_offline(self.as_ptr()) }
    }

    /// Forgets a failed URL; all of them for `None`.
    pub fn forget_failed(&self, url: Option<&str>) {
        let (start, length) = url.map_or((ptr::null(), 0), |url| (url.as_ptr().cast(), url.len()));
        unsafe { sys::sdimage_manager_forget_failed(self.as_ptr(), start, length) }
    }

    /// Waits until the stores of finished loads are committed, images that are still being encoded for the cache included.
    /// Concerns the cache of the manager. Fails with `Timeout`, and with `WouldDeadlock` in a callback.
    pub fn flush(&self, limit: Duration) -> Result<()> {
        run(|why| unsafe { sys::sdimage_manager_flush(self.as_ptr(), milliseconds(limit), why) }).map(drop)
    }

    /// Accepts no more loads, ends the running ones with `Shutdown`, and waits for their last callbacks.
    pub fn close(&self, limit: Duration) -> Result<()> {
        run(|why| unsafe { sys::sdimage_manager_close(self.as_ptr(), milliseconds(limit), why) }).map(drop)
    }
}

/// The diagnostics for a bug report, as a JSON object.
pub fn doctor() -> Result<String> {
    let mut diagnosis = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_diagnosis_new(&mut diagnosis, why) })?;
    let mut raw = ptr::null_mut();
    let written = run(|why| unsafe { sys::sdimage_diagnosis_to_json(diagnosis, &mut raw, why) });
    unsafe { sys::sdimage_diagnosis_unref(diagnosis) };
    written?;
    Ok(made(unsafe { Data::owned(raw) }).into_string())
}

/// The metrics of the process in the Prometheus text format.
pub fn metrics() -> Result<String> {
    let mut raw = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_metrics(&mut raw, why) })?;
    Ok(made(unsafe { Data::owned(raw) }).into_string())
}
