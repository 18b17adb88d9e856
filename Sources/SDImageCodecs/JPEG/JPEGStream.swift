import SDImage
import SDImagePixels

/// A growing JPEG: previews of what has come, and in the end the picture that decoding all bytes at once gives.
struct JPEGStream: PictureStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    /// nil before the header is there, and when the file cannot be decoded bit by bit.
    private var preview: JPEGPreview?
    private var canPreview = true
    /// The picture that does not change any more.
    private var finished: Image?
    private var failure: ImageError?
    /// Where the next marker is to be looked for.
    private var searched = 2
    /// Before the preview is open, and before the early thumbnail is there.
    private var headerGate = GrowthGate()
    private var earlyGate = GrowthGate()
    private(set) var facts = StreamFacts()

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError) {
        guard finished == nil, failure == nil else { return }
        self.bytes = try bytes.kept()
        openPreview(stop, isFinished)
        if options.earlyThumbnail, passesMarker(), earlyGate.opens(at: bytes.count) || isFinished {
            finished = decodeEarly(stop: stop)
        }
        if isFinished, finished == nil { try finish(stop: stop) }
        guard finished != nil else { return }
        // Frees the coefficients and rows of the decoder.
        preview = nil
        facts.isSatisfied = true
    }

    mutating func image(stop: StopSignal) throws(ImageError) -> Image? {
        if let failure { throw failure }
        if let finished { return finished }
        try advance(stop: stop)
        return preview?.image
    }

    private mutating func openPreview(_ stop: StopSignal, _ isFinished: Bool) {
        guard canPreview else { return }
        if let preview { return preview.feed(bytes) }
        guard headerGate.opens(at: bytes.count) || isFinished else { return }
        // Errors are those of the whole file, once it is there.
        guard let opened = try? JPEGPreview(bytes, options: options, stop: stop) else { return }
        preview = opened
        facts.size = opened.size
        facts.frameCount = 1
    }

    /// Damage ends the previews; what it means is said when all bytes are there.
    private mutating func advance(stop: StopSignal) throws(ImageError) {
        guard canPreview, let preview else { return }
        do throws(ImageError) { try preview.advance(stop: stop) } catch {
            canPreview = false
            if error.status == .cancelled || error.status == .timeout || error.status == .noMemory { throw error }
        }
    }

    private mutating func finish(stop: StopSignal) throws(ImageError) {
        do throws(ImageError) {
            try advance(stop: stop)
            let image: Image
            if canPreview, let whole = preview?.finished {
                image = whole
            } else {
                preview = nil
                let decoder = try JPEGDecoder(bytes, tolerant: options.acceptPartial)
                image = try JPEGFile(decoder, options: options, stop: stop).decode(stop: stop)
            }
            facts.size = image.size
            facts.frameCount = 1
            finished = image
        } catch {
            failure = error
            throw error
        }
    }

    /// Whether a marker has come since this was last asked: before one, no scan is known to be whole.
    private mutating func passesMarker() -> Bool {
        guard preview != nil, let base = unsafe bytes.pointer, searched <= bytes.count else { return false }
        let data = unsafe base.assumingMemoryBound(to: UInt8.self)
        var isFound = false
        while true {
            let marker = unsafe sdpx_jpeg_next_marker(data + searched, data + bytes.count) - data
            guard marker < bytes.count else { break }
            searched = marker + 2
            isFound = true
        }
        // The last byte may be the first half of a marker.
        searched = max(searched, bytes.count - 1)
        return isFound
    }

    private func decodeEarly(stop: StopSignal) -> Image? {
        guard let decoder = try? JPEGDecoder(bytes, tolerant: true),
            let file = try? JPEGFile(decoder, options: options, stop: stop),
            file.picture.isEarly
        else { return nil }
        return (try? file.decodeDraft(stop: stop)) ?? nil
    }
}
