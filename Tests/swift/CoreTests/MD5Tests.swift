import SDImage
import Testing

/// Test vectors of RFC 1321, appendix A.5, and keys of the disk cache.
@Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"),
    ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("TestImageKey.jpg", "f77fd0b2d2c9780cce3b1cf4f047030a"),
    ("TestImageKey.png", "0f7078018e6eb92b76e5aa072b163076"),
    ("https://placehold.co/50x50.jpg", "e9936aba8d7f7fcca7813d72290de957"),
    ("http://foo/image.png", "37aa5e9869e83947123ec801f97d2941"),
    ("http://foo/image-SDImageFlippingTransformer(1,0).png", "fb3d38a131d20ed23bd1bbf18640ec60"),
    ("http://foo/image-Thumbnail(%7B100.000000,100.000000%7D,1).png", "e2ad8433089bf14463c0048fa891a172"),
    ("image-SDImageFlippingTransformer(1,0).png", "e6250cf5d6a16d6e403c31b9526f723f"),
    ("ph://B84E8479-475C-4727-A4A4-B77AA9980897/L0/001", "82ef275d4f0c743dc55cde38705dc481"),
    ("12345678901234567890123456789012345678901234567890123456789012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"),
])
func digestIsThatOfRFC1321(text: String, digest: String) {
    #expect(MD5(of: Array(text.utf8)).hexadecimal == digest)
}

/// Lengths at which the padding fills a block or needs another one.
@Test(arguments: [
    (55, "ef1772b6dff9a122358552954ad0df65"), (56, "3b0c8ac703f828b04c6c197006d17218"),
    (63, "b06521f39153d618550606be297466d5"), (64, "014842d480b571495a4a0363793f7367"),
    (119, "8a7bd0732ed6a28ce75f6dabc90e1613"), (120, "5f61c0ccad4cac44c75ff505e1f1e537"),
    (128, "e510683b3f5ffe4093d021808bc6ff70"),
])
func digestOfBlocks(length: Int, digest: String) {
    #expect(MD5(of: Array(repeating: UInt8(ascii: "a"), count: length)).hexadecimal == digest)
}

@Test(arguments: [
    ("https://placehold.co/50x50.jpg", "jpg"), ("TestImageKey.PNG", "png"),
    ("https://maps.example/staticmap?center=48.8566,2.3522&format=png&size=1.png", ""),
    ("https://example.com/a.jpg?x=/b.gif", "jpg"), ("https://example.com/a.jpg#part.png", "jpg"), ("a.jpg00%00", ""),
    ("no extension", ""), (".png", ""), ("folder/.png", ""), ("a.sh", ""), ("a." + String(repeating: "j", count: 300), ""),
    ("", ""),
    ("a.jp/g", ""), ("a.", ""),
])
func fileNamesCarryOnlyPictureExtensions(key: String, wanted: String) {
    let name = CacheFileName(key: CacheKey(key), write: CacheWrite(instance: 0x4c1, number: 0x1f))
    #expect(name.fileExtension == wanted)
    #expect(CacheFileName(path: name.path) == name)
}

@Test func fileNameIsDigestInstanceAndWrite() {
    let name = CacheFileName(key: CacheKey("https://placehold.co/50x50.jpg"), write: CacheWrite(instance: 0x4c1, number: 0x1f))
    #expect(name.path == "e9/e9936aba8d7f7fcca7813d72290de957-4c1-1f.jpg")
}

@Test(arguments: [
    "", "/", "e9", "e9/", "../../etc/passwd", "e9/../../../etc/passwd", "aa/e9936aba8d7f7fcca7813d72290de957-4c1-1f.jpg",
    "e9/e9936aba8d7f7fcca7813d72290de957-4c1-1f.sh", "e9/e9936aba8d7f7fcca7813d72290de957-4c1-1f.jpg.jpg",
    "e9/E9936aba8d7f7fcca7813d72290de957-4c1-1f", "e9/e9936aba8d7f7fcca7813d72290de957-4c1", "e9/e9936aba-4c1-1f",
    "e9/e9936aba8d7f7fcca7813d72290de957-11111111111111111-1f",
])
func pathsThatNoCacheMadeAreRefused(path: String) {
    #expect(CacheFileName(path: path) == nil)
}

/// CRC-32C by its definition, one bit at a time.
private func slowChecksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82f6_3b78 : sum >> 1 }
    }
    return ~sum
}

@Test func checksumIsThatOfItsDefinitionAtEveryLength() {
    let bytes = (0..<14_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 9) }
    #expect(slowChecksum(Array("123456789".utf8)[...]) == 0xe306_9283)
    for length in Array(0...40) + [1023, 1024, 3071, 3072, 3073, 6143, 6144, 9300, 13_990] {
        for start in [0, 1, 5] {
            let part = bytes[start..<start + length]
            let sum = unsafe Array(part).withUnsafeBytes { unsafe CRC32C.checksum($0) }
            #expect(sum == slowChecksum(part), "\(length)")
        }
    }
    let first = unsafe Array(bytes[..<5000]).withUnsafeBytes { unsafe CRC32C.checksum($0) }
    let whole = unsafe Array(bytes[5000...]).withUnsafeBytes { unsafe CRC32C.checksum($0, after: first) }
    #expect(whole == slowChecksum(bytes[...]))
}

/// Examples of FIPS 180-2, appendix B.
@Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
]) func sha256IsThatOfTheStandard(_ text: String, _ digest: String) throws {
    #expect(try Bytes.copying(Array(text.utf8)).sha256 == digest)
}
