/// The version, as text and as a number, as declared in the header.
package enum Version {
    package static let text: StaticString = "0.2.0"
    package static let number: UInt32 = 2000
}
