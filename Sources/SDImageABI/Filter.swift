import CSDImage
import SDImage

/// Filter names as C strings that can be lent.
private let names = FilterCatalogue.filters.map { CString($0.name) }

@_cdecl("sdimage_filter_count") @implementation
public func sdimage_filter_count() -> Int { names.count }

@_cdecl("sdimage_filter_name") @implementation
public func sdimage_filter_name(_ index: Int) -> Text { unsafe names.indices ~= index ? names[index].pointer : nil }

@_cdecl("sdimage_filter_describe") @implementation
public func sdimage_filter_describe(_ name: Text, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        let filter = try FilterCatalogue.filter(unsafe Input.text(name) ?? "")
        unsafe try give(try filter.description.bytes(), json)
    }
}

extension Filter {
    fileprivate var description: JSONText {
        .object([
            ("name", .string(name)), ("aliases", .array(aliases.map { .string($0) })), ("summary", .string(summary)),
            ("space", .string(space.rawValue)),
            (
                "parameters",
                .array(
                    parameters.map {
                        .object([
                            ("name", .string($0.name)), ("default", .number($0.standard)), ("minimum", .number($0.minimum)),
                            ("maximum", .number($0.maximum)),
                        ])
                    })
            ),
        ])
    }
}
