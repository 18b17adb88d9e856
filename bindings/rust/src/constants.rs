//! The values of the C enums that this crate uses. C enums are open: a library of a later version may return others.
#![allow(non_camel_case_types, missing_docs)]

use std::os::raw::c_int;

pub type sdimage_event_type = c_int;
pub const SDIMAGE_EVENT_TYPE_RESULT: sdimage_event_type = 1;
pub const SDIMAGE_EVENT_TYPE_PROGRESS: sdimage_event_type = 2;

pub type sdimage_status = c_int;
pub const SDIMAGE_STATUS_NEED_MORE_DATA: sdimage_status = 2;
pub const SDIMAGE_STATUS_END: sdimage_status = 1;
pub const SDIMAGE_STATUS_OK: sdimage_status = 0;
pub const SDIMAGE_STATUS_INVALID_ARGUMENT: sdimage_status = -1;
pub const SDIMAGE_STATUS_BAD_HANDLE: sdimage_status = -2;
pub const SDIMAGE_STATUS_UNSUPPORTED: sdimage_status = -3;
pub const SDIMAGE_STATUS_NO_MEMORY: sdimage_status = -4;
pub const SDIMAGE_STATUS_CANCELLED: sdimage_status = -5;
pub const SDIMAGE_STATUS_SHUTDOWN: sdimage_status = -6;
pub const SDIMAGE_STATUS_FORKED: sdimage_status = -7;
pub const SDIMAGE_STATUS_WOULD_DEADLOCK: sdimage_status = -8;
pub const SDIMAGE_STATUS_TIMEOUT: sdimage_status = -9;
pub const SDIMAGE_STATUS_NOT_FOUND: sdimage_status = -10;
pub const SDIMAGE_STATUS_BUSY: sdimage_status = -11;
pub const SDIMAGE_STATUS_INTERNAL_ERROR: sdimage_status = -12;
pub const SDIMAGE_STATUS_INVALID_URL: sdimage_status = -20;
pub const SDIMAGE_STATUS_SCHEME_FORBIDDEN: sdimage_status = -21;
pub const SDIMAGE_STATUS_ADDRESS_FORBIDDEN: sdimage_status = -22;
pub const SDIMAGE_STATUS_RESOLVE_FAILED: sdimage_status = -23;
pub const SDIMAGE_STATUS_CONNECT_FAILED: sdimage_status = -24;
pub const SDIMAGE_STATUS_TLS_FAILED: sdimage_status = -25;
pub const SDIMAGE_STATUS_CONNECTION_LOST: sdimage_status = -26;
pub const SDIMAGE_STATUS_HTTP_STATUS: sdimage_status = -27;
pub const SDIMAGE_STATUS_TOO_MANY_REDIRECTS: sdimage_status = -28;
pub const SDIMAGE_STATUS_REDIRECT_FORBIDDEN: sdimage_status = -29;
pub const SDIMAGE_STATUS_CONTENT_TYPE: sdimage_status = -30;
pub const SDIMAGE_STATUS_NOT_MODIFIED: sdimage_status = -31;
pub const SDIMAGE_STATUS_OFFLINE: sdimage_status = -32;
pub const SDIMAGE_STATUS_FAILED_URL: sdimage_status = -33;
pub const SDIMAGE_STATUS_INVALID_REQUEST: sdimage_status = -34;
pub const SDIMAGE_STATUS_INVALID_RESPONSE: sdimage_status = -35;
pub const SDIMAGE_STATUS_PROTOCOL_ERROR: sdimage_status = -36;
pub const SDIMAGE_STATUS_AUTHENTICATION_FAILED: sdimage_status = -37;
pub const SDIMAGE_STATUS_BAD_DATA: sdimage_status = -50;
pub const SDIMAGE_STATUS_TRUNCATED: sdimage_status = -51;
pub const SDIMAGE_STATUS_NOT_AN_IMAGE: sdimage_status = -52;
pub const SDIMAGE_STATUS_TOO_LARGE: sdimage_status = -53;
pub const SDIMAGE_STATUS_EMPTY_DATA: sdimage_status = -54;
pub const SDIMAGE_STATUS_TRANSFORM_FAILED: sdimage_status = -55;
pub const SDIMAGE_STATUS_ENCODE_FAILED: sdimage_status = -56;
pub const SDIMAGE_STATUS_DECODER_CRASHED: sdimage_status = -57;
pub const SDIMAGE_STATUS_MODULE_MISSING: sdimage_status = -58;
pub const SDIMAGE_STATUS_IO_ERROR: sdimage_status = -70;
pub const SDIMAGE_STATUS_PERMISSION_DENIED: sdimage_status = -71;
pub const SDIMAGE_STATUS_NOT_A_FILE: sdimage_status = -72;
pub const SDIMAGE_STATUS_DISK_FULL: sdimage_status = -73;
pub const SDIMAGE_STATUS_CACHE_UNUSABLE: sdimage_status = -74;
pub const SDIMAGE_STATUS_CACHE_DAMAGED: sdimage_status = -75;
pub const SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED: sdimage_status = -90;
pub const SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE: sdimage_status = -91;
pub const SDIMAGE_STATUS_PHOTOS_NOT_FOUND: sdimage_status = -92;

