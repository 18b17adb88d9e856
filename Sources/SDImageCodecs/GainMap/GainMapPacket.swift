import SDImage

/// The parameters of a gain map in an XMP packet: those of Ultra HDR (Ultra HDR Image Format 1.1, "Gain map metadata"), and
/// the marks of Apple's format. The packet is not parsed as XML: the text after a name decides. `JPEGGainMap` reads it in both
/// images of a file.
struct GainMapPacket {
    private let text: [UInt8]
    /// Bytes of a packet that are read.
    private static let limit = 1 << 16

    /// Copies the beginning of the packet.
    init(_ packet: Bytes) {
        text = unsafe packet.withUnsafeBytes { unsafe Array($0.prefix(GainMapPacket.limit)) }
    }

    /// True for the packet of an image with an Ultra HDR gain map, and for that of the map.
    var isUltraHDR: Bool { find("hdrgm:Version") != nil }

    /// True for the packet of Apple's gain map.
    var isApple: Bool { find("urn:com:apple:photo:2020:aux:hdrgainmap") != nil }

    /// nil without a gain map, and for numbers outside of their ranges.
    var parameters: GainMap.Parameters? {
        guard isUltraHDR, let maximum = numbers("hdrgm:GainMapMax"), let headroom = numbers("hdrgm:HDRCapacityMax") else {
            return nil
        }
        // The defaults are those of the format.
        let minimum = numbers("hdrgm:GainMapMin") ?? [0], gamma = numbers("hdrgm:Gamma") ?? [1]
        let base = numbers("hdrgm:OffsetSDR") ?? [1.0 / 64], alternate = numbers("hdrgm:OffsetHDR") ?? [1.0 / 64]
        let isBaseHDR = find("hdrgm:BaseRenditionIsHDR").map { isTrue(after: $0) } ?? false
        var channels = (0..<3).map { index in
            var channel = GainMap.Channel()
            // A single number is that of all channels.
            channel.minimum = minimum[min(index, minimum.count - 1)]
            channel.maximum = maximum[min(index, maximum.count - 1)]
            channel.gamma = gamma[min(index, gamma.count - 1)]
            channel.baseOffset = base[min(index, base.count - 1)]
            channel.alternateOffset = alternate[min(index, alternate.count - 1)]
            return channel
        }
        var parameters = GainMap.Parameters()
        let low = numbers("hdrgm:HDRCapacityMin")?[0] ?? 0
        (parameters.baseHeadroom, parameters.alternateHeadroom) = (low, headroom[0])
        if isBaseHDR {
            // The gains of the packet lead from SDR to HDR, whichever is the base.
            (parameters.baseHeadroom, parameters.alternateHeadroom) = (headroom[0], low)
            for index in channels.indices {
                (channels[index].baseOffset, channels[index].alternateOffset) =
                    (channels[index].alternateOffset, channels[index].baseOffset)
            }
        }
        (parameters.red, parameters.green, parameters.blue) = (channels[0], channels[1], channels[2])
        return parameters.isValid ? parameters : nil
    }

    /// Numbers of a property: the value of an attribute, the text of an element, or the items of a list; nil without any.
    private func numbers(_ name: StaticString) -> [Double]? {
        guard let end = find(name) else { return nil }
        var position = end
        while position < text.count, Byte.isSpace(text[position]) { position += 1 }
        guard position < text.count else { return nil }
        let found: [Double]
        if text[position] == UInt8(ascii: "=") {
            found = number(from: position + 1).map { [$0] } ?? []
        } else {
            found = elements(from: position)
        }
        return found.isEmpty ? nil : found
    }

    /// The numbers between the tags up to the end of the element.
    private func elements(from start: Int) -> [Double] {
        var found: [Double] = []
        var position = start
        // At most three numbers: one for each channel.
        while found.count < 3, let open = text[position...].firstIndex(of: UInt8(ascii: ">")) {
            position = open + 1
            if let value = number(from: position) { found.append(value) }
            guard let close = text[position...].firstIndex(of: UInt8(ascii: "<")) else { break }
            position = close
            // The end of the element itself, not of an item or of the list.
            if text[position...].starts(with: Array("</hdrgm:".utf8)) { break }
        }
        return found
    }

    /// A decimal number after white space and a quotation mark.
    private func number(from start: Int) -> Double? {
        var position = start
        while position < text.count,
            Byte.isSpace(text[position]) || text[position] == UInt8(ascii: "\"") || text[position] == UInt8(ascii: "'")
        {
            position += 1
        }
        let end = text[position...].firstIndex { !(Byte.isDigit($0) || "+-.eE".utf8.contains($0)) } ?? text.count
        guard position < end, end - position <= 40 else { return nil }
        return Double(String(decoding: text[position..<end], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// True if the value after a name begins with T, as "True" and "true" do.
    private func isTrue(after end: Int) -> Bool {
        let letters = text[end...].prefix(8).filter { !Byte.isSpace($0) && !"=\"'>".utf8.contains($0) }
        return letters.first == UInt8(ascii: "T") || letters.first == UInt8(ascii: "t")
    }

    /// The position after the first occurrence of a name.
    private func find(_ name: StaticString) -> Int? {
        let pattern = Array(name.description.utf8)
        guard let first = pattern.first else { return nil }
        var position = 0
        while let found = text[position...].firstIndex(of: first) {
            if text[found...].starts(with: pattern) { return found + pattern.count }
            position = found + 1
        }
        return nil
    }
}
