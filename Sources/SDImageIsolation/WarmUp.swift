import SDImage

/// Work of libraries that opens files, done before the sandbox forbids it. `DecoderService` runs it for each coder that it opens.
enum WarmUp {
    /// Text, and images of the formats for which GdkPixbuf opens a module.
    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8">\
        <text y="8" font-size="8">a</text>\
        <image width="1" height="1" xlink:href="data:image/png;base64,\
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgYGAAAAAEAAHI6uv5AAAAAElFTkSuQmCC"/>\
        <image width="1" height="1" xlink:href="data:image/gif;base64,\
        R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"/>\
        <image width="1" height="1" xlink:href="data:image/bmp;base64,\
        Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsA\
        AAAAAAAAAAAAAAAAAA=="/></svg>
        """

    /// A page with text in one of the standard fonts (ISO 32000-1, 9.6.2.2).
    private static let page = """
        %PDF-1.4
        1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
        2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 8 8]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
        4 0 obj<</Length 29>>stream
        BT /F 8 Tf 0 0 Td (a) Tj ET  
        endstream endobj
        5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
        trailer<</Root 1 0 R>>
        %%EOF
        """

    /// Has the libraries of a coder open their files. Errors do not matter: the calls report them.
    static func run(_ coder: any ImageCoder, _ name: CoderName) {
        switch name.name {
        case "svg": draw(drawing, coder)
        case "pdf": draw(page, coder)
        default: break
        }
        // Opens further libraries, as `sdimage_is_sandboxed` documents.
        if name.isComplete { for format in ImageFormat.allCases where coder.canEncode(format) { break } }
    }

    /// Decodes a document and drops the image.
    private static func draw(_ text: String, _ coder: any ImageCoder) {
        var options = DecodeOptions()
        options.isolation = Isolation.none
        guard let bytes = try? Bytes.copying(Array(text.utf8)) else { return }
        _ = try? coder.decode(bytes, options: options, stop: CancellationToken())
    }
}
