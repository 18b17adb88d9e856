import CSDImage
import Glibc
import SDImage

/// Reads arguments of C callers: lengths and pointers are checked here, once. Errors are INVALID_ARGUMENT, or those of
/// `Handle.borrow`. SDIMAGE_NUL_TERMINATED is the largest `size_t`, which Swift imports as -1.
@usableFromInline package enum Input {
    /// Bytes with a length, which may be SDIMAGE_NUL_TERMINATED for text.
    package static func bytes(_ pointer: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> [UInt8] {
        let buffer = unsafe try view(pointer, length)
        guard buffer.count <= longestText else {
            throw ImageError(.invalidArgument, "argument: text of \(buffer.count) bytes exceeds the limit of \(longestText)")
        }
        return unsafe Array(buffer)
    }

    /// Maximum bytes of a text and entries of a list. Generous even for a data: URL; a longer length is an error of the caller.
    private static let longestText = 64 << 20

    /// Bytes other than text, which require a length; valid during the call.
    package static func content(_ pointer: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> UnsafeRawBufferPointer {
        guard length >= 0 else { throw ImageError(.invalidArgument, "argument: length exceeds the address space") }
        return unsafe try view(pointer, length)
    }

    /// Bytes with a length, which may be SDIMAGE_NUL_TERMINATED for text, without a copy; valid during the call.
    @inlinable @inline(__always)
    package static func view(_ pointer: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> UnsafeRawBufferPointer {
        guard let pointer = unsafe pointer, length >= -1 else {
            guard length == 0 else { throw unsafe refusal(pointer, length) }
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // Lengths below -1 are sizes of 2^63 and above, which no memory has.
        let count = unsafe length == -1 ? strlen(pointer.assumingMemoryBound(to: CChar.self)) : length
        return unsafe UnsafeRawBufferPointer(start: pointer, count: count)
    }

    /// An argument of type `size_t`, which Swift imports as `Int`: 2^63 and above become the maximum.
    @inlinable @inline(__always)
    package static func size(_ value: Int) -> Int { value < 0 ? .max : value }

    /// The error for bytes that cannot be read.
    @usableFromInline
    static func refusal(_ pointer: UnsafeRawPointer?, _ length: Int) -> ImageError {
        ImageError(
            .invalidArgument,
            unsafe pointer == nil
                ? "argument: NULL with length \(UInt(bitPattern: length))" : "argument: length exceeds the address space")
    }

    /// A valid key.
    package static func key(_ pointer: UnsafeRawPointer?, _ length: Int) throws(ImageError) -> CacheKey {
        let bytes = unsafe try bytes(pointer, length)
        try CacheKey.validate(bytes)
        return CacheKey(bytes)
    }

    /// Text of the host; nil for NULL. Repairs invalid UTF-8: use it for names and messages only.
    package static func text(_ pointer: Text) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }

    /// Text that must not be NULL; `name` is for the message.
    package static func text(_ pointer: Text, named name: StaticString) throws(ImageError) -> String {
        guard let text = unsafe text(pointer) else { throw ImageError(.invalidArgument, "argument: \(name) is NULL") }
        return text
    }

    /// The bytes of a name, without its NUL; empty for NULL.
    package static func name(_ pointer: Text) -> [UInt8] {
        guard let pointer = unsafe pointer else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// The texts of an array, each with its length or, without lengths, up to its NUL; none may be NULL.
    package static func texts(
        _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int
    ) throws(ImageError) -> [[UInt8]] {
        guard count >= 0, count <= longestText else {
            throw ImageError(.invalidArgument, "argument: list of \(UInt(bitPattern: count)) texts, limit \(longestText)")
        }
        guard count > 0 else { return [] }
        guard let pointer = unsafe pointer else { throw ImageError(.invalidArgument, "argument: NULL for a list of \(count)") }
        var texts: [[UInt8]] = []
        for index in 0..<count {
            guard let text = unsafe pointer[index] else { throw ImageError(.invalidArgument, "argument: text \(index) is NULL") }
            unsafe texts.append(try bytes(text, lengths?[index] ?? -1))
        }
        return texts
    }

    /// The numbers of an array.
    package static func numbers(_ pointer: UnsafePointer<Double>?, _ count: Int) throws(ImageError) -> [Double] {
        guard count >= 0, count <= longestText else {
            throw ImageError(.invalidArgument, "argument: list of \(UInt(bitPattern: count)) numbers, limit \(longestText)")
        }
        guard count > 0 else { return [] }
        guard let pointer = unsafe pointer else { throw ImageError(.invalidArgument, "argument: NULL for a list of \(count)") }
        return unsafe Array(UnsafeBufferPointer(start: pointer, count: count))
    }

    /// The objects of an array; none may be NULL.
    package static func objects<T: HandleObject>(
        _ pointer: UnsafePointer<OpaquePointer?>?, _ count: Int, as type: T.Type
    ) throws(ImageError) -> [T] {
        guard count >= 0, count <= longestText else {
            throw ImageError(.invalidArgument, "argument: list of \(UInt(bitPattern: count)) objects, limit \(longestText)")
        }
        guard count > 0 else { return [] }
        guard let pointer = unsafe pointer else { throw ImageError(.invalidArgument, "argument: NULL for a list of \(count)") }
        var objects: [T] = []
        for index in 0..<count { unsafe objects.append(try Handle.borrow(pointer[index], as: type)) }
        return objects
    }

    /// A copy of the caller's table of functions, with the size of the caller's version and the rest zero. Requires at least
    /// `required` bytes. Drops a pointer cut in half by that size.
    package static func table<T>(_ pointer: UnsafePointer<T>?, size: Int, required: Int, empty: T) throws(ImageError) -> T {
        guard let pointer = unsafe pointer else {
            throw ImageError(.invalidArgument, "argument: NULL instead of a vtable")
        }
        let size = Input.size(size)
        guard size >= required else {
            throw ImageError(.invalidArgument, "argument: vtable size is \(size), expected at least \(required)")
        }
        var table = empty
        unsafe withUnsafeMutableBytes(of: &table) { copy in
            guard let base = copy.baseAddress else { return }
            // A pointer has eight bytes. Further functions of a newer caller are ignored; those that an older one lacks stay
            // NULL.
            unsafe _ = memcpy(base, pointer, min(size / 8 * 8, MemoryLayout<T>.size))
        }
        return table
    }
}
