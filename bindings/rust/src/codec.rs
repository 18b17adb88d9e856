//! Bytes to pixels, without loading.

use crate::error::run;
use crate::handle::{c_text, handle, made};
use crate::{sys, Data, Format, Image, PixelFormat, Result};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

handle! {
    single
    /// How to decode. Default: full size, upright, sRGB, the smallest straight pixel format that holds the picture.
    DecodeOptions, sdimage_decode_options, sdimage_decode_options_unref
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DecodeOptions {
    /// The defaults.
    pub fn new() -> Self {
        made(unsafe { Self::owned(sys::sdimage_decode_options_new()) })
    }

    /// A box in pixels that the picture is shrunk into while it is decoded, keeping its proportions; none is enlarged.
    pub fn thumbnail_size(self, width: u32, height: u32) -> Self {
        unsafe { sys::sdimage_decode_options_set_thumbnail_size(self.as_ptr(), width, height, true) };
        self
    }

    /// The pixels wanted.
    pub fn pixel_format(self, format: PixelFormat) -> Self {
        unsafe { sys::sdimage_decode_options_set_pixel_format(self.as_ptr(), format.raw()) };
        self
    }

    /// An animation as the still of its first frame.
    pub fn first_frame_only(self, only: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_first_frame_only(self.as_ptr(), only) };
        self
    }

    /// Shrinks the picture until its bitmap takes at most so many bytes; 0 is no limit.
    pub fn limit_bytes(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_decode_options_set_limit_bytes(self.as_ptr(), bytes) };
        self
    }

    /// Whether EXIF orientation is applied. Default true.
    pub fn apply_orientation(self, apply: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_apply_orientation(self.as_ptr(), apply) };
        self
    }

    /// Whether colours are converted to sRGB. Default true.
    pub fn convert_to_srgb(self, convert: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_convert_to_srgb(self.as_ptr(), convert) };
        self
    }

    /// Whether the rows of a damaged picture that could be decoded are a success. Default false.
    pub fn accept_partial(self, accept: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_accept_partial(self.as_ptr(), accept) };
        self
    }
}

handle! {
    single
    /// How to encode. What a format has no use for it passes over.
    EncodeOptions, sdimage_encode_options, sdimage_encode_options_unref
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl EncodeOptions {
    /// The defaults.
    pub fn new() -> Self {
        made(unsafe { Self::owned(sys::sdimage_encode_options_new()) })
    }

    /// 0 to 1, the default.
    pub fn quality(self, quality: f64) -> Self {
        unsafe { sys::sdimage_encode_options_set_quality(self.as_ptr(), quality) };
        self
    }

    /// Every pixel as it is: WebP and AVIF.
    pub fn lossless(self, lossless: bool) -> Self {
        unsafe { sys::sdimage_encode_options_set_lossless(self.as_ptr(), lossless) };
        self
    }

    /// How long to look for something smaller: 1 to 9; 0 is the format's own.
    pub fn effort(self, effort: u32) -> Self {
        unsafe { sys::sdimage_encode_options_set_effort(self.as_ptr(), effort) };
        self
    }

    /// Shrinks into a box of pixels.
    pub fn max_pixel_size(self, width: u32, height: u32) -> Self {
        unsafe { sys::sdimage_encode_options_set_max_pixel_size(self.as_ptr(), width, height) };
        self
    }

    /// The best quality whose file has at most so many bytes; 0 is any.
    pub fn max_file_size(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_encode_options_set_max_file_size(self.as_ptr(), bytes) };
        self
    }
}

/// The format by its signature alone; `Undefined` when none matches.
pub fn sniff(bytes: &[u8]) -> Format {
    Format::from_raw(unsafe { sys::sdimage_sniff(bytes.as_ptr().cast(), bytes.len()) })
}

/// Decodes on this thread.
///
/// ```
/// let why = sdimage::decode(b"<html>", &Default::default()).unwrap_err();
/// assert_eq!(why.code(), sdimage::Status::NotAnImage);
/// ```
pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<Image> {
    let mut raw = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_decode(bytes.as_ptr().cast(), bytes.len(), options.as_ptr(), &mut raw, why) })?;
    Ok(made(unsafe { Image::owned(raw) }))
}

/// The same for a file.
pub fn decode_file(path: impl AsRef<Path>, options: &DecodeOptions) -> Result<Image> {
    let path = CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_else(|_| c_text(""));
    let mut raw = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_decode_file(path.as_ptr(), options.as_ptr(), &mut raw, why) })?;
    Ok(made(unsafe { Image::owned(raw) }))
}

/// What a header says, as a JSON object; no pixel is decoded.
pub fn info(bytes: &[u8]) -> Result<String> {
    let mut raw = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_info(bytes.as_ptr().cast(), bytes.len(), &mut raw, why) })?;
    Ok(made(unsafe { Data::owned(raw) }).into_string())
}

/// Whether a registered coder recognises the bytes.
pub fn can_decode(bytes: &[u8]) -> bool {
    unsafe { sys::sdimage_can_decode(bytes.as_ptr().cast(), bytes.len()) }
}

/// Whether a registered coder encodes the format.
pub fn can_encode(format: Format) -> bool {
    unsafe { sys::sdimage_can_encode(format.raw()) }
}

impl Format {
    /// "jpeg", "png", …
    pub fn name(self) -> &'static str {
        // SAFETY: static text, here and below.
        unsafe { crate::handle::text(sys::sdimage_format_name(self.raw())) }
    }

    /// "image/jpeg", …
    pub fn media_type(self) -> &'static str {
        unsafe { crate::handle::text(sys::sdimage_format_media_type(self.raw())) }
    }
}

impl PixelFormat {
    /// "rgba8", …
    pub fn name(self) -> &'static str {
        unsafe { crate::handle::text(sys::sdimage_pixel_format_name(self.raw())) }
    }

    /// Bytes of one pixel; 0 for `Automatic`.
    pub fn bytes(self) -> usize {
        unsafe { sys::sdimage_pixel_format_bytes(self.raw()) }
    }
}
