//! The parameters of one load.

use crate::handle::{c_text, handle, made};
use crate::{sys, Cache, CachePolicy, DecodeOptions, Dispatcher, Freshness, Loader, Priority, ScaleMode, SourcePolicy};
use std::time::Duration;

handle! {
    single
    /// The parameters of one load: URL, form of the image, sources. A load copies the request and reports invalid
    /// values.
    Request, sdimage_request, sdimage_request_unref
}

/// Whole milliseconds, rounded up, because 0 often means the default of the library, and limited to its maximum.
pub(crate) fn milliseconds(time: Duration) -> u32 {
    u32::try_from((time.as_nanos() + 999_999) / 1_000_000).unwrap_or(u32::MAX)
}

impl Clone for Request {
    fn clone(&self) -> Self {
        made(unsafe { Self::owned(sys::sdimage_request_copy(self.as_ptr())) })
    }
}

impl Request {
    /// Creates a request for a URL. The library has loaders for http, https, file and data.
    pub fn new(url: &str) -> Self {
        made(unsafe { Self::owned(sys::sdimage_request_new_bytes(url.as_ptr().cast(), url.len())) })
    }

    /// The URL.
    pub fn url(&self) -> &str {
        let mut length = 0;
        // SAFETY: borrowed while the request lives and is unchanged; changes take it by value.
        unsafe {
            let start = sys::sdimage_request_url(self.as_ptr(), &mut length).cast::<u8>();
            if start.is_null() {
                return "";
            }
            std::str::from_utf8(std::slice::from_raw_parts(start, length)).unwrap_or("")
        }
    }

    /// A box in pixels that the image is scaled down into while it is decoded, with its proportions preserved.
    pub fn thumbnail_size(self, width: u32, height: u32) -> Self {
        self.thumbnail_size_with_mode(width, height, ScaleMode::AspectFit)
    }

    /// The same with another fit: `Fill` stretches the thumbnail to the box, `AspectFill` covers the box.
    pub fn thumbnail_size_with_mode(self, width: u32, height: u32, mode: ScaleMode) -> Self {
        unsafe { sys::sdimage_request_set_thumbnail_size(self.as_ptr(), width, height, mode.raw()) };
        self
    }

    /// All decode options, including the thumbnail size.
    pub fn decode_options(self, options: &DecodeOptions) -> Self {
        unsafe { sys::sdimage_request_set_decode_options(self.as_ptr(), options.as_ptr()) };
        self
    }

    /// Replaces the URL as the base of the cache key.
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

    /// The use of the cache. Default `DEFAULT`: looks up and stores in memory and on disk.
    pub fn cache_policy(self, policy: CachePolicy) -> Self {
        unsafe { sys::sdimage_request_set_cache_policy(self.as_ptr(), policy.raw()) };
        self
    }

    /// Default: the manager's.
    pub fn freshness(self, freshness: Freshness) -> Self {
        unsafe { sys::sdimage_request_set_freshness(self.as_ptr(), freshness.raw()) };
        self
    }

    /// Delivers partial results while bytes arrive. Default false.
    pub fn progressive(self, progressive: bool) -> Self {
        unsafe { sys::sdimage_request_set_progressive(self.as_ptr(), progressive) };
        self
    }

    /// The minimum time between partial results.
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

    /// Omits a header field, even if the downloader has a default for it, such as Accept.
    pub fn without_header(self, name: &str) -> Self {
        unsafe { sys::sdimage_request_set_header(self.as_ptr(), c_text(name).as_ptr(), std::ptr::null()) };
        self
    }

    /// The timeout of the whole transfer, including redirects and retries.
    pub fn timeout(self, timeout: Duration) -> Self {
        unsafe { sys::sdimage_request_set_timeout_ms(self.as_ptr(), milliseconds(timeout)) };
        self
    }

    /// The number of retries after transient failures, in place of the downloader's.
    pub fn max_retries(self, count: u32) -> Self {
        unsafe { sys::sdimage_request_set_max_retries(self.as_ptr(), count) };
        self
    }

    /// The largest accepted body, without its content coding; 0, the default, is the limit of the downloader.
    pub fn max_body_bytes(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_request_set_max_body_bytes(self.as_ptr(), bytes) };
        self
    }

    /// Loads a URL even if it failed for good recently. Default false.
    pub fn retry_failed(self, retry: bool) -> Self {
        unsafe { sys::sdimage_request_set_retry_failed(self.as_ptr(), retry) };
        self
    }

    /// Delivers the encoded bytes also for an image found in memory. Default false.
    pub fn include_data(self, include: bool) -> Self {
        unsafe { sys::sdimage_request_set_include_data(self.as_ptr(), include) };
        self
    }

    /// Delivers only after the disk cache has committed. Default false.
    pub fn wait_for_store(self, wait: bool) -> Self {
        unsafe { sys::sdimage_request_set_wait_for_store(self.as_ptr(), wait) };
        self
    }

    /// The dispatcher of this load, in place of the manager's. A [`Load`](crate::Load) has one of its own.
    pub fn dispatcher(self, dispatcher: &Dispatcher) -> Self {
        unsafe { sys::sdimage_request_set_dispatcher(self.as_ptr(), dispatcher.as_ptr()) };
        self
    }

    /// The cache of this load, in place of the manager's; `None` disables caching.
    pub fn cache(self, cache: Option<&Cache>) -> Self {
        let raw = cache.map_or(std::ptr::null_mut(), Cache::as_ptr);
        unsafe { sys::sdimage_request_set_cache(self.as_ptr(), raw) };
        self
    }

    /// The loader of this load, in place of the manager's.
    pub fn loader(self, loader: &Loader) -> Self {
        unsafe { sys::sdimage_request_set_loader(self.as_ptr(), loader.as_ptr()) };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_rounded_up() {
        let cases = [(0, 0), (1, 1), (900, 1), (1000, 1), (1001, 2), (u64::MAX, u32::MAX)];
        for (microseconds, wanted) in cases {
            assert_eq!(milliseconds(Duration::from_micros(microseconds)), wanted, "{microseconds} us");
        }
        assert_eq!(milliseconds(Duration::MAX), u32::MAX);
    }
}
