//! Decoding and encoding, and caches, without network.

mod support;

use sdimage::{
    CacheConfig, CacheLayers, Data, DecodeOptions, DynamicRange, EncodeOptions, Error, Format, GainMap, Image, PixelFormat,
    ScaleMode, Status,
};
use support::{folder, picture};

fn red() -> Image {
    Image::from_vec(2, 2, 8, PixelFormat::Rgb8, vec![255, 0, 0, 255, 0, 0, 9, 9, 255, 0, 0, 255, 0, 0]).unwrap()
}

/// A JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in their first segment:
/// fractions of 16.
fn with_gain_map(picture: &Image) -> Vec<u8> {
    let mut segment = b"\xff\xe2\0\x43urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\x08".to_vec();
    segment.extend([16, 0, 32, -8, 48, 24, 1, 2_i32].iter().flat_map(|number| number.to_be_bytes()));
    let file = picture.encode(Format::Jpeg, &EncodeOptions::new()).unwrap();
    [&file[..2], &segment, &file[2..]].concat().repeat(2)
}

fn shared<T: Send + Sync>() {}
fn movable<T: Send>() {}

#[test]
fn handles_may_go_where_the_headers_say() {
    shared::<sdimage::Image>();
    shared::<sdimage::GainMap>();
    shared::<sdimage::Data>();
    shared::<sdimage::LoadResult>();
    shared::<sdimage::Manager>();
    shared::<sdimage::Cache>();
    shared::<sdimage::Loader>();
    shared::<sdimage::LoadSink>();
    shared::<sdimage::Task>();
    shared::<sdimage::Dispatcher>();
    shared::<sdimage::Load>();
    shared::<Error>();
    movable::<sdimage::Request>();
    movable::<sdimage::DecodeOptions>();
    movable::<sdimage::ManagerConfig>();
}

#[test]
fn pixels_are_slices_of_the_library() {
    let image = red();
    assert_eq!((image.width(), image.height(), image.stride(), image.row_bytes()), (2, 2, 8, 6));
    assert_eq!(image.pixels().len(), 14);
    assert_eq!(image.row(1), [255, 0, 0, 255, 0, 0]);
    assert!(std::ptr::eq(image.row(1).as_ptr(), image.pixels()[8..].as_ptr()));
    let copy = image.clone();
    drop(image);
    assert_eq!(copy.row(0)[0], 255);
}

#[test]
fn a_vector_that_is_too_short_is_no_picture() {
    for (width, height, stride) in [(2, 2, 8), (0, 1, 8), (u32::MAX, u32::MAX, usize::MAX)] {
        let why = Image::from_vec(width, height, stride, PixelFormat::Rgb8, vec![0; 13]).unwrap_err();
        assert_eq!(why.code(), Status::InvalidArgument);
    }
}

#[test]
fn pictures_are_encoded_and_decoded_again() {
    let file = red().encode(Format::Png, &EncodeOptions::new()).unwrap();
    assert_eq!(sdimage::sniff(&file), Format::Png);
    assert!(sdimage::can_decode(&file) && sdimage::can_encode(Format::Webp));
    let again = sdimage::decode(&file, &DecodeOptions::new()).unwrap();
    assert_eq!(again.row(1), red().row(1));
    assert_eq!((again.format(), again.format().name(), again.format().mime_type()), (Format::Png, "png", "image/png"));
    assert_eq!((again.pixel_format(), again.pixel_format().bytes()), (PixelFormat::Rgb8, 3));
    assert!(sdimage::info(&file).unwrap().contains("\"format\""));
    let place = folder().join("a.png");
    std::fs::write(&place, &*file).unwrap();
    assert_eq!(sdimage::decode_file(&place, &DecodeOptions::new()).unwrap().width(), 2);
}

