import CSDImage

/// Writes a JPEG with a gain map: two flat or drawn images in one file (CIPA DC-007, Multi-Picture Format).
struct GainMapFile {
    /// The metadata with the parameters of the map.
    enum Form: CaseIterable, Sendable {
        case fields, fieldsWithOneDenominator, attributes, lists, apple
    }

    var form = Form.fields
    /// Numbers of all channels; headroom and gains in stops.
    var headroom = 2.0
    var minimum = 0.0
    var maximum = 2.0
    var gamma = 1.0
    var offset = 0.0
    /// Gains of the highest sample of each channel, in place of `maximum`; only for fields.
    var maxima: [Double]?
    /// True if the base image is the brighter one.
    var isBaseHDR = false
    /// Extra segments of the base image, such as EXIF, and of the map.
    var segments: [[UInt8]] = []
    var mapSegments: [[UInt8]] = []
    /// Changes the offset of the map in the list.
    var error = 0

    func write(base: [UInt8], map: [UInt8]) -> [UInt8] {
        var head: [UInt8] = Array(base[..<2])
        for segment in segments { head += segment }
        if form == .apple { head += GainMapFile.appleExif }
        if form == .attributes || form == .lists {
            head += GainMapFile.packet("<rdf:Description hdrgm:Version=\"1.0\"/>")
        }
        // The offset of the map counts from the byte behind the label of this segment.
        let start = head.count + 8
        let described = describe(map)
        let list = 90
        let rest = Array(base[2...])
        let length = start - 8 + list + rest.count
        head += GainMapFile.list(size: described.count, offset: length - start + error)
        return head + rest + described
    }

    /// The map with its parameters.
    private func describe(_ map: [UInt8]) -> [UInt8] {
        let segment: [UInt8]
        switch form {
        case .fields: segment = fields(common: false)
        case .fieldsWithOneDenominator: segment = fields(common: true)
        case .attributes: segment = GainMapFile.packet(attributes)
        case .lists: segment = GainMapFile.packet(lists)
        case .apple:
            segment = GainMapFile.packet(
                "<apdi:AuxiliaryImageType>urn:com:apple:photo:2020:aux:hdrgainmap</apdi:AuxiliaryImageType>")
        }
        return Array(map[..<2]) + segment + mapSegments.flatMap { $0 } + map[2...]
    }

    // MARK: Parameters

    private func fields(common: Bool) -> [UInt8] {
        let denominator = 1000
        func number(_ value: Double) -> [UInt8] {
            let numerator = GainMapFile.four(Int((value * Double(denominator)).rounded()))
            return common ? numerator : numerator + GainMapFile.four(denominator)
        }
        let flags: UInt8 = 0x40 | (common ? 0x08 : 0) | (maxima == nil ? 0 : 0x80)
        var bytes: [UInt8] = [0, 0, 0, 0, flags] + (common ? GainMapFile.four(denominator) : [])
        for value in isBaseHDR ? [headroom, 0] : [0, headroom] { bytes += number(value) }
        for maximum in maxima ?? [maximum] {
            for value in [minimum, maximum, gamma, offset, offset] { bytes += number(value) }
        }
        return GainMapFile.segment(0xE2, "urn:iso:std:iso:ts:21496:-1\0", bytes)
    }

    private var attributes: String {
        """
        <rdf:Description hdrgm:Version="1.0" hdrgm:GainMapMin="\(minimum)" hdrgm:GainMapMax='\(maximum)' hdrgm:Gamma = "\(gamma)"
        hdrgm:OffsetSDR="\(offset)" hdrgm:OffsetHDR="\(offset)" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="\(headroom)"
        hdrgm:BaseRenditionIsHDR="\(isBaseHDR ? "True" : "False")"/>
        """
    }

    private var lists: String {
        func list(_ name: String, _ value: Double) -> String {
            let item = "<rdf:li>\(value)</rdf:li>"
            return "<hdrgm:\(name)>\n<rdf:Seq>\n\(item)\n\(item)\n\(item)\n</rdf:Seq>\n</hdrgm:\(name)>"
        }
        return "<rdf:Description hdrgm:Version=\"1.0\" hdrgm:HDRCapacityMax=\"\(headroom)\">" + list("GainMapMin", minimum)
            + list("GainMapMax", maximum) + list("Gamma", gamma) + list("OffsetSDR", offset) + list("OffsetHDR", offset)
            + "</rdf:Description>"
    }

    /// An EXIF block with Apple's maker note: the numbers 0x21 and 0x30, which stand for 3 stops.
    private static var appleExif: [UInt8] {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            two(tag) + two(type) + four(count) + four(value)
        }
        let note: [UInt8] =
            Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + two(2) + entry(0x21, 10, 1, 44) + entry(0x30, 10, 1, 52)
            + four(0) + four(1) + four(1) + four(0) + four(1)
        let main = four(0x4D4D_002A) + four(8) + two(1) + entry(0x8769, 4, 1, 26) + four(0)
        let exif = two(1) + entry(0x927C, 7, note.count, 44) + four(0)
        return segment(0xE1, "Exif\0\0", main + exif + note)
    }

    // MARK: Segments

    /// The list of two images: the base image, and the map at `offset`.
    private static func list(size: Int, offset: Int) -> [UInt8] {
        let entries = four(0x0003_0000) + four(0) + four(0) + four(0) + four(0) + four(size) + four(offset) + four(0)
        let tags: [[UInt8]] = [
            two(0xB000) + two(7) + four(4) + Array("0100".utf8), two(0xB001) + two(4) + four(1) + four(2),
            two(0xB002) + two(7) + four(32) + four(50),
        ]
        return segment(0xE2, "MPF\0", four(0x4D4D_002A) + four(8) + two(3) + tags.flatMap { $0 } + four(0) + entries)
    }

    static func packet(_ content: String) -> [UInt8] { segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Array(content.utf8)) }

    static func segment(_ marker: UInt8, _ label: String, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + two(2 + label.utf8.count + content.count) + Array(label.utf8) + content
    }

    private static func two(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
    private static func four(_ value: Int) -> [UInt8] { two(value >> 16) + two(value) }
}
