// The C functions, in at least one file for each header; those of include/sdimage/base.h are here. The headers document them.
// The code only converts arguments and results:
//
// - `attempt` runs the body of a function that can fail: an error becomes the status, and an error object if one is wanted.
// - Functions without an error ignore NULL and objects of another kind; getters then return a neutral value (`change`, `read`).
// - `Foreign` is made first, outside `attempt`: `destroy` is called also when the call fails.
// - `requireResult` precedes all work whose result would have no place.
// - `Handle` refuses objects that need threads in a forked child.
//
// The compiler compares each signature with the header (`@implementation`).

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
