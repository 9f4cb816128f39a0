import DataTree
import ReplicaCore
import Rules
import RulesOracle
import SyncProtocol

/// Rules, data and requests at random, for copies of replicas: texts that consist of the same few pieces, which are found in each
/// other almost, and users of whom much is known.
struct ProbedRules {
    let rules: NaiveRules
    let source: String
    /// What is at `place`.
    let data: Value

    static let place = Path([Key(unchecked: "probed")])
    private static let pieces = [
        "a", "b", "ab", "aab", "aabaaa", "é", "e\u{301}", "\u{1F600}", "A", "\u{FFFF}", "\u{FFFE}",
        "\u{E000}", " ", "\u{1}",
    ]
    private static let names = ["a", "b", "c"]
    private static let words = RuleWords(
        keys: names + ["probed"], paths: ["probed/a", "probed/b/c", "probed", ""],
        texts: [
            "", "a", "ab", "aab", "aaba", "aabaaab", "abab", "AB", "é", "e\u{301}", "\u{1F600}b",
        ],
        claims: [["uid"], ["token", "level"], ["provider"], ["groups", "0"], ["groups", "1"]])
    private static let shape = RuleShape([("probed", RuleShape(["a", "b", "$k"], depth: 3))])

    init(_ random: inout SplitMix64) {
        (rules, source) = NaiveRules.drawn(
            along: ProbedRules.shape, ProbedRules.words, using: &random)
        data = ProbedRules.value(depth: 3, &random)
    }

    /// Rules with one fault, and what nodes have to say.
    static func drawFaulty(_ random: inout SplitMix64) -> (document: String, problem: String) {
        NaiveRules.drawnFaulty(along: shape, words, using: &random)
    }

    static func user(_ random: inout SplitMix64) -> Claim {
        switch random.index(below: 4) {
        case 0: .null
        case 1: .user(text(&random))
        default:
            Claim(members: [
                .init("uid", .string(text(&random))), .init("provider", .string(text(&random))),
                .init(
                    "token",
                    Claim(members: [.init("level", .number(Double(random.index(below: 3))))])),
                .init("groups", .array([.string(text(&random)), .boolean(true)])),
            ])
        }
    }

    static func request(_ random: inout SplitMix64) -> ClientMessage {
        var keys: [Key] = []
        for _ in 0..<random.index(below: 4) { keys.append(key(&random)) }
        let path = ProbedRules.place.appending(Path(keys))
        switch random.index(below: 5) {
        case 0: return .get(id: 1, path: path, query: DenseFilter(&random).query)
        case 1: return .get(id: 1, path: path)
        case 2:
            let writes = ["a", "b"].map { name in
                Write(
                    path: Path([Key(unchecked: name), key(&random)]),
                    value: value(depth: 1, &random))
            }
            return .merge(id: 1, path: ProbedRules.place, writes: writes)
        default: return .put(id: 1, path: path, value: value(depth: 2, &random))
        }
    }

    private static func key(_ random: inout SplitMix64) -> Key {
        Key(unchecked: names[random.index(below: names.count)])
    }

    private static func text(_ random: inout SplitMix64) -> String {
        (0..<random.index(below: 5)).map { _ in pieces[random.index(below: pieces.count)] }.joined()
    }

    private static func value(depth: Int, _ random: inout SplitMix64) -> Value {
        if depth > 0, random.index(below: 4) > 0 {
            var value = Value.null
            for name in names where random.index(below: 3) > 0 {
                value.set(self.value(depth: depth - 1, &random), at: Path([Key(unchecked: name)]))
            }
            return value
        }
        switch random.index(below: 6) {
        case 0: return .null
        case 1: return .boolean(random.index(below: 2) == 0)
        case 2: return .integer(Int64(random.index(below: 4)))
        case 3: return .double(Double(random.index(below: 5)) / 2 + 0.25)
        default:
            let leaf = Value.string(text(&random))
            return random.index(below: 6) == 0 ? leaf.prioritized(.integer(1)) : leaf
        }
    }
}
