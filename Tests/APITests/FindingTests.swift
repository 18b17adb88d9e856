import CSDImage
import Testing

/// Inputs by which fuzzing once found a fault. `Tests/fuzz` starts from them too, each in its own target.
@Suite struct FindingTests {
    /// Bytes in front of the picture by which these targets choose.
    private static let headers = ["decoder": 3, "options": 12]

    @Test(arguments: Fixtures.findings)
    func aPastFindingEndsAlikeHoweverItIsCut(name: String) throws {
        let target = name.split(separator: "/").dropLast().last.map(String.init) ?? ""
        let bytes = Array(try Fixtures.bytes(name).dropFirst(FindingTests.headers[target] ?? 0))
        let whole = Outcome.whole(bytes)
        for cut in Cut.allCases {
            let feeding = try Feeding()
            #expect(feeding.feed(bytes, cut) == whole, "pieces of \(cut)")
        }
    }
}
