import Glibc

/// The orientation in an XMP packet (XMP specification part 2, section 8.7: `tiff:Orientation`), as an attribute or as an element.
///
/// The packet is not parsed as XML: the text after the name decides. Packets in UTF-16 have no orientation here.
package enum XMPOrientation {
    private static let name: StaticString = "tiff:Orientation"
    /// Length of "tiff:". The search is for the letter after it, which is rarer.
    private static let prefixLength = 5

    /// Returns the first valid value; nil without one.
    /// Values other than 1 to 8 do not count.
    package static func read(_ packet: Bytes) -> Orientation? {
        position(in: packet).flatMap { packet.reader.byte(at: $0) }.map { Orientation(exif: Int($0 - Byte.zero)) }
    }

    /// The packet with another orientation; the packet itself if it has none.
    /// Only the digit changes, so that the packet keeps its length.
    package static func replacing(in packet: Bytes, by orientation: Orientation) throws(ImageError) -> Bytes {
        guard let position = position(in: packet), read(packet) != orientation else { return packet }
        var copy = unsafe packet.withUnsafeBytes { unsafe Array($0) }
        copy[position] = Byte.zero + UInt8(orientation.rawValue)
        return try .copying(copy)
    }

    /// The position of the digit.
    private static func position(in packet: Bytes) -> Int? {
        guard let base = unsafe packet.pointer else { return nil }
        let reader = packet.reader
        var start = 0
        while start < packet.count,
            let found = unsafe memchr(base + start, Int32(UInt8(ascii: "O")), packet.count - start)
        {
            let letter = unsafe UnsafeRawPointer(found) - base
            start = letter + 1
            // Most letters are part of other names.
            guard reader.matches(name, at: letter - prefixLength) else { continue }
            if let digit = digit(after: letter - prefixLength + name.utf8CodeUnitCount, reader) { return digit }
        }
        return nil
    }

    /// `end`: the position after the name. nil unless one digit from 1 to 8 follows as the whole value.
    private static func digit(after end: Int, _ reader: ByteReader) -> Int? {
        var position = pass(end, reader)
        if reader.byte(at: position) == UInt8(ascii: "=") {
            position = pass(position + 1, reader)
            guard let quote = reader.byte(at: position), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                return nil
            }
        } else if reader.byte(at: position) != UInt8(ascii: ">") {
            return nil
        }
        position = pass(position + 1, reader)
        guard let digit = reader.byte(at: position), (UInt8(ascii: "1")...UInt8(ascii: "8")).contains(digit) else { return nil }
        let next = reader.byte(at: position + 1) ?? 0
        // A longer number is no orientation.
        return Byte.isDigit(next) ? nil : position
    }

    /// The position after white space.
    private static func pass(_ start: Int, _ reader: ByteReader) -> Int {
        var position = start
        while let byte = reader.byte(at: position), Byte.isSpace(byte) { position += 1 }
        return position
    }
}

/// The orientation of an image from its metadata blocks: EXIF takes precedence over XMP.
/// Used by coders when they read a header.
package enum MetadataOrientation {
    /// `xmp` is read only if the EXIF block has no orientation.
    /// Reading XMP may mean decompressing it.
    package static func read(exif: Bytes?, xmp: () throws(ImageError) -> Bytes?) throws(ImageError) -> Orientation {
        if let orientation = exif.flatMap(ExifOrientation.find) { return orientation }
        return try xmp().flatMap(XMPOrientation.read) ?? .up
    }
}
