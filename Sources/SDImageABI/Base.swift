import CSDImage
import SDImage

/// The version, as text and as a number, as declared in the header.
enum Version {
    static let text: StaticString = "0.1.0"
    static let number: UInt32 = 1000
}

@_cdecl("sdimage_version") @implementation
public func sdimage_version() -> Text {
    unsafe Names.pointer(Version.text)
}

@_cdecl("sdimage_version_number") @implementation
public func sdimage_version_number() -> UInt32 {
    Version.number
}
