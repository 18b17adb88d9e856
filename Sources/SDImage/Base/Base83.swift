/// Base 83 with the alphabet of BlurHash, most significant digit first.
/// Used by `BlurHash` only; the sizes are so small that linear searches do.
enum Base83 {
    private static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    /// The number in exactly `digits` digits; higher digits are lost.
    static func text(_ number: Int, digits: Int) -> [UInt8] {
        var text: [UInt8] = []
        var rest = number
        for _ in 0..<digits {
            text.insert(characters[rest % 83], at: 0)
            rest /= 83
        }
        return text
    }

    /// Digit value of each character.
    /// Throws `badData` for a byte outside the alphabet.
    static func numbers(_ text: [UInt8]) throws(ImageError) -> [Int] {
        var numbers: [Int] = []
        for character in text {
            guard let number = characters.firstIndex(of: character) else {
                throw ImageError(.badData, "blurhash: byte \(character) is not a base 83 digit")
            }
            numbers.append(number)
        }
        return numbers
    }
}
