import DataTree
import Testing

@testable import ClusterSimulator

@Suite struct ValueSummaryTests {
    private func list(_ count: Int) -> Value {
        .object(named: (10..<10 + count).map { ("key\($0)", .integer(1)) })
    }

    @Test func `a long object has the number of its children`() {
        #expect(list(2).summary == "{key10: 1, key11: 1}")
        #expect(list(20).summary.hasSuffix("… (20 children)"), "\(list(20).summary)")
        #expect(list(20).summary != list(21).summary)
    }

    @Test func `a long text is cut off`() {
        let text = Value.string(String(repeating: "a", count: 200)).summary
        #expect(text.utf8.count < 110 && text.hasSuffix("a…"))
    }
}
