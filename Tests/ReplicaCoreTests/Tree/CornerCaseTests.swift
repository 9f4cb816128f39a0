import Convergence
import DataTree
import SyncProtocol
import Testing

/// The corner cases of `convergence.md`, section 7, each in every order of arrival.
@Suite struct CornerCaseTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var operations: [Operation]
        var want: Value

        init(_ name: String, _ operations: [(Int, String, Value)], _ want: Value) {
            testDescription = name
            self.operations = operations.map { stamp, path, value in
                Operation(
                    stamp: Universe.stamp(stamp),
                    writes: [Write(path: Universe.path(path), value: value)])
            }
            self.want = want
        }
    }

    static let cases: [Case] = [
        Case(
            "a primitive stays dead although the newer child below it was removed",
            [(1, "a", 5), (3, "a/b", .null), (2, "a/b/c", 1)], .null),
        Case("null below a primitive changes nothing", [(1, "a", 5), (2, "a/b", .null)], ["a": 5]),
        Case(
            "a newer child outlives an older set of its parent",
            [(3, "a/x", 1), (2, "a", ["x": 9, "y": 2])], ["a": ["x": 1, "y": 2]]),
        Case(
            "an older primitive above a newer child is never seen",
            [(3, "a/x", 1), (2, "a", 7)], ["a": ["x": 1]]),
        Case(
            "nor after that child was removed",
            [(3, "a/x", 1), (4, "a/x", .null), (2, "a", 7)], .null),
        Case(
            "increments go on from a late reset",
            [(1, "n", .adding(1)), (3, "n", .adding(4)), (2, "n", 10)], ["n": 14]),
        Case(
            "an increment clears an object, but not a later child",
            [(1, "a/x", 1), (3, "a/y", 1), (2, "a", .adding(2))], ["a": ["y": 1]]),
        Case(
            "an increment inside a set keeps its base",
            [(2, "a", ["n": .adding(1)]), (1, "a", ["n": 5, "z": 1])], ["a": ["n": 6]]),
        Case(
            "but not across an earlier clear",
            [(3, "a", ["n": .adding(1)]), (1, "a", ["n": 5]), (2, "a", .null)],
            ["a": ["n": 1]]),
        Case(
            "a clear does not reach below the places that a set with increments spares",
            [
                (1, "a", ["n": ["m": 5], "z": 1]), (3, "a", ["n": ["m": .adding(1)]]),
                (2, "a/n/m", 7),
            ], ["a": ["n": ["m": 8]]]),
        Case(
            "an increment on a string starts anew",
            [(2, "n", .adding(2)), (1, "n", .string("s"))], ["n": 2]),
        Case(
            "a priority outlives the turn of its leaf into an object",
            [(1, "a", Value.integer(5).prioritized(1)), (2, "a/b", 6)],
            ["a": (["b": 6] as Value).prioritized(1)]),
        Case(
            "a priority shows again when its location has a value again",
            [(1, "a/x", 1), (2, "a/.priority", 7), (3, "a/x", .null), (4, "a/y", 2)],
            ["a": (["y": 2] as Value).prioritized(7)]),
        Case(
            "so does that of a set whose value something newer has removed",
            [
                (1, "a", (["x": 1] as Value).prioritized(7)), (2, "a/x", .null),
                (3, "a/y", 2),
            ], ["a": (["y": 2] as Value).prioritized(7)]),
        Case(
            "a set resets the priority",
            [(1, "a", 1), (2, "a/.priority", 7), (3, "a", 2)], ["a": 2]),
    ]

    @Test(arguments: cases)
    func `holds in every order`(example: Case) {
        #expect(SequentialExecution.value(after: example.operations) == example.want)
        for order in permutations(example.operations) {
            #expect(ArrivalCheck.firstFailure(order) == nil)
        }
    }

    private func permutations(_ operations: [Operation]) -> [[Operation]] {
        guard operations.count > 1 else { return [operations] }
        return operations.indices.flatMap { index in
            var rest = operations
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    init(integerLiteral value: Int64) { self = .integer(value) }

    init(dictionaryLiteral elements: (String, Value)...) {
        self = Universe.object(Dictionary(uniqueKeysWithValues: elements))
    }

    static func adding(_ delta: Int64) -> Value { .deferred(.increment(.integer(delta))) }
}
