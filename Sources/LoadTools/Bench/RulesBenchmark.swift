internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import Sockets
internal import SyncProtocol
internal import TLS

/// The cost of rules: the work W1 alternately by an administrator, to which no rules apply, and by a user with
/// rules.
///
/// Both have clusters with the same configuration and the same rules, so that nothing else differs.
struct RulesBenchmark {
    /// A user may write below a key of their own, and each record has three parts of certain types.
    static let typicalRules = """
        {"rules": {"bench": {"$uid": {
          ".read": "auth.uid == $uid", ".write": "auth.uid == $uid",
          "$record": {
            ".validate": "newData.hasChildren(['n', 'author', 'text'])",
            "n": {".validate": "newData.isNumber()"},
            "text": {".validate": "newData.isString() && newData.val().length < 1000"}
          }
        }}}}
        """

    /// Two measurements with different writers.
    struct Pair {
        var administrator: AppendBenchmark.Measurement
        var user: AppendBenchmark.Measurement

        /// How much more processor time the user's appends cost, in per cent.
        var additionalPercent: Double {
            (user.serverSecondsPer100k / administrator.serverSecondsPer100k - 1) * 100
        }
    }

    /// The secret of an administrator in a cluster that accepts unsigned tokens.
    static let owner = Secret("owner")!

    let rules: String
    /// The user, below whose key under `/bench` records are appended.
    let user: String
    let appends: Int
    let durability: String
    /// How often both append.
    let rounds: Int

    /// Measures both, the user first in every other round.
    func runPair(_ round: Int) throws(CommandError) -> Pair {
        if round % 2 == 1 {
            let user = try run("W1 user", showing: Self.token(of: user))
            return Pair(
                administrator: try run("W1 administrator", showing: Self.owner), user: user)
        }
        let administrator = try run("W1 administrator", showing: Self.owner)
        return Pair(
            administrator: administrator, user: try run("W1 user", showing: Self.token(of: user)))
    }

    private func run(
        _ name: String, showing secret: Secret
    ) throws(CommandError) -> AppendBenchmark.Measurement {
        let work = AppendBenchmark.Work(
            name: name, clients: 8, appends: appends, pace: .pipelined(window: 1000))
        let list = Path([Key(unchecked: "bench"), Key(unchecked: user)])
        return try TemporaryCluster.with(3, durability: durability, owner: Self.owner) {
            (cluster) throws(CommandError) in
            try Self.set(rules, of: cluster)
            let identities = AppendLoad.Identities(writers: secret, listeners: Self.owner)
            return try AppendBenchmark(
                cluster: cluster, durability: durability, identities: identities
            ).run(work, in: list)
        }
    }

    /// Has a cluster enforce rules.
    static func set(_ rules: String, of cluster: TemporaryCluster) throws(CommandError) {
        let address = HTTPAddress(cluster.addresses[0])!
        do throws(CommandError) {
            _ = try StatusProbe(showing: owner).setRules(
                rules, replacing: nil, at: address, confirmedBy: .all, within: .seconds(10))
        } catch {
            // The nodes are the benchmark's own, so the rules are at fault.
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
    }

    /// The credential of a user: an unsigned token.
    static func token(of user: String) -> Secret {
        let claims = [("alg", "none"), ("sub", user)].map { name, text in
            JSONWriter.text(of: .object(named: [(name, .string(text))]))
        }
        let parts = claims.map { Base64URL.text(of: Array($0.utf8)) }
        return Secret(parts.joined(separator: ".") + ".")!
    }
}
