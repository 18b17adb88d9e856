import SDImage

/// The parameters of a gain map in binary form (ISO 21496-1, annex C): numbers as fractions of 32-bit integers. JPEG has them in
/// APP2 segments, HEIF and AVIF in an item.
struct GainMapFields {
    /// Label of the APP2 segments of a JPEG with these fields.
    static let label: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
    /// The highest version that this reader understands, and which it writes.
    private static let version: UInt16 = 0
    /// The versions alone, which the base image of a JPEG has.
    static let versions: [UInt8] = [0, 0, 0, 0]
    /// The denominator of written numbers. All numbers of valid parameters fit.
    private static let writtenDenominator: UInt32 = 1_000_000

    private var reader: ByteReader
    /// The denominator of all numbers; nil if each has its own.
    private var denominator: UInt32?

    /// Reads the fields; nil if they are of a later version, damaged, or outside of their ranges.
    static func read(_ fields: Bytes) -> GainMap.Parameters? {
        var fields = GainMapFields(reader: fields.reader)
        return fields.parameters().flatMap { $0.isValid ? $0 : nil }
    }

    /// The fields with these parameters.
    static func write(_ parameters: GainMap.Parameters) -> [UInt8] {
        let channels = parameters.channels
        let isGray = Set(channels).count == 1
        // Bit 7: three channels; bit 6: the gains apply to the primaries of the base image.
        let flags: UInt8 = (isGray ? 0 : 0x80) | (parameters.usesBaseColorSpace ? 0x40 : 0)
        var numbers = [parameters.baseHeadroom, parameters.alternateHeadroom]
        for channel in channels.prefix(isGray ? 1 : 3) {
            numbers += [channel.minimum, channel.maximum, channel.gamma, channel.baseOffset, channel.alternateOffset]
        }
        return numbers.reduce(into: versions + [flags]) { bytes, number in
            let numerator = Int32(clamping: Int((number * Double(writtenDenominator)).rounded()))
            bytes += UInt32(bitPattern: numerator).bigEndianBytes + writtenDenominator.bigEndianBytes
        }
    }

    /// Reads minimum version, writer version, flags, headrooms and one or three channels.
    private mutating func parameters() -> GainMap.Parameters? {
        guard let minimum = reader.u16(bigEndian: true), minimum <= GainMapFields.version, reader.u16(bigEndian: true) != nil,
            let flags = reader.u8()
        else { return nil }
        var parameters = GainMap.Parameters()
        parameters.usesBaseColorSpace = flags & 0x40 != 0
        // A denominator for all numbers precedes them.
        if flags & 0x08 != 0 {
            guard let common = reader.u32(bigEndian: true) else { return nil }
            denominator = common
        }
        guard let base = unsigned(), let alternate = unsigned(), let red = channel() else { return nil }
        parameters.baseHeadroom = base
        parameters.alternateHeadroom = alternate
        (parameters.red, parameters.green, parameters.blue) = (red, red, red)
        guard flags & 0x80 != 0 else { return parameters }
        guard let green = channel(), let blue = channel() else { return nil }
        (parameters.green, parameters.blue) = (green, blue)
        return parameters
    }

    /// Reads the numbers of a channel in their stored order.
    private mutating func channel() -> GainMap.Channel? {
        var channel = GainMap.Channel()
        guard let minimum = signed(), let maximum = signed(), let gamma = unsigned(), let base = signed(),
            let alternate = signed()
        else { return nil }
        (channel.minimum, channel.maximum, channel.gamma) = (minimum, maximum, gamma)
        (channel.baseOffset, channel.alternateOffset) = (base, alternate)
        return channel
    }

    /// Fractions with a signed and an unsigned numerator.
    private mutating func signed() -> Double? {
        reader.u32(bigEndian: true).flatMap { fraction(Double(Int32(bitPattern: $0))) }
    }

    private mutating func unsigned() -> Double? { reader.u32(bigEndian: true).flatMap { fraction(Double($0)) } }

    /// Completes a fraction; nil for a denominator of 0.
    private mutating func fraction(_ numerator: Double) -> Double? {
        guard let divisor = denominator ?? reader.u32(bigEndian: true), divisor > 0 else { return nil }
        return numerator / Double(divisor)
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
