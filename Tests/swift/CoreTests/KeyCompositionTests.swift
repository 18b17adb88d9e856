import Foundation
import SDImage
import Testing

private let flip = "SDImageFlippingTransformer(1,0)"
private let thumbnail = "Thumbnail({100.000000,100.000000},1)"

@Test(arguments: [
    ("image.png", "image-F.png"), ("image", "image-F"), (".image", ".image-F"), ("image.", "image.-F"),
    ("Test/image.png", "Test/image-F.png"), ("http://foo/image.png", "http://foo/image-F.png"),
    ("http://foo/image", "http://foo/image-F"), ("http://foo/.image", "http://foo/.image-F"),
    ("http://foo/image.png?foo=bar#mark", "http://foo/image-F.png?foo=bar#mark"),
    ("ftp://root:password@foo.com/image.png", "ftp://root:password@foo.com/image-F.png"),
    ("https://h/img.php?id=3.png", "https://h/img-F.php?id=3.png"), ("https://h/img?id=3", "https://h/img?id=3-F"),
    ("https://h/a%20b.png", "https://h/a%20b-F.png"), ("a.tar.gz", "a.tar-F.gz"), ("my key.png", "my key-F.png"),
    ("file:///tmp/a.png", "file:///tmp/a-F.png"), ("https://h/a b.png", "https://h/a b-F.png"),
    // A dot in a folder, in the host or in the query does not begin an extension.
    ("http://foo.com", "http://foo.com-F"), ("http://h/a.b/image", "http://h/a.b/image-F"),
    ("http://h/image?x=a.png", "http://h/image?x=a.png-F"), ("", "-F"),
])
func transformerSuffixStandsBeforeTheExtension(key: String, expected: String) {
    let composed = CacheKey.composed(base: Array(key.utf8), suffixes: [flip])
    #expect(composed.description == expected.replacingOccurrences(of: "-F", with: "-\(flip)"))
}

@Test(arguments: [
    ("http://foo/image.png", [thumbnail], "http://foo/image-Thumbnail(%7B100.000000,100.000000%7D,1).png"),
    ("http://foo/image", [thumbnail], "http://foo/image-Thumbnail({100.000000,100.000000},1)"),
    (
        "http://foo/image.png", [thumbnail, flip],
        "http://foo/image-Thumbnail(%7B100.000000,100.000000%7D,1)-SDImageFlippingTransformer(1,0).png"
    ),
    (
        "http://foo/image", [thumbnail, flip],
        "http://foo/image-Thumbnail({100.000000,100.000000},1)-SDImageFlippingTransformer(1,0)"
    ),
    // Escaped in URLs only, except file URLs.
    ("http://foo/a.png", ["Tint(#ff0000,18)"], "http://foo/a-Tint(%23ff0000,18).png"),
    ("file:///tmp/a.png", [thumbnail], "file:///tmp/a-Thumbnail({100.000000,100.000000},1).png"),
    ("my key.png", [thumbnail], "my key-Thumbnail({100.000000,100.000000},1).png"),
    ("http://foo/image.png", [], "http://foo/image.png"),
])
func severalSuffixesAreComposedInOneStep(key: String, suffixes: [String], expected: String) {
    #expect(CacheKey.composed(base: Array(key.utf8), suffixes: suffixes).description == expected)
}

@Test func invalidTextOutsideTheInsertionPointIsKeptByteForByte() {
    let key: [UInt8] = [0xff, 0xfe] + Array("a.png".utf8)
    #expect(CacheKey.composed(base: key, suffixes: ["x"]).bytes == [0xff, 0xfe] + Array("a-x.png".utf8))
}

@Test func thumbnailSuffixIsThatOfTheModel() {
    let size = PixelSize(width: 100, height: 100)
    #expect(CacheKey.thumbnailSuffix(size, mode: .aspectFit) == thumbnail)
    #expect(CacheKey.thumbnailSuffix(size, mode: .fill) == "Thumbnail({100.000000,100.000000},0)")
    #expect(CacheKey.thumbnailSuffix(size, mode: .aspectFill) == "Thumbnail({100.000000,100.000000},2)")
    #expect(CacheKey("http://foo/image-\(thumbnail)").isThumbnail)
    #expect(!CacheKey("http://foo/Thumbnail.png").isThumbnail)
}

@Test(arguments: [
    (0.0, "0.000000"), (1, "1.000000"), (0.785398163397448, "0.785398"), (-2.5, "-2.500000"), (50, "50.000000"),
    (0.9999996, "1.000000"), (1e-7, "0.000000"), (123456789.123456, "123456789.123456"), (-0.0, "-0.000000"),
])
func decimalsAreThoseOfC(value: Double, expected: String) {
    #expect(FixedDecimal.text(value) == expected)
}

@Test func numbersThatAreNoNumbersDoNotTrap() {
    #expect(FixedDecimal.text(.nan) == "nan")
    #expect(FixedDecimal.text(-.infinity) == "-inf")
    #expect(!FixedDecimal.text(1e300).isEmpty)
}
