/// The version, as text and as a number, as declared in the header.
/// A number is major * 1,000,000 + minor * 1000 + patch.
package enum Version {
    package static let text: StaticString = "0.2.0"
    package static let number: UInt32 = 2000
}
