import SDImage
import SDImagePixels

/// Progressive decode of a JPEG: previews of the received data, and finally the same image as decoding all bytes at once.
///
/// `JPEGCoder.open` wraps it in a `StreamDecoder`, whose lock serializes all calls. `update` decodes only early thumbnails and
/// the complete file; `image` decodes previews.
struct JPEGProgressiveDecoder: ImageStream {
    private let options: DecodeOptions
    /// All bytes so far.
    private var bytes = Bytes.empty
    /// nil before the header is complete, and when the file cannot be decoded progressively.
    private var preview: JPEGPartialImage?
    /// False after damage, which ends the previews.
    private var canPreview = true
    /// The final image.
    private var finished: Image?
    /// The error of the complete file, which every later call of `image` throws.
    private var failure: ImageError?
    /// Offset from which to search for the next marker.
    private var searched = 2
    /// Limit the attempts to open the preview, and to decode the early thumbnail.
    private var headerGate = GrowthGate()
    private var earlyGate = GrowthGate()
    private(set) var properties = StreamProperties()

    init(_ options: DecodeOptions) { self.options = options }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard finished == nil, failure == nil else { return }
        self.bytes = try bytes.copiedIfLent()
        openPreview(stop, isFinished)
        // A gain map follows the image, so a request for HDR needs all bytes.
        if options.earlyThumbnail, !options.readsGainMaps, passesMarker(), earlyGate.opens(at: bytes.count) || isFinished {
            finished = decodeEarly(stop: stop)
        }
        if isFinished, finished == nil { try finish(stop: stop) }
        guard finished != nil else { return }
        // Frees the coefficients and rows of the decoder.
        preview = nil
        properties.isSatisfied = true
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        if let failure { throw failure }
        if let finished { return finished }
        try advance(stop: stop)
        return preview?.image
    }

    /// Passes the bytes to the preview, or opens it once the header is complete.
    private mutating func openPreview(_ stop: CancellationToken, _ isFinished: Bool) {
        guard canPreview else { return }
        if let preview { return preview.feed(bytes) }
        guard headerGate.opens(at: bytes.count) || isFinished else { return }
        // Errors are reported for the complete file.
        guard let opened = try? JPEGPartialImage(bytes, options: options, stop: stop) else { return }
        preview = opened
        properties.size = opened.size
        properties.frameCount = 1
    }

    /// Damage ends the previews; it is reported when all bytes have arrived.
    private mutating func advance(stop: CancellationToken) throws(ImageError) {
        guard canPreview, let preview else { return }
        do throws(ImageError) { try preview.advance(stop: stop) } catch {
            canPreview = false
            if error.status == .cancelled || error.status == .timeout || error.status == .noMemory { throw error }
        }
    }

    /// Decodes the complete file, or takes the preview if it is the same image.
    private mutating func finish(stop: CancellationToken) throws(ImageError) {
        do throws(ImageError) {
            let image: Image
            if let rendition = try JPEGRendition.decode(bytes, options: options, stop: stop) {
                preview = nil
                image = rendition
            } else if let whole = try finishedPreview(stop: stop) {
                image = whole
            } else {
                preview = nil
                // The preview was released first, so that two decoders do not count at once.
                let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
                image = try JPEGDecoder(rows, options: options, stop: stop).decode(stop: stop)
            }
            properties.size = image.size
            properties.frameCount = 1
            finished = image
        } catch {
            failure = error
            throw error
        }
    }

    /// The preview if it is the image of all bytes. Where an early thumbnail was not taken because of a possible gain map, it has
    /// other pixels.
    private mutating func finishedPreview(stop: CancellationToken) throws(ImageError) -> Image? {
        try advance(stop: stop)
        return canPreview && !(options.earlyThumbnail && options.readsGainMaps) ? preview?.finished : nil
    }

    /// True when a marker has arrived since the last call: a scan is only known to be complete at the next marker.
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

    /// Decodes the first DC scans; nil while they are incomplete, and for files that have no early thumbnail.
    private func decodeEarly(stop: CancellationToken) -> Image? {
        guard let rows = try? JPEGRowDecoder(bytes, accepting: .missingData),
            let decoder = try? JPEGDecoder(rows, options: options, stop: stop), decoder.isEarly
        else { return nil }
        return (try? decoder.decodeDCThumbnail(stop: stop)) ?? nil
    }
}
