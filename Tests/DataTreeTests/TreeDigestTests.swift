import Testing

@testable import DataTree

@Suite struct TreeDigestTests {
    private let fields: [(String, Value)] = [
        ("text", .string("größe")), ("n", .integer(7)), ("x", .double(0.5)), ("is", .boolean(true)),
    ]

    private var record: Value { .object(named: fields) }

    private func list(_ count: Int) -> Value {
        .object(named: (0..<count).map { ("k\(1_000_000 + $0)", record) })
    }

    @Test func `different trees have different digests`() {
        let long = String(repeating: "k", count: 40)
        var values: [Value] = [
            .null, .boolean(false), .boolean(true), .integer(0), .integer(1), .double(0),
            .double(-0.0),
            .double(1), .string(""), .string("a"), .string("1"), .string("aaaaaaaa"),
            .string("aaaaaaaaa"), .string("aaaaaaaa\0"), record, list(2), list(3),
        ]
        values += values.filter { !$0.isNull }.flatMap {
            [$0.prioritized(.integer(1)), $0.prioritized(.string("1"))]
        }
        values += values.filter { !$0.isNull }.flatMap { value in
            ["a", "7", "07", long + "1", long + "2"].map { .object(named: [($0, value)]) }
        }
        var texts: [TreeDigest: String] = [:]
        for value in values {
            let digest = TreeDigest(of: value)
            #expect(texts[digest] == nil, "\(value) has the digest of \(texts[digest] ?? "")")
            texts[digest] = "\(value)"
        }
        #expect(TreeDigest(of: .null) == TreeDigest())
    }

    @Test func `values that are equal and stored in different forms have equal digests`() {
        guard case .object(let children) = record,
            let packed = PackedChildren.make(packing: children.asMap)
        else {
            Issue.record("the record cannot be packed")
            return
        }
        #expect(TreeDigest(of: .object(Children(packed))) == TreeDigest(of: record))
    }

    @Test func `changes adjust a digest`() {
        let (old, new) = (list(20), list(30).prioritized(.integer(2)))
        var changes: [Change] = []
        Change.append(from: old, to: new, at: .root, into: &changes)
        var digest = TreeDigest(of: old)
        for change in changes {
            digest.remove(change.old, at: change.path)
            digest.insert(change.new, at: change.path)
        }
        #expect(digest == TreeDigest(of: new))
    }

    @Test func `a digest in slices is that of the whole`() {
        var value = list(100)
        value.set(record.prioritized(.integer(1)), at: "k1000005/more")
        value = value.prioritized(.string("p"))
        var count = DigestCount(of: value, at: .root)
        var slices = 0
        while !count.isDone {
            var rest = 7
            count.advance(by: &rest)
            slices += 1
        }
        #expect(count.digest == TreeDigest(of: value))
        #expect(slices > 10)
    }

    /// Nodes of different versions compare their digests, so these never change. A second implementation computed this one.
    @Test func `the digest of a tree is the same in all versions`() {
        let digest = TreeDigest(of: list(3).prioritized(.integer(1)))
        #expect(digest == TreeDigest(0xE891_11D6_FBAA_B5DA, 0xB561_6D4D_BA83_D640))
    }
}
