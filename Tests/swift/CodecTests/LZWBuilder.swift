/// Writes the LZW codes of GIF (GIF89a, appendix F).
struct LZWBuilder {
    private(set) var bytes: [UInt8] = []
    private var bits = 0
    private let codeSize: Int
    private var width: Int
    /// The strings that have a code, starting with those of one pixel.
    private var table: [[UInt8]: Int] = [:]
    private var next = 0

    init(codeSize: Int) {
        self.codeSize = codeSize
        width = codeSize + 1
        reset()
    }

    private var clear: Int { 1 << codeSize }

    private mutating func reset() {
        table = Dictionary(uniqueKeysWithValues: (0..<min(clear, 256)).map { ([UInt8($0)], $0) })
        next = clear + 2
        width = codeSize + 1
    }

    /// Writes one code, valid or not, with the current width.
    mutating func put(_ code: Int) {
        for bit in 0..<width {
            if bits % 8 == 0 { bytes.append(0) }
            if code >> bit & 1 == 1 { bytes[bits / 8] |= 1 << (bits % 8) }
            bits += 1
        }
    }

    mutating func putClear() {
        put(clear)
        reset()
    }

    mutating func putEnd() { put(clear + 1) }

    /// Writes the codes of an image. `next` is the decoder's table size after reading the code: one entry behind the encoder.
    mutating func put(_ indices: [UInt8], clearsWhenFull: Bool = true) {
        var string: [UInt8] = []
        var isFirst = true
        for index in indices {
            if table[string + [index]] != nil {
                string.append(index)
                continue
            }
            put(table[string] ?? 0)
            if !isFirst { added() }
            isFirst = false
            if next < 4096 { table[string + [index]] = next }
            if clearsWhenFull, next == 4096 {
                putClear()
                isFirst = true
            }
            string = [index]
        }
        guard !string.isEmpty else { return }
        put(table[string] ?? 0)
        if !isFirst { added() }
    }

    private mutating func added() {
        guard next < 4096 else { return }
        next += 1
        if next == 1 << width, width < 12 { width += 1 }
    }

    static func compress(_ indices: [UInt8], codeSize: Int, clearsWhenFull: Bool = true) -> [UInt8] {
        var builder = LZWBuilder(codeSize: codeSize)
        builder.putClear()
        builder.put(indices, clearsWhenFull: clearsWhenFull)
        builder.putEnd()
        return builder.bytes
    }
}
