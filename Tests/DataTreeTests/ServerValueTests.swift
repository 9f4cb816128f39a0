import DataTree
import Testing

@Suite struct ServerValueTests {
    static let timestamp = Value.deferred(.timestamp)

    static func increment(_ delta: Value) -> Value { .deferred(.increment(delta.number!)) }

    @Test func `one instant takes the place of every timestamp, increments stay`() {
        let written: Value = [
            "a": Self.timestamp, "b": ["c": [".value": "x", ".priority": Self.timestamp]],
            "d": Self.increment(2), "e": "kept",
        ]
        #expect(written.containsDeferred)
        #expect(
            written.resolvingTimestamps(at: 1_000)
                == [
                    "a": 1_000, "b": ["c": [".value": "x", ".priority": 1_000]],
                    "d": Self.increment(2), "e": "kept",
                ])
    }

    @Test func `increments add to the numbers before, at every depth and in priorities`() {
        let old: Value = [
            "likes": 5, "deep": ["er": 1.5], "text": "no number", "object": ["a": 1],
            "ranked": [".value": 1, ".priority": 10],
        ]
        let written: Value = [
            "likes": Self.increment(1), "deep": ["er": Self.increment(0.5)],
            "text": Self.increment(3), "object": Self.increment(4), "missing": Self.increment(6),
            "ranked": [".value": Self.increment(1), ".priority": Self.increment(-1)],
        ]
        let resolved = written.resolved(at: 0, against: old)
        #expect(!resolved.containsDeferred)
        #expect(
            resolved
                == [
                    "likes": 6, "deep": ["er": 2], "text": 3, "object": 4, "missing": 6,
                    "ranked": [".value": 2, ".priority": 9],
                ])
    }

    @Test(
        arguments: [
            (timestamp, true, false), (increment(1), false, false),
            (["a": ["b": timestamp]], true, false),
            (["a": [".value": 1, ".priority": timestamp]], true, false),
            (["a": [".value": 1, ".priority": increment(1)]], false, true),
            ([".value": timestamp, ".priority": increment(1)], true, true),
            (["a": 1], false, false),
        ] as [(Value, Bool, Bool)])
    func `timestamps and increments of priorities are found wherever they are`(
        value: Value, hasTimestamp: Bool, incrementsPriority: Bool
    ) {
        #expect(value.containsTimestamp == hasTimestamp)
        #expect(value.incrementsPriority == incrementsPriority)
    }

    @Test func `a sum stays an integer unless it overflows, and finite always`() {
        let max = Value.integer(.max)
        #expect(Self.increment(1).resolved(at: 0, against: .integer(.max - 1)) == max)
        #expect(Self.increment(1).resolved(at: 0, against: max) == .double(0x1p63))
        let greatest = Value.double(.greatestFiniteMagnitude)
        #expect(Self.increment(greatest).resolved(at: 0, against: greatest) == greatest)
    }

    @Test func `data without placeholders stays as it is`() {
        let data: Value = ["a": [".value": 1, ".priority": "p"]]
        #expect(!data.containsDeferred)
        #expect(data.resolved(at: 1, against: .null) == data)
        #expect(data.resolvingTimestamps(at: 1) == data)
    }
}
