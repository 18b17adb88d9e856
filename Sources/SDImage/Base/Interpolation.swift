#if SDIMAGE_NAMELESS
    /// Values whose text would be the names of fields and cases, which the shipped library does not contain. A call is a warning,
    /// and thus an error.
    extension DefaultStringInterpolation {
        @available(*, deprecated, message: "interpolate a name, a number or a raw value")
        package mutating func appendInterpolation<T>(_ value: T) {}
    }
#endif
