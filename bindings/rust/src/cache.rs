//! Images in memory, encoded bytes on disk. Keys are bytes.

use crate::error::run;
use crate::handle::{c_text, handle, made};
use crate::{sys, CacheLayers, Data, DecodeOptions, Error, Image, Result, Status};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

handle! {
    single
    /// The configuration of a cache.
    CacheConfig, sdimage_cache_config, sdimage_cache_config_unref
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self::new()
    }
}

impl CacheConfig {
    /// The defaults: no limits in memory, a week on disk.
    pub fn new() -> Self {
        made(unsafe { Self::owned(sys::sdimage_cache_config_new()) })
    }

    /// The folder of the disk part; created when missing. Default: below the user's cache folder.
    pub fn directory(self, path: impl AsRef<Path>) -> Self {
        // A path with a NUL names no folder and must not become another path. Stores report this one as unusable.
        let path = CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_else(|_| c_text("/dev/null"));
        unsafe { sys::sdimage_cache_config_set_directory(self.as_ptr(), path.as_ptr()) };
        self
    }

    /// A sub-folder, so that parts of a program do not see each other's entries.
    pub fn namespace(self, name: &str) -> Self {
        unsafe { sys::sdimage_cache_config_set_namespace(self.as_ptr(), c_text(name).as_ptr()) };
        self
    }

    /// Disables the disk part.
    pub fn memory_only(self) -> Self {
        unsafe { sys::sdimage_cache_config_set_memory_only(self.as_ptr(), true) };
        self
    }

    /// Bytes of pixels in memory; 0 is no limit.
    pub fn max_memory_cost(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_cache_config_set_max_memory_cost(self.as_ptr(), bytes) };
        self
    }

    /// Images in memory; 0 is no limit.
    pub fn max_memory_count(self, count: usize) -> Self {
        unsafe { sys::sdimage_cache_config_set_max_memory_count(self.as_ptr(), count) };
        self
    }

    /// Bytes on disk; 0 is no limit.
    pub fn max_disk_size(self, bytes: u64) -> Self {
        unsafe { sys::sdimage_cache_config_set_max_disk_size(self.as_ptr(), bytes) };
        self
    }

    /// Seconds that an entry stays after its last access; a negative value never expires.
    pub fn max_disk_age(self, seconds: i64) -> Self {
        unsafe { sys::sdimage_cache_config_set_max_disk_age(self.as_ptr(), seconds) };
        self
    }

    /// Opens the cache. An unusable folder is no error: stores report the reason.
    pub fn open(self) -> Result<Cache> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_cache_new(self.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Cache::owned(raw) }))
    }
}

/// The contents of the disk part, according to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskTotals {
    /// Bytes.
    pub bytes: u64,
    /// Entries.
    pub count: u64,
}

handle! {
    shared
    /// Images in memory, encoded bytes on disk. Functions on bytes block on the disk.
    Cache, sdimage_cache, sdimage_cache_ref, sdimage_cache_unref
}

/// Converts a missing entry from a failure to `None`.
fn found<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(why) if why.code() == Status::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

impl Cache {
    /// The image in memory. Never blocks.
    pub fn memory_image(&self, key: &[u8]) -> Option<Image> {
        let mut raw = ptr::null_mut();
        unsafe {
            sys::sdimage_cache_get_memory_image(self.as_ptr(), key.as_ptr().cast(), key.len(), &mut raw);
            Image::owned(raw)
        }
    }

    /// Holds an image in memory only.
    pub fn set_memory_image(&self, key: &[u8], image: &Image) -> Result<()> {
        let (start, length) = (key.as_ptr().cast(), key.len());
        run(|why| unsafe { sys::sdimage_cache_set_memory_image(self.as_ptr(), start, length, image.as_ptr(), why) }).map(drop)
    }

    /// The image of an entry: from memory, or decoded from disk and then held in memory.
    pub fn image(&self, key: &[u8], options: &DecodeOptions) -> Result<Option<Image>> {
        let mut raw = ptr::null_mut();
        let (start, length) = (key.as_ptr().cast(), key.len());
        let status =
            run(|why| unsafe { sys::sdimage_cache_get_image(self.as_ptr(), start, length, options.as_ptr(), &mut raw, why) });
        found(status.map(|_| made(unsafe { Image::owned(raw) })))
    }

    /// The bytes of an entry: a copy in memory.
    pub fn data(&self, key: &[u8]) -> Result<Option<Data>> {
        let mut raw = ptr::null_mut();
        let (start, length) = (key.as_ptr().cast(), key.len());
        let status = run(|why| unsafe { sys::sdimage_cache_get_data(self.as_ptr(), start, length, &mut raw, why) });
        found(status.map(|_| made(unsafe { Data::owned(raw) })))
    }

    /// Stores bytes and returns when they are committed.
    pub fn store(&self, key: &[u8], data: &Data) -> Result<()> {
        let (start, length) = (key.as_ptr().cast(), key.len());
        run(|why| unsafe { sys::sdimage_cache_store_data(self.as_ptr(), start, length, data.as_ptr(), why) }).map(drop)
    }

    /// Stores an image in the given layers; its bytes are `data`, or else the encoded image.
    pub fn store_image(&self, key: &[u8], image: &Image, data: Option<&Data>, layers: CacheLayers) -> Result<()> {
        let (start, length) = (key.as_ptr().cast(), key.len());
        let bytes = data.map_or(ptr::null_mut(), Data::as_ptr);
        run(|why| unsafe {
            sys::sdimage_cache_store(self.as_ptr(), start, length, image.as_ptr(), bytes, layers.raw(), ptr::null(), why)
        })
        .map(drop)
    }

    /// The layers that hold an entry.
    pub fn contains(&self, key: &[u8]) -> CacheLayers {
        CacheLayers::from_raw(unsafe { sys::sdimage_cache_contains(self.as_ptr(), key.as_ptr().cast(), key.len()) })
    }

    /// Removes an entry from the given layers; a missing entry is no error.
    pub fn remove(&self, key: &[u8], layers: CacheLayers) -> Result<()> {
        run(|why| unsafe { sys::sdimage_cache_remove(self.as_ptr(), key.as_ptr().cast(), key.len(), layers.raw(), why) })
            .map(drop)
    }

    /// Removes everything from the given layers.
    pub fn clear(&self, layers: CacheLayers) -> Result<()> {
        run(|why| unsafe { sys::sdimage_cache_clear(self.as_ptr(), layers.raw(), why) }).map(drop)
    }

    /// Waits until all earlier stores are committed.
    pub fn flush(&self) -> Result<()> {
        run(|why| unsafe { sys::sdimage_cache_flush(self.as_ptr(), why) }).map(drop)
    }

    /// Commits pending stores and closes the disk part, for all handles.
    pub fn close(&self) -> std::result::Result<(), Error> {
        run(|why| unsafe { sys::sdimage_cache_close(self.as_ptr(), why) }).map(drop)
    }

    /// Bytes and entries on disk.
    pub fn disk_totals(&self) -> Result<DiskTotals> {
        let (mut bytes, mut count) = (0, 0);
        run(|why| unsafe { sys::sdimage_cache_get_disk_totals(self.as_ptr(), &mut bytes, &mut count, why) })?;
        Ok(DiskTotals { bytes, count })
    }

    /// Counters since the cache was opened, as a JSON object.
    pub fn statistics(&self) -> Result<String> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_cache_statistics_to_json(self.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Data::owned(raw) }).into_string())
    }
}
