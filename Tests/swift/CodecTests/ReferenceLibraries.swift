import CReference
import SDImagePixels

/// zlib and libpng, and the project's own inflater with the same interface.
enum ReferenceLibraries {
    enum Result: Equatable {
        case goesOn, ended, damaged
    }

    static func deflate(_ data: [UInt8], level: Int = 6, strategy: Int = 0) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: data.count * 2 + 1000) { buffer, count in
            unsafe count = reference_deflate(buffer.baseAddress, buffer.count, data, data.count, Int32(level), Int32(strategy))
        }
    }

    static func inflate(_ stream: [UInt8], limit: Int) -> (Result, [UInt8]) {
        var result = Result.damaged
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let code = unsafe reference_inflate(buffer.baseAddress, limit, stream, stream.count, &count)
            result = Int(code) == REFERENCE_GOES_ON ? .goesOn : Int(code) == REFERENCE_ENDED ? .ended : .damaged
        }
        return (result, bytes)
    }

    /// The project's inflater. The input comes in pieces of these lengths, used cyclically, each in a buffer of exactly its size.
    /// The output window has `room` bytes beyond the history.
    static func ownInflate(_ stream: [UInt8], pieces: [Int], room: Int, limit: Int) -> (Result, [UInt8]) {
        let state = UnsafeMutableRawPointer.allocate(byteCount: sdpx_inflater_size(), alignment: 8)
        defer { unsafe state.deallocate() }
        let inflater = OpaquePointer(state)
        unsafe sdpx_inflate_start(inflater)
        var output: [UInt8] = []
        var window = [UInt8](repeating: 0, count: 32 << 10 + room)
        var position = 0
        var rest = stream[...]
        var turn = 0
        while true {
            let piece = Array(rest.prefix(pieces[turn % pieces.count]))
            let start = position
            let (code, used) = unsafe piece.withUnsafeBufferPointer { piece -> (Int, Int) in
                let capacity = window.count
                var next = piece.baseAddress
                let end = unsafe piece.baseAddress.map { unsafe $0 + piece.count }
                let code = unsafe sdpx_inflate(inflater, &next, end, &window, &position, capacity)
                guard let next = unsafe next, let first = piece.baseAddress else { return (Int(code), 0) }
                return unsafe (Int(code), next - first)
            }
            output += window[start..<position]
            rest = rest.dropFirst(used)
            turn += 1
            if code == SDPX_INFLATE_ENDED { return (.ended, output) }
            if code == SDPX_INFLATE_DAMAGED { return (.damaged, output) }
            if code == SDPX_INFLATE_NEEDS_INPUT, rest.isEmpty { return (.goesOn, output) }
            guard output.count <= limit else { return (.goesOn, output) }
            if code == SDPX_INFLATE_IS_FULL {
                let kept = min(position, 32 << 10)
                window.replaceSubrange(0..<kept, with: Array(window[position - kept..<position]))
                position = kept
            }
        }
    }

    static func checkSum(_ bytes: [UInt8]) -> UInt32 { unsafe reference_crc(bytes, bytes.count) }

    /// RGBA of 16 bits; nil when libpng refuses the file.
    static func png(_ file: [UInt8], width: Int, height: Int) -> [UInt16]? {
        var isRead = false
        let pixels = unsafe [UInt16](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
            isRead = unsafe reference_png(buffer.baseAddress, width, height, file, file.count) != 0
            count = isRead ? width * height * 4 : 0
        }
        return isRead ? pixels : nil
    }
}
