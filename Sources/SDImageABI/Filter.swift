import CSDImage
import SDImage

@_cdecl("sdimage_filter_count") @implementation
public func sdimage_filter_count() -> Int { 0 }

@_cdecl("sdimage_filter_name") @implementation
public func sdimage_filter_name(_ index: Int) -> Text { nil }

@_cdecl("sdimage_filter_describe") @implementation
public func sdimage_filter_describe(_ name: Text, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(json)
        throw ImageError(.invalidArgument, "no filter of that name")
    }
}
