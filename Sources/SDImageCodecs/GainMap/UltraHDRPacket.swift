import SDImage

/// XMP packets of Ultra HDR (Ultra HDR Image Format 1.1), which `JPEGGainMapEncoder` writes and `GainMapPacket` reads.
enum UltraHDRPacket {
    /// The packet of a map, with its parameters.
    static func map(_ parameters: GainMap.Parameters) -> [UInt8] {
        let channels = parameters.channels
        let isBaseHDR = parameters.baseHeadroom > parameters.alternateHeadroom
        // The numbers lead from SDR to HDR, whichever is the base.
        let headrooms = [parameters.baseHeadroom, parameters.alternateHeadroom].sorted()
        let offsets = [channels.map(\.baseOffset), channels.map(\.alternateOffset)]
        let lists = [
            list("GainMapMin", channels.map(\.minimum)), list("GainMapMax", channels.map(\.maximum)),
            list("Gamma", channels.map(\.gamma)), list("OffsetSDR", offsets[isBaseHDR ? 1 : 0]),
            list("OffsetHDR", offsets[isBaseHDR ? 0 : 1]),
        ]
        let attributes = """
            hdrgm:Version="1.0" hdrgm:HDRCapacityMin="\(headrooms[0])" hdrgm:HDRCapacityMax="\(headrooms[1])" \
            hdrgm:BaseRenditionIsHDR="\(isBaseHDR ? "True" : "False")"
            """
        return packet(attributes, lists.joined())
    }

    /// A property with one number for each channel.
    private static func list(_ name: String, _ values: [Double]) -> String {
        let items = values.map { "<rdf:li>\($0)</rdf:li>" }.joined()
        return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
    }

    /// The packet of a base image, in which the directory has the length of the map's file (section "GContainer"). It is inserted
    /// into the packet of the caller; a directory that this already has is updated. A packet that is no RDF stays as it is.
    static func base(mapBytes: Int, into existing: Bytes?) -> [UInt8] {
        guard let existing else { return packet("hdrgm:Version=\"1.0\"\(containers)", directory(mapBytes)) }
        let text = unsafe existing.withUnsafeBytes { unsafe Array($0) }
        // The packet of a file that is written again: only the length has changed.
        if let length = lengthOfMap(in: text) {
            return text[..<length.lowerBound] + Array("\(mapBytes)".utf8) + text[length.upperBound...]
        }
        guard let end = find("</rdf:RDF>", in: text[...])?.lowerBound, find("hdrgm:Version", in: text[...]) == nil else {
            return text
        }
        let description = element("hdrgm:Version=\"1.0\"\(containers)", directory(mapBytes))
        return text[..<end] + Array(description.utf8) + text[end...]
    }

    /// Namespaces of the directory.
    private static let containers = """
         xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/"
        """

    /// The directory of both images; only the second needs a length.
    private static func directory(_ mapBytes: Int) -> String {
        let items = ["Item:Semantic=\"Primary\"", "Item:Semantic=\"GainMap\" Item:Length=\"\(mapBytes)\""]
        let list = items.map {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item \($0) Item:Mime=\"image/jpeg\"/></rdf:li>"
        }.joined()
        return "<Container:Directory><rdf:Seq>\(list)</rdf:Seq></Container:Directory>"
    }

    /// A whole packet with one description.
    private static func packet(_ attributes: String, _ content: String) -> [UInt8] {
        let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\(element(attributes, content))</rdf:RDF>"
        return Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\(rdf)</x:xmpmeta>".utf8)
    }

    private static func element(_ attributes: String, _ content: String) -> String {
        let name = "rdf:Description"
        return "<\(name) rdf:about=\"\" xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" \(attributes)>\(content)</\(name)>"
    }

    /// The digits of the length in the element of the map.
    private static func lengthOfMap(in text: [UInt8]) -> Range<Int>? {
        guard let map = find("=\"GainMap\"", in: text[...]), let open = text[..<map.lowerBound].lastIndex(of: UInt8(ascii: "<")),
            let close = text[map.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let name = find("Item:Length=\"", in: text[open..<close])
        else { return nil }
        return name.upperBound..<(text[name.upperBound...].firstIndex { !Byte.isDigit($0) } ?? text.count)
    }

    /// The first occurrence of a text.
    private static func find(_ name: String, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let pattern = Array(name.utf8)
        return text.indices.first { text[$0] == pattern[0] && text[$0...].starts(with: pattern) }.map { $0..<$0 + pattern.count }
    }
}
