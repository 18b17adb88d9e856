import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_version") @implementation
public func sdimage_version() -> Text {
    unsafe Names.pointer(Version.text)
}

@_cdecl("sdimage_version_number") @implementation
public func sdimage_version_number() -> UInt32 {
    Version.number
}
