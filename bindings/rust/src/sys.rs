//! Handwritten declarations of the C functions that this crate uses; a test compares each with the headers. The headers
//! document behavior and threads. Everything here is as unsafe as C: programs use the modules above it.
#![allow(non_camel_case_types, missing_docs)]

use std::os::raw::{c_char, c_void};

pub use crate::constants::*;
pub use crate::sys_loads::*;

/// Objects of the library; used only behind pointers.
macro_rules! opaque {
    ($($name:ident),* $(,)?) => {$(
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
            // Neither Send nor Sync by itself, and never moved: the handles decide about both.
            _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    sdimage_cache,
    sdimage_cache_config,
    sdimage_data,
    sdimage_decode_options,
    sdimage_dispatcher,
    sdimage_downloader_config,
    sdimage_encode_options,
    sdimage_error,
    sdimage_event,
    sdimage_image,
    sdimage_load_sink,
    sdimage_loader,
    sdimage_manager,
    sdimage_manager_config,
    sdimage_request,
    sdimage_result,
    sdimage_task,
}

pub type sdimage_destroy_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct sdimage_size {
    pub width: u32,
    pub height: u32,
}

#[repr(C)]
pub struct sdimage_load_handler {
    pub size: usize,
    pub result: Option<unsafe extern "C" fn(user_data: *mut c_void, task: *mut sdimage_task, result: *mut sdimage_result)>,
    pub progress: Option<unsafe extern "C" fn(user_data: *mut c_void, task: *mut sdimage_task, received: i64, expected: i64)>,
}

#[repr(C)]
pub struct sdimage_loader_vtable {
    pub size: usize,
    pub can_load: Option<unsafe extern "C" fn(user_data: *mut c_void, request: *const sdimage_request) -> bool>,
    pub load: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            request: *const sdimage_request,
            sink: *mut sdimage_load_sink,
        ) -> sdimage_status,
    >,
    pub cancel: Option<unsafe extern "C" fn(user_data: *mut c_void, sink: *mut sdimage_load_sink)>,
    pub can_share: Option<unsafe extern "C" fn(user_data: *mut c_void, request: *const sdimage_request) -> bool>,
}

extern "C" {
    // base.h
    pub fn sdimage_version() -> *const c_char;
    pub fn sdimage_version_number() -> u32;

    // coder.h
    pub fn sdimage_decode_options_new() -> *mut sdimage_decode_options;
    pub fn sdimage_decode_options_unref(options: *mut sdimage_decode_options);
    pub fn sdimage_decode_options_set_thumbnail_size(
        options: *mut sdimage_decode_options,
        width: u32,
        height: u32,
        preserve_aspect_ratio: bool,
    );
    pub fn sdimage_decode_options_set_pixel_format(options: *mut sdimage_decode_options, pixel_format: sdimage_pixel_format);
    pub fn sdimage_decode_options_set_first_frame_only(options: *mut sdimage_decode_options, first_frame_only: bool);
    pub fn sdimage_decode_options_set_apply_orientation(options: *mut sdimage_decode_options, apply: bool);
    pub fn sdimage_decode_options_set_convert_to_srgb(options: *mut sdimage_decode_options, convert: bool);
    pub fn sdimage_decode_options_set_limit_bytes(options: *mut sdimage_decode_options, limit_bytes: usize);
    pub fn sdimage_decode_options_set_accept_partial(options: *mut sdimage_decode_options, accept: bool);
    pub fn sdimage_sniff(bytes: *const c_void, length: usize) -> sdimage_format;
    pub fn sdimage_decode(
        bytes: *const c_void,
        length: usize,
        options: *const sdimage_decode_options,
        image: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_decode_file(
        path: *const c_char,
        options: *const sdimage_decode_options,
        image: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_info(
        bytes: *const c_void,
        length: usize,
        json: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_can_decode(bytes: *const c_void, length: usize) -> bool;
    pub fn sdimage_can_encode(format: sdimage_format) -> bool;

    // data.h
    pub fn sdimage_data_new(
        bytes: *const c_void,
        length: usize,
        data: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_data_new_adopting(
        bytes: *const c_void,
        length: usize,
        user_data: *mut c_void,
        destroy: sdimage_destroy_fn,
        data: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_data_ref(data: *mut sdimage_data) -> *mut sdimage_data;
    pub fn sdimage_data_unref(data: *mut sdimage_data);
    pub fn sdimage_data_bytes(data: *const sdimage_data) -> *const c_void;
    pub fn sdimage_data_length(data: *const sdimage_data) -> usize;

    // encoder.h
    pub fn sdimage_encode_options_new() -> *mut sdimage_encode_options;
    pub fn sdimage_encode_options_unref(options: *mut sdimage_encode_options);
    pub fn sdimage_encode_options_set_quality(options: *mut sdimage_encode_options, quality: f64);
    pub fn sdimage_encode_options_set_lossless(options: *mut sdimage_encode_options, lossless: bool);
    pub fn sdimage_encode_options_set_effort(options: *mut sdimage_encode_options, effort: u32);
    pub fn sdimage_encode_options_set_max_pixel_size(options: *mut sdimage_encode_options, width: u32, height: u32);
    pub fn sdimage_encode_options_set_max_file_size(options: *mut sdimage_encode_options, bytes: usize);
    pub fn sdimage_encode(
        image: *const sdimage_image,
        format: sdimage_format,
        options: *const sdimage_encode_options,
        data: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;

    // error.h
    pub fn sdimage_status_name(status: sdimage_status) -> *const c_char;
    pub fn sdimage_error_unref(error: *mut sdimage_error);
    pub fn sdimage_error_new(status: sdimage_status, message: *const c_char) -> *mut sdimage_error;
    pub fn sdimage_error_code(error: *const sdimage_error) -> sdimage_status;
    pub fn sdimage_error_message(error: *const sdimage_error) -> *const c_char;
    pub fn sdimage_error_http_status(error: *const sdimage_error) -> i32;
    pub fn sdimage_error_system_error(error: *const sdimage_error) -> i32;
    pub fn sdimage_error_library_code(error: *const sdimage_error) -> i32;
    pub fn sdimage_error_url(error: *const sdimage_error) -> *const c_char;
    pub fn sdimage_error_is_transient(error: *const sdimage_error) -> bool;

    // image.h
    pub fn sdimage_image_new(
        width: u32,
        height: u32,
        stride: usize,
        pixel_format: sdimage_pixel_format,
        pixels: *const c_void,
        image: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_image_new_adopting(
        width: u32,
        height: u32,
        stride: usize,
        pixel_format: sdimage_pixel_format,
        pixels: *mut c_void,
        user_data: *mut c_void,
        destroy: sdimage_destroy_fn,
        image: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_image_ref(image: *mut sdimage_image) -> *mut sdimage_image;
    pub fn sdimage_image_unref(image: *mut sdimage_image);
    pub fn sdimage_image_width(image: *const sdimage_image) -> u32;
    pub fn sdimage_image_height(image: *const sdimage_image) -> u32;
    pub fn sdimage_image_stride(image: *const sdimage_image) -> usize;
    pub fn sdimage_image_pixels(image: *const sdimage_image) -> *const c_void;
    pub fn sdimage_image_pixel_format(image: *const sdimage_image) -> sdimage_pixel_format;
    pub fn sdimage_image_format(image: *const sdimage_image) -> sdimage_format;
    pub fn sdimage_image_has_alpha(image: *const sdimage_image) -> bool;
    pub fn sdimage_image_scale(image: *const sdimage_image) -> f64;
    pub fn sdimage_image_source_size(image: *const sdimage_image) -> sdimage_size;
    pub fn sdimage_image_frame_count(image: *const sdimage_image) -> u32;
    pub fn sdimage_image_loop_count(image: *const sdimage_image) -> u32;
    pub fn sdimage_image_duration_ms(image: *const sdimage_image) -> u64;
    pub fn sdimage_image_copy_frame(
        image: *const sdimage_image,
        index: u32,
        frame: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_image_frame_duration_ms(image: *const sdimage_image, index: u32) -> u32;
    pub fn sdimage_image_is_incremental(image: *const sdimage_image) -> bool;
    pub fn sdimage_image_is_animated(image: *const sdimage_image) -> bool;
    pub fn sdimage_image_is_thumbnail(image: *const sdimage_image) -> bool;
    pub fn sdimage_image_convert(
        image: *const sdimage_image,
        pixel_format: sdimage_pixel_format,
        converted: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_format_name(format: sdimage_format) -> *const c_char;
    pub fn sdimage_format_media_type(format: sdimage_format) -> *const c_char;
    pub fn sdimage_pixel_format_name(pixel_format: sdimage_pixel_format) -> *const c_char;
    pub fn sdimage_pixel_format_bytes(pixel_format: sdimage_pixel_format) -> usize;

    // transformer.h
    pub fn sdimage_image_resize(
        image: *const sdimage_image,
        width: f64,
        height: f64,
        mode: sdimage_scale_mode,
        result: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
}
