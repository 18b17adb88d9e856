import Glibc

/// Immutable NUL-terminated string with a stable address, so that C callers can borrow it.
/// Names, messages and URLs of results have this form, so that C code reads them without a copy and a conversion.
@safe package final class CString: @unchecked Sendable {
    // Unchecked: the memory is written in `init` and only read afterwards.
    private let storage: UnsafeMutablePointer<CChar>?
    /// Length in bytes, without the terminator.
    package let count: Int

    package static let empty = CString("")

    /// Copies up to the first NUL byte of `string`; empty if memory is refused.
    package init(_ string: String) {
        var copy = string
        unsafe (storage, count) = copy.withUTF8 { utf8 in
            let length = unsafe utf8.firstIndex(of: 0) ?? utf8.count
            guard let memory = unsafe malloc(length + 1)?.assumingMemoryBound(to: CChar.self) else { return (nil, 0) }
            if length > 0, let source = utf8.baseAddress { unsafe memcpy(memory, source, length) }
            unsafe memory[length] = 0
            return unsafe (memory, length)
        }
    }

    /// Copies all bytes, NUL bytes included, and appends a NUL; empty if memory is refused.
    package init(_ bytes: [UInt8]) {
        unsafe (storage, count) = bytes.withUnsafeBytes { source in
            guard let memory = unsafe malloc(source.count + 1) else { return (nil, 0) }
            if let from = source.baseAddress { unsafe memcpy(memory, from, source.count) }
            unsafe memory.storeBytes(of: 0, toByteOffset: source.count, as: UInt8.self)
            return unsafe (memory.assumingMemoryBound(to: CChar.self), source.count)
        }
    }

    deinit { unsafe free(storage) }

    package var isEmpty: Bool { count == 0 }

    /// Never NULL; valid as long as this object.
    /// An empty string after a refused allocation has a static terminator, so a getter of C needs no error path.
    package var pointer: UnsafePointer<CChar> {
        if let storage = unsafe storage { return unsafe UnsafePointer(storage) }
        return unsafe CString.emptyStorage
    }

    package var string: String { unsafe String(cString: pointer) }

    nonisolated(unsafe) private static let emptyStorage: UnsafePointer<CChar> = {
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        unsafe memory.pointee = 0
        return unsafe UnsafePointer(memory)
    }()
}
