//! Decoding and encoding, without loading.

use crate::error::run;
use crate::handle::{c_text, handle, made};
use crate::request::milliseconds;
use crate::{sys, Data, DynamicRange, Format, Image, PixelFormat, Result, ScaleMode};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::time::Duration;

handle! {
    single
    /// Options for decoding. Default: full size, upright, sRGB, 8 bits a channel.
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

    /// A box in pixels that the image is scaled down into while it is decoded, with its proportions preserved; nothing
    /// is enlarged.
    pub fn thumbnail_size(self, width: u32, height: u32) -> Self {
        self.thumbnail_size_with_mode(width, height, ScaleMode::AspectFit)
    }

    /// The same with another fit: `Fill` stretches the thumbnail to the box, `AspectFill` covers the box.
    pub fn thumbnail_size_with_mode(self, width: u32, height: u32, mode: ScaleMode) -> Self {
        unsafe { sys::sdimage_decode_options_set_thumbnail_size(self.as_ptr(), width, height, mode.raw()) };
        self
    }

    /// The pixel format of the result. Default `Automatic`: gray, RGB or RGBA with 8 bits a channel; `Native` keeps the depth of
    /// the file.
    pub fn pixel_format(self, format: PixelFormat) -> Self {
        unsafe { sys::sdimage_decode_options_set_pixel_format(self.as_ptr(), format.raw()) };
        self
    }

    /// The rendition of an image that has more than the range of SDR. Default `Sdr`; the others give `RgbaFloat` for the
    /// pixel formats `Automatic`, `Native` and `RgbaFloat`.
    pub fn dynamic_range(self, range: DynamicRange) -> Self {
        unsafe { sys::sdimage_decode_options_set_dynamic_range(self.as_ptr(), range.raw()) };
        self
    }

    /// The headroom of the display for `DynamicRange::Automatic`, in stops above SDR white. Default 0.
    pub fn display_headroom(self, stops: f64) -> Self {
        unsafe { sys::sdimage_decode_options_set_display_headroom(self.as_ptr(), stops) };
        self
    }

    /// Leaves the base image of a file with a gain map as it is, with its map: for `Image::apply_gain_map`, or for an encode
    /// with `embed_gain_map`. Default false.
    pub fn keep_gain_map(self, keep: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_keep_gain_map(self.as_ptr(), keep) };
        self
    }

    /// Decodes only the first frame of an animation, as a still.
    pub fn first_frame_only(self, only: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_first_frame_only(self.as_ptr(), only) };
        self
    }

    /// Scales the image down until its bitmap takes at most this many bytes; 0 is no limit.
    pub fn limit_bytes(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_decode_options_set_limit_bytes(self.as_ptr(), bytes) };
        self
    }

    /// A safety limit for the number of pixels in the header; 0, the default, is the limit of the library.
    pub fn max_pixels(self, pixels: u64) -> Self {
        unsafe { sys::sdimage_decode_options_set_max_pixels(self.as_ptr(), pixels) };
        self
    }

    /// A safety limit for the bytes of the bitmap; 0, the default, is the limit of the library.
    pub fn max_bytes(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_decode_options_set_max_bytes(self.as_ptr(), bytes) };
        self
    }

    /// A safety limit for the work of the decode, also for reading a header; 0, the default, is the limit of the library.
    pub fn max_work(self, time: Duration) -> Self {
        unsafe { sys::sdimage_decode_options_set_max_work_ms(self.as_ptr(), milliseconds(time)) };
        self
    }

    /// Applies the EXIF orientation. Default true.
    pub fn apply_orientation(self, apply: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_apply_orientation(self.as_ptr(), apply) };
        self
    }

    /// Converts colors to sRGB. Default true.
    pub fn convert_to_srgb(self, convert: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_convert_to_srgb(self.as_ptr(), convert) };
        self
    }

    /// Accepts a damaged image with the rows that could be decoded. Default false.
    pub fn accept_partial(self, accept: bool) -> Self {
        unsafe { sys::sdimage_decode_options_set_accept_partial(self.as_ptr(), accept) };
        self
    }
}

handle! {
    single
    /// Options for encoding. A format ignores options that it does not support.
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

    /// 0 to 1; default 1.
    pub fn quality(self, quality: f64) -> Self {
        unsafe { sys::sdimage_encode_options_set_quality(self.as_ptr(), quality) };
        self
    }

    /// Encodes every pixel unchanged: WebP and AVIF.
    pub fn lossless(self, lossless: bool) -> Self {
        unsafe { sys::sdimage_encode_options_set_lossless(self.as_ptr(), lossless) };
        self
    }

    /// The effort spent on a smaller file: 1 to 9; 0 is the default of the format.
    pub fn effort(self, effort: u32) -> Self {
        unsafe { sys::sdimage_encode_options_set_effort(self.as_ptr(), effort) };
        self
    }

    /// Encodes the first frame of an animation only, as a still. Default false.
    pub fn first_frame_only(self, only: bool) -> Self {
        unsafe { sys::sdimage_encode_options_set_first_frame_only(self.as_ptr(), only) };
        self
    }

    /// JPEG: writes a progressive file, which is slightly smaller. Default false.
    pub fn progressive(self, progressive: bool) -> Self {
        unsafe { sys::sdimage_encode_options_set_progressive(self.as_ptr(), progressive) };
        self
    }

    /// JPEG: writes the gain map of a base image, or one for the light above SDR white. Default false.
    pub fn embed_gain_map(self, embed: bool) -> Self {
        unsafe { sys::sdimage_encode_options_set_embed_gain_map(self.as_ptr(), embed) };
        self
    }

    /// Scales down into a box of pixels.
    pub fn max_pixel_size(self, width: u32, height: u32) -> Self {
        unsafe { sys::sdimage_encode_options_set_max_pixel_size(self.as_ptr(), width, height) };
        self
    }

    /// Selects the best quality with a file of at most this many bytes; 0 is no limit.
    pub fn max_file_size(self, bytes: usize) -> Self {
        unsafe { sys::sdimage_encode_options_set_max_file_size(self.as_ptr(), bytes) };
        self
    }
}

/// Detects the format by its signature alone; `Unknown` when none matches.
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

/// Decodes a file in the same way.
pub fn decode_file(path: impl AsRef<Path>, options: &DecodeOptions) -> Result<Image> {
    let path = CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_else(|_| c_text(""));
    let mut raw = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_decode_file(path.as_ptr(), options.as_ptr(), &mut raw, why) })?;
    Ok(made(unsafe { Image::owned(raw) }))
}

/// The properties in the header, as a JSON object; decodes no pixels.
pub fn info(bytes: &[u8]) -> Result<String> {
    let mut info = ptr::null_mut();
    run(|why| unsafe { sys::sdimage_info_new(bytes.as_ptr().cast(), bytes.len(), ptr::null(), &mut info, why) })?;
    let mut raw = ptr::null_mut();
    let written = run(|why| unsafe { sys::sdimage_info_to_json(info, &mut raw, why) });
    unsafe { sys::sdimage_info_unref(info) };
    written?;
    Ok(made(unsafe { Data::owned(raw) }).into_string())
}

/// Reports whether a registered coder recognizes the bytes.
pub fn can_decode(bytes: &[u8]) -> bool {
    unsafe { sys::sdimage_can_decode(bytes.as_ptr().cast(), bytes.len()) }
}

/// Reports whether a registered coder encodes the format.
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
    pub fn mime_type(self) -> &'static str {
        unsafe { crate::handle::text(sys::sdimage_format_mime_type(self.raw())) }
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
