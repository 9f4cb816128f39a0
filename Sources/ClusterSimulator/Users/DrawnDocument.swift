import ReplicaCore
import RulesOracle

/// Rules that the seed draws, about the places and the users of runs.
enum DrawnDocument {
    /// The word of scenarios for a drawn document in place of a file.
    static let word = "drawn"

    private static let words = RuleWords(
        keys: [
            "rooms", "a", "b", "topic", "open", "members", "lines", "by", "text", "gone", "roles",
            "users", "name", "age", "other", "notes", "u1", "u2", "u3",
        ],
        paths: [
            "", "guarded", "guarded/roles", "guarded/rooms/a", "guarded/rooms/a/members",
            "guarded/rooms/b/open", "guarded/users/u1", "guarded/users/u2/age", "guarded/notes",
        ],
        texts: ["", "editor", "guest", "people", "u1", "u2", "c1-1", "C", "-", "name"],
        claims: [["uid"], ["uid"], ["provider"], ["nothing"]])

    private static let shape: RuleShape = {
        let leaf = RuleShape()
        let line = RuleShape([("by", leaf), ("text", leaf)])
        let room = RuleShape([
            ("topic", leaf), ("open", leaf), ("members", RuleShape([("$uid", leaf)])),
            ("lines", RuleShape([("$line", line)])), ("gone", RuleShape([("$uid", leaf)])),
        ])
        let user = RuleShape([("name", leaf), ("age", leaf), ("$other", leaf)])
        return RuleShape([
            (
                "guarded",
                RuleShape([
                    ("rooms", RuleShape([("a", room), ("$room", room)])),
                    ("roles", RuleShape([("u1", leaf), ("$uid", leaf)])),
                    ("users", RuleShape([("$uid", user)])),
                    ("notes", RuleShape([("u2", leaf), ("$uid", leaf)])),
                ])
            )
        ])
    }()

    /// Rules that nodes have to take.
    static func draw(_ random: inout SplitMix64) -> RulesDocument {
        let (rules, text) = NaiveRules.drawn(along: shape, words, using: &random)
        return RulesDocument(file: word, source: text, rules: rules)
    }

    /// Rules with one fault, and what nodes have to say.
    static func drawFaulty(_ random: inout SplitMix64) -> (document: String, problem: String) {
        NaiveRules.drawnFaulty(along: shape, words, using: &random)
    }
}
