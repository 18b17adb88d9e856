//! One wish for a picture.

use crate::handle::{c_text, handle, made};
use crate::{sys, Cache, DecodeOptions, Dispatcher, Freshness, Loader, Priority, SourcePolicy};
use std::time::Duration;

handle! {
    single
    /// One wish for a picture: where from, in which form, through which layers. A load copies it. What makes no sense is told by the
    /// load.
    Request, sdimage_request, sdimage_request_unref
}

/// Whole milliseconds, at most what the library counts.
pub(crate) fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

impl Clone for Request {
    fn clone(&self) -> Self {
        made(unsafe { Self::owned(sys::sdimage_request_copy(self.as_ptr())) })
    }
}

impl Request {
    /// For a URL: http, https, file and data have loaders of the library.
    pub fn new(url: &str) -> Self {
        made(unsafe { Self::owned(sys::sdimage_request_new(url.as_ptr().cast(), url.len())) })
    }

    /// The URL.
    pub fn url(&self) -> &str {
        let mut length = 0;
        // SAFETY: borrowed as long as the request lives and is not changed, which takes it by value.
        unsafe {
            let start = sys::sdimage_request_url(self.as_ptr(), &mut length).cast::<u8>();
            if start.is_null() {
                return "";
            }
            std::str::from_utf8(std::slice::from_raw_parts(start, length)).unwrap_or("")
        }
    }

    /// A box in pixels that the picture is shrunk into while it is decoded, keeping its proportions.
    pub fn thumbnail_size(self, width: u32, height: u32) -> Self {
        unsafe { sys::sdimage_request_set_thumbnail_size(self.as_ptr(), width, height, true) };
        self
    }

    /// All decode options, the thumbnail size included.
    pub fn decode_options(self, options: &DecodeOptions) -> Self {
        unsafe { sys::sdimage_request_set_decode_options(self.as_ptr(), options.as_ptr()) };
        self
    }

    /// The base of the cache key in place of the URL.
    pub fn cache_key(self, key: &[u8]) -> Self {
        unsafe { sys::sdimage_request_set_cache_key(self.as_ptr(), key.as_ptr().cast(), key.len()) };
        self
    }

    /// Default `Normal`.
    pub fn priority(self, priority: Priority) -> Self {
        unsafe { sys::sdimage_request_set_priority(self.as_ptr(), priority.raw()) };
        self
    }

    /// Default `Any`: caches, then the loader.
    pub fn source_policy(self, policy: SourcePolicy) -> Self {
        unsafe { sys::sdimage_request_set_source_policy(self.as_ptr(), policy.raw()) };
        self
    }

    /// Default: the manager's.
    pub fn freshness(self, freshness: Freshness) -> Self {
        unsafe { sys::sdimage_request_set_freshness(self.as_ptr(), freshness.raw()) };
        self
    }

    /// Partial results while bytes arrive. Default false.
    pub fn progressive(self, progressive: bool) -> Self {
        unsafe { sys::sdimage_request_set_progressive(self.as_ptr(), progressive) };
        self
    }

    /// At least so long from one partial result to the next.
    pub fn progressive_interval(self, interval: Duration) -> Self {
        unsafe { sys::sdimage_request_set_progressive_interval_ms(self.as_ptr(), milliseconds(interval)) };
        self
    }

    /// A header field of the HTTP request. A load whose field has a line break or a NUL fails with `InvalidRequest`.
    pub fn header(self, name: &str, value: &str) -> Self {
        let (name, value) = (c_text(name), c_text(value));
        unsafe { sys::sdimage_request_set_header(self.as_ptr(), name.as_ptr(), value.as_ptr()) };
        self
    }

    /// For the whole transfer, redirects and retries included.
    pub fn timeout(self, timeout: Duration) -> Self {
        unsafe { sys::sdimage_request_set_timeout_ms(self.as_ptr(), milliseconds(timeout)) };
        self
    }

    /// Further tries after a transient failure, in place of the downloader's.
    pub fn max_retries(self, count: u32) -> Self {
        unsafe { sys::sdimage_request_set_max_retries(self.as_ptr(), count) };
        self
    }

    /// Load a URL that failed for good a moment ago all the same. Default false.
    pub fn retry_failed(self, retry: bool) -> Self {
        unsafe { sys::sdimage_request_set_retry_failed(self.as_ptr(), retry) };
        self
    }

    /// Bring the encoded bytes of a picture found in memory too. Default false.
    pub fn wants_data(self, wants: bool) -> Self {
        unsafe { sys::sdimage_request_set_wants_data(self.as_ptr(), wants) };
        self
    }

    /// Deliver only after the disk cache has committed. Default false.
    pub fn wait_for_store(self, wait: bool) -> Self {
        unsafe { sys::sdimage_request_set_wait_for_store(self.as_ptr(), wait) };
        self
    }

    /// Where this load delivers, in place of the manager's dispatcher. A [`Load`](crate::Load) has one of its own.
    pub fn dispatcher(self, dispatcher: &Dispatcher) -> Self {
        unsafe { sys::sdimage_request_set_dispatcher(self.as_ptr(), dispatcher.as_ptr()) };
        self
    }

    /// Which cache it uses, in place of the manager's; `None`: none.
    pub fn cache(self, cache: Option<&Cache>) -> Self {
        let raw = cache.map_or(std::ptr::null_mut(), Cache::as_ptr);
        unsafe { sys::sdimage_request_set_cache(self.as_ptr(), raw) };
        self
    }

    /// Who loads, in place of the manager's.
    pub fn loader(self, loader: &Loader) -> Self {
        unsafe { sys::sdimage_request_set_loader(self.as_ptr(), loader.as_ptr()) };
        self
    }
}