#[test]
fn thumbnails_are_made_while_decoding() {
    let options = DecodeOptions::new().thumbnail_size(100, 100).pixel_format(PixelFormat::Bgra8Premultiplied);
    let small = sdimage::decode(&picture("aurora.jpg"), &options).unwrap();
    assert_eq!((small.width(), small.height(), small.source_size()), (100, 63, (1000, 625)));
    assert!(small.is_thumbnail() && small.pixel_format() == PixelFormat::Bgra8Premultiplied);
    assert_eq!(small.resize(10.0, 10.0, ScaleMode::Fill).unwrap().height(), 10);
    assert_eq!(small.convert(PixelFormat::Gray8).unwrap().row_bytes(), 100);
    let sized = |mode| {
        let options = DecodeOptions::new().thumbnail_size_with_mode(100, 100, mode);
        let image = sdimage::decode(&picture("aurora.jpg"), &options).unwrap();
        (image.width(), image.height())
    };
    assert_eq!(sized(ScaleMode::AspectFit), (100, 63));
    assert_eq!(sized(ScaleMode::Fill), (100, 100));
    assert_eq!(sized(ScaleMode::AspectFill), (160, 100));
}

#[test]
fn renditions_have_headroom_and_a_gain_map() {
    let file = with_gain_map(&red());
    let base = sdimage::decode(&file, &DecodeOptions::new()).unwrap();
    assert_eq!((base.pixel_format(), base.headroom(), base.content_headroom()), (PixelFormat::Rgb8, 0.0, 0.0));
    assert!(base.gain_map().is_none() && red().gain_map().is_none());
    let fitting = DecodeOptions::new().dynamic_range(DynamicRange::Automatic).display_headroom(1.5);
    let fitting = sdimage::decode(&file, &fitting).unwrap();
    assert_eq!((fitting.pixel_format(), fitting.headroom(), fitting.content_headroom()), (PixelFormat::RgbaFloat, 1.5, 2.0));
    let bright = sdimage::decode(&file, &DecodeOptions::new().dynamic_range(DynamicRange::Hdr)).unwrap();
    assert_eq!((bright.headroom(), bright.content_headroom()), (2.0, 2.0));
    let map = bright.gain_map().unwrap();
    drop(bright);
    assert_eq!((map.base_headroom(), map.alternate_headroom(), map.is_linear()), (0.0, 2.0, false));
    for channel in 0..3 {
        assert_eq!((map.minimum(channel), map.maximum(channel), map.gamma(channel)), (-0.5, 3.0, 1.5));
        assert_eq!((map.base_offset(channel), map.alternate_offset(channel)), (0.0625, 0.125));
    }
    assert_eq!(map.maximum(3), 0.0);
    let samples = map.clone().image();
    drop(map);
    assert_eq!((samples.width(), samples.pixel_format()), (2, PixelFormat::Rgb8));
}

#[test]
fn gain_maps_are_kept_applied_and_written() {
    let kept = sdimage::decode(&with_gain_map(&red()), &DecodeOptions::new().keep_gain_map(true)).unwrap();
    assert_eq!(kept.pixel_format(), PixelFormat::Rgb8);
    assert_eq!([0.0, 1.0, f64::INFINITY].map(|stops| kept.apply_gain_map(stops).unwrap().headroom()), [0.0, 1.0, 2.0]);
    let map = kept.gain_map().unwrap();
    let bare = kept.with_gain_map(None).unwrap();
    assert!(bare.gain_map().is_none());
    assert_eq!(bare.apply_gain_map(1.0).unwrap_err().code(), Status::Unsupported);

    let again = GainMap::new(&map.image(), &map.parameters().unwrap()).unwrap();
    assert_eq!((again.alternate_headroom(), again.maximum(2)), (2.0, 3.0));
    let made = bare.with_gain_map(Some(&again)).unwrap();
    let file = made.encode(Format::Jpeg, &EncodeOptions::new().embed_gain_map(true)).unwrap();
    let bright = sdimage::decode(&file, &DecodeOptions::new().dynamic_range(DynamicRange::Hdr)).unwrap();
    assert_eq!(bright.headroom(), 2.0);

    let white = Image::from_vec(2, 1, 2, PixelFormat::Gray8, vec![255, 255]).unwrap();
    let light = [4.0_f32, 4.0, 4.0, 1.0].repeat(2).into_iter().flat_map(f32::to_ne_bytes).collect();
    let light = Image::from_vec(2, 1, 32, PixelFormat::RgbaFloat, light).unwrap();
    assert_eq!(GainMap::between(&white, &light).unwrap().alternate_headroom(), 2.0);
    assert_eq!(GainMap::between(&light, &white).unwrap_err().code(), Status::InvalidArgument);
    assert_eq!(GainMap::apple(&white, b"MM").unwrap_err().code(), Status::BadData);
}