pub type sdimage_pixel_format = c_int;
pub const SDIMAGE_PIXEL_FORMAT_AUTOMATIC: sdimage_pixel_format = 0;
pub const SDIMAGE_PIXEL_FORMAT_GRAY8: sdimage_pixel_format = 1;
pub const SDIMAGE_PIXEL_FORMAT_RGB8: sdimage_pixel_format = 2;
pub const SDIMAGE_PIXEL_FORMAT_RGBA8: sdimage_pixel_format = 3;
pub const SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED: sdimage_pixel_format = 4;
pub const SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED: sdimage_pixel_format = 5;
pub const SDIMAGE_PIXEL_FORMAT_GRAY16: sdimage_pixel_format = 6;
pub const SDIMAGE_PIXEL_FORMAT_RGB16: sdimage_pixel_format = 7;
pub const SDIMAGE_PIXEL_FORMAT_RGBA16: sdimage_pixel_format = 8;
pub const SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT: sdimage_pixel_format = 9;

pub type sdimage_format = c_int;
pub const SDIMAGE_FORMAT_UNDEFINED: sdimage_format = -1;
pub const SDIMAGE_FORMAT_JPEG: sdimage_format = 0;
pub const SDIMAGE_FORMAT_PNG: sdimage_format = 1;
pub const SDIMAGE_FORMAT_GIF: sdimage_format = 2;
pub const SDIMAGE_FORMAT_TIFF: sdimage_format = 3;
pub const SDIMAGE_FORMAT_WEBP: sdimage_format = 4;
pub const SDIMAGE_FORMAT_HEIC: sdimage_format = 5;
pub const SDIMAGE_FORMAT_HEIF: sdimage_format = 6;
pub const SDIMAGE_FORMAT_PDF: sdimage_format = 7;
pub const SDIMAGE_FORMAT_SVG: sdimage_format = 8;
pub const SDIMAGE_FORMAT_BMP: sdimage_format = 9;
pub const SDIMAGE_FORMAT_RAW: sdimage_format = 10;
pub const SDIMAGE_FORMAT_ICO: sdimage_format = 11;
pub const SDIMAGE_FORMAT_AVIF: sdimage_format = 15;
pub const SDIMAGE_FORMAT_JXL: sdimage_format = 17;

pub type sdimage_priority = c_int;
pub const SDIMAGE_PRIORITY_LOW: sdimage_priority = -1;
pub const SDIMAGE_PRIORITY_NORMAL: sdimage_priority = 0;
pub const SDIMAGE_PRIORITY_HIGH: sdimage_priority = 1;

pub type sdimage_source_policy = c_int;
pub const SDIMAGE_SOURCE_POLICY_ANY: sdimage_source_policy = 0;
pub const SDIMAGE_SOURCE_POLICY_CACHE_ONLY: sdimage_source_policy = 1;
pub const SDIMAGE_SOURCE_POLICY_LOADER_ONLY: sdimage_source_policy = 2;

pub type sdimage_cache_layers = c_int;
pub const SDIMAGE_CACHE_LAYERS_NONE: sdimage_cache_layers = 0;
pub const SDIMAGE_CACHE_LAYERS_DISK: sdimage_cache_layers = 1;
pub const SDIMAGE_CACHE_LAYERS_MEMORY: sdimage_cache_layers = 2;
pub const SDIMAGE_CACHE_LAYERS_ALL: sdimage_cache_layers = 3;

pub type sdimage_freshness = c_int;
pub const SDIMAGE_FRESHNESS_IGNORE: sdimage_freshness = 0;
pub const SDIMAGE_FRESHNESS_RESPECT: sdimage_freshness = 1;
pub const SDIMAGE_FRESHNESS_REFRESH: sdimage_freshness = 2;

pub type sdimage_delivery_kind = c_int;
pub const SDIMAGE_DELIVERY_KIND_PARTIAL: sdimage_delivery_kind = 1;
pub const SDIMAGE_DELIVERY_KIND_CACHED: sdimage_delivery_kind = 2;
pub const SDIMAGE_DELIVERY_KIND_FINAL: sdimage_delivery_kind = 3;

pub type sdimage_image_source = c_int;
pub const SDIMAGE_IMAGE_SOURCE_NONE: sdimage_image_source = 0;
pub const SDIMAGE_IMAGE_SOURCE_MEMORY: sdimage_image_source = 1;
pub const SDIMAGE_IMAGE_SOURCE_DISK: sdimage_image_source = 2;
pub const SDIMAGE_IMAGE_SOURCE_REMOTE: sdimage_image_source = 3;
pub const SDIMAGE_IMAGE_SOURCE_NETWORK: sdimage_image_source = 4;
pub const SDIMAGE_IMAGE_SOURCE_LOADER: sdimage_image_source = 5;

pub type sdimage_stage = c_int;
pub const SDIMAGE_STAGE_TOTAL: sdimage_stage = 0;
pub const SDIMAGE_STAGE_QUEUED: sdimage_stage = 1;
pub const SDIMAGE_STAGE_DISK: sdimage_stage = 2;
pub const SDIMAGE_STAGE_LOAD: sdimage_stage = 3;
pub const SDIMAGE_STAGE_DECODE: sdimage_stage = 4;
pub const SDIMAGE_STAGE_STORE: sdimage_stage = 5;

pub type sdimage_scale_mode = c_int;
pub const SDIMAGE_SCALE_MODE_FILL: sdimage_scale_mode = 0;
pub const SDIMAGE_SCALE_MODE_ASPECT_FIT: sdimage_scale_mode = 1;
pub const SDIMAGE_SCALE_MODE_ASPECT_FILL: sdimage_scale_mode = 2;
