internal import ClusterAdministration
internal import CommandLineKit
internal import Sockets

/// The lines of `hearth cluster up` on permissions: whether rules apply, and which pages may use the nodes.
struct EmulatorNotice {
    private let file: ClusterFile
    /// The digest of the rules; nil without.
    private let rules: String?

    /// Asks a node for its rules.
    init(of cluster: Cluster, at address: HTTPAddress) {
        let report = try? StatusProbe(showing: .owner).rules(at: address, within: .seconds(2))
        self.init(file: cluster.file, rules: report?.digest)
    }

    init(file: ClusterFile, rules: String?) { (self.file, self.rules) = (file, rules) }

    /// One fact a line.
    var lines: [String] {
        let pages =
            "pages of other origins than this machine's are refused (403)"
            + (file.origins.isEmpty ? "" : ", except \(file.origins.joined(separator: ", "))")
            + "; --origin https://HOST permits one"
        if file.isOpenToAll {
            return [
                "each program on this machine is an administrator, and rules apply to no client; \"emulator\": true in cluster.json "
                    + "changes that"
            ]
        }
        guard file.isEmulator else { return [] }
        guard let rules else {
            return databases + [
                "without rules, everything is open: each program on this machine may read and write everything",
                "`hearth rules set FILE` installs rules, which then apply to all clients but administrators",
                pages,
            ]
        }
        return databases + [
            "the rules \(rules.prefix(8)) apply to all clients but administrators",
            "administrators are `hearth` itself and programs that send `Authorization: Bearer owner`; users show unsigned tokens",
            pages,
        ]
    }

    /// The line on databases that clients name.
    private var databases: [String] {
        file.createsDatabases
            ? [
                "each database that a client names by `ns` is created; `hearth get / --database NAME` reads it, and ns=default is the "
                    + "default database"
            ] : []
    }

    /// Writes the lines, which are for people, to standard error.
    func print() {
        for line in lines { Terminal.standardError.print(line) }
    }
}
