import Testing

@testable import Rules

/// The first texts of `scripts/fuzz rules`.
@Suite struct FuzzTargetTests {
    @Test(arguments: FuzzedText.allCases)
    func `the first examples break no invariant`(text: FuzzedText) {
        for example in text.examples {
            #expect(text.violation(for: Array(example.utf8)[...]) == nil, "\(example)")
        }
    }
}
