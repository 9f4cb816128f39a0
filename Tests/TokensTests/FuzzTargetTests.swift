import Testing

/// What `scripts/fuzz tokens` begins with.
@Suite struct FuzzTargetTests {
    @Test func `the first examples show nobody whom they must not`() {
        for example in fuzzedTokens {
            #expect(violation(ofToken: Array(example.utf8)) == nil, "\(example)")
        }
    }
}
