import Testing

/// The first texts of `scripts/fuzz tokens`.
@Suite struct FuzzTargetTests {
    @Test func `none of the first examples yields a forged identity`() {
        for example in fuzzedTokens {
            #expect(violation(ofToken: Array(example.utf8)) == nil, "\(example)")
        }
    }
}