#[test]
fn animations_have_frames() {
    let moving = sdimage::decode(&picture("orbits.gif"), &DecodeOptions::new()).unwrap();
    assert_eq!((moving.frame_count(), moving.loop_count(), moving.duration_ms()), (16, 0, 1280));
    assert_eq!(moving.frame(15).unwrap().width(), 320);
    assert_eq!(moving.frame_duration_ms(0), 80);
    assert_eq!(moving.frame(16).unwrap_err().code(), Status::InvalidArgument);
    assert!(!sdimage::decode(&picture("orbits.gif"), &DecodeOptions::new().first_frame_only(true)).unwrap().is_animated());
}

#[test]
fn a_still_of_an_animation_and_a_progressive_file_are_written() {
    let moving = sdimage::decode(&picture("orbits.gif"), &DecodeOptions::new()).unwrap();
    let still = moving.encode(Format::Gif, &EncodeOptions::new().first_frame_only(true)).unwrap();
    assert_eq!(sdimage::decode(&still, &DecodeOptions::new()).unwrap().frame_count(), 1);
    for progressive in [false, true] {
        let file = red().encode(Format::Jpeg, &EncodeOptions::new().progressive(progressive)).unwrap();
        assert_eq!(file.windows(2).any(|marker| marker == b"\xff\xc2"), progressive);
    }
}

#[test]
fn errors_have_codes_and_words() {
    let why = sdimage::decode_file("/no/such/file", &DecodeOptions::new()).unwrap_err();
    assert_eq!((why.code(), why.system_error()), (Status::NotFound, 2));
    assert_eq!(why.to_string(), format!("NOT_FOUND: {}", why.message()));
    assert_eq!(sdimage::decode(b"", &DecodeOptions::new()).unwrap_err().code(), Status::EmptyData);
}

#[test]
fn a_folder_with_a_nul_is_no_other_folder() {
    let cache = CacheConfig::new().directory("nul\0inside").open().unwrap();
    assert!(cache.store(b"key", &Data::copy_of(b"bytes").unwrap()).is_err());
    assert!(!std::path::Path::new("/default").exists());
}

#[test]
fn a_cache_keeps_bytes_and_pictures() {
    let cache = CacheConfig::new().directory(folder()).namespace("rust").open().unwrap();
    let bytes = Data::from_vec(picture("badge.png")).unwrap();
    cache.store(b"a", &bytes).unwrap();
    assert_eq!(&*cache.data(b"a").unwrap().unwrap(), &*bytes);
    assert!(cache.data(b"none").unwrap().is_none() && cache.image(b"none", &DecodeOptions::new()).unwrap().is_none());
    assert_eq!(cache.contains(b"a"), CacheLayers::DISK);
    assert!(cache.memory_image(b"a").is_none());
    assert_eq!(cache.image(b"a", &DecodeOptions::new()).unwrap().unwrap().width(), 400);
    assert!(cache.memory_image(b"a").is_some() && cache.contains(b"a").contains(CacheLayers::DISK | CacheLayers::MEMORY));
    cache.set_memory_image(b"c", &red()).unwrap();
    assert_eq!((cache.contains(b"c"), cache.memory_image(b"c").unwrap().width()), (CacheLayers::MEMORY, 2));
    cache.store_image(b"b", &red(), None, CacheLayers::ALL).unwrap();
    cache.flush().unwrap();
    assert_eq!(cache.disk_totals().unwrap().count, 2);
    cache.remove(b"a", CacheLayers::ALL).unwrap();
    assert_eq!(cache.contains(b"a"), CacheLayers::NONE);
    cache.clear(CacheLayers::ALL).unwrap();
    assert!(cache.statistics().unwrap().contains("\"memory\""));
    cache.close().unwrap();
    assert_eq!(cache.store(b"c", &bytes).unwrap_err().code(), Status::Shutdown);
    let small = CacheConfig::new().memory_only().max_memory_count(1).open().unwrap();
    assert_eq!(small.store(b"a", &bytes).unwrap_err().code(), Status::Unsupported);
}
