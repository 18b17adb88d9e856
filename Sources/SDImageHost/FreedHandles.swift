#if DEBUG
    import SDImage

    /// Addresses of objects whose last reference was released through the C API (docs/decisions.md, "Freed handles"). A call
    /// with such a pointer fails with BAD_HANDLE instead of touching the memory. Debug builds only: the rule of the API remains
    /// that using a freed handle is undefined.
    ///
    /// An address is removed when an object at it is handed out again, owned or lent. In a forked child, which may inherit a
    /// held lock, nothing is in quarantine.
    @usableFromInline package enum FreedHandles {
        private static let addresses = Lock<Set<UInt>>([])

        @usableFromInline package static func insert(_ pointer: OpaquePointer) { unsafe change(pointer) { $0.insert($1) } }

        @usableFromInline package static func remove(_ pointer: OpaquePointer) { unsafe change(pointer) { $0.remove($1) } }

        @usableFromInline package static func contains(_ pointer: OpaquePointer) -> Bool {
            let address = UInt(bitPattern: pointer)
            return !Engine.isForked && addresses.withLock { $0.contains(address) }
        }

        /// Changes the set, except in a forked child.
        private static func change(_ pointer: OpaquePointer, _ body: (inout Set<UInt>, UInt) -> Void) {
            let address = UInt(bitPattern: pointer)
            if !Engine.isForked { addresses.withLock { body(&$0, address) } }
        }
    }
#endif
