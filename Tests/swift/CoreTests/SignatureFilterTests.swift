import SDImage
import Testing

@Test(arguments: [
    // Amazon S3, versions 4 and 2.
    (
        "https://b.s3.amazonaws.com/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20260101&X-Amz-Date=20260101T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=fe5f",
        "https://b.s3.amazonaws.com/a.png"
    ),
    ("https://b.s3/a.png?versionId=3&x-amz-security-token=t&X-Amz-Signature=1&w=5", "https://b.s3/a.png?versionId=3&w=5"),
    ("https://b.s3/a.png?AWSAccessKeyId=A&Expires=1141889120&Signature=vjbyPxybdZaNmGa%2ByT272YEAiv4%3D", "https://b.s3/a.png"),
    // CloudFront, canned and custom.
    (
        "https://d.cloudfront.net/a.jpg?size=large&Expires=1&Signature=n~&Key-Pair-Id=K",
        "https://d.cloudfront.net/a.jpg?size=large"
    ),
    ("https://d.cloudfront.net/a.jpg?Policy=eyANC&Signature=n&Key-Pair-Id=K#top", "https://d.cloudfront.net/a.jpg#top"),
    // Google Cloud Storage, versions 4 and 2.
    (
        "https://storage.googleapis.com/b/a?X-Goog-Algorithm=x&X-Goog-Signature=1&generation=2",
        "https://storage.googleapis.com/b/a?generation=2"
    ),
    ("https://storage.googleapis.com/b/a?GoogleAccessId=e%40x&Expires=1&Signature=s", "https://storage.googleapis.com/b/a"),
    // Azure.
    (
        "https://x.blob.core.windows.net/c/a.png?sv=2022-11-02&st=2026&se=2027&sr=b&sp=r&spr=https&sig=Z%2B&snapshot=7",
        "https://x.blob.core.windows.net/c/a.png?snapshot=7"
    ),
    // Plain parameter names in unsigned URLs.
    ("https://x/a.png?Expires=5&Policy=all", "https://x/a.png?Expires=5&Policy=all"),
    ("https://x/a.png?st=small&sp=3&se=1&sv=2&sr=4", "https://x/a.png?st=small&sp=3&se=1&sv=2&sr=4"),
    ("https://x/a.png?signatures=1&sigma=2", "https://x/a.png?signatures=1&sigma=2"),
    // The remaining text is unchanged byte for byte, in its order.
    ("https://x/a.png?b=%41&&a&=&Signature=1&b=2", "https://x/a.png?b=%41&&a&=&b=2"),
    ("https://x/a.png?Sign%61ture=1&a", "https://x/a.png?a"),
    ("https://x/a.png?", "https://x/a.png?"),
    ("https://x/a.png", "https://x/a.png"),
    ("https://x/Signature=1&a", "https://x/Signature=1&a"),
    ("https://x/a.png#?Signature=1", "https://x/a.png#?Signature=1"),
    ("", ""), ("?", "?"), ("?sig", ""),
]) func aKeyIsTheURLWithoutItsSignature(_ url: String, _ key: String) {
    #expect(String(decoding: SignatureFilter.unsigned(Array(url.utf8)), as: UTF8.self) == key)
}
