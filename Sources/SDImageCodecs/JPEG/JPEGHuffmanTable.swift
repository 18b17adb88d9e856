import SDImage
import SDImagePixels

/// A Huffman code (ISO/IEC 10918-1 annex C) as a look-up table of the kernel `sdpx_jpeg_walk`. `DCScanDecoder` makes one for each
/// table of a scan.
@safe final class JPEGHuffmanTable {
    private let memory: ScratchMemory

    /// nil when the code is invalid or memory is refused. `hasSteps` is set for the AC coefficients of sequential scans.
    init?(_ code: JPEGTables.HuffmanCode, hasSteps: Bool) {
        guard let memory = try? ScratchMemory(MemoryLayout<sdpx_jpeg_huffman>.stride),
            let table = unsafe memory.bound(to: sdpx_jpeg_huffman.self).baseAddress, code.lengths.count == 16,
            unsafe sdpx_jpeg_make_huffman(table, code.lengths, code.values, code.values.count, hasSteps ? 1 : 0) != 0
        else { return nil }
        self.memory = memory
    }

    /// Valid as long as this object.
    var pointer: UnsafePointer<sdpx_jpeg_huffman>? {
        unsafe memory.bound(to: sdpx_jpeg_huffman.self).baseAddress.map { unsafe UnsafePointer($0) }
    }
}
