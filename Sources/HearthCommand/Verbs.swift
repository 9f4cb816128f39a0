internal import CommandLineKit
internal import LoadTools

extension Verb {
    /// All verbs of `hearth`, in the order of its help.
    static let hearth: Verb = Verb(
        "hearth", "Runs a Hearth cluster, and reads and writes its data.",
        verbs: [Demo.verb] + clusterVerbs + dataVerbs + [
            .rules, .shell, .simulation, .soak, .bench,
        ]
            + HelpVerbs.all,
        tables: [.exitCodes, .environment],
        examples: [
            "hearth demo",
            "hearth cluster up --nodes 3 --detach",
            "hearth push /rooms/lobby '{\"text\":\"hello\"}' --node http://127.0.0.1:7001",
            "hearth watch /rooms/lobby --events child",
        ])

    private static let clusterVerbs = [
        .setup, ClusterVerbs.verb, DatabaseVerbs.verb, NodeVerb.verb, KeysVerb.verb, .token,
        BackupVerb.backup,
        RestoreVerb.restore,
        AcceptLossVerb.verb,
    ]

    static let dataVerbs: [Verb] = [
        .get, .ls, .query, .set, .push, .update, .remove, .transaction, .watch, .onDisconnect,
        .import, .export, .migrate, .whyLocation,
    ]
}

extension HelpTable {
    /// The variables of the environment that verbs read.
    fileprivate static let environment = HelpTable(
        "environment",
        [
            ("HEARTH_DIR", "The folder of the cluster, unless --dir is given."),
            ("HEARTH_DATABASE", "The database of the cluster, unless --database is given."),
            (
                "HEARTH_SECRET_FILE",
                "A file with an administrator's secret, unless --secret is given."
            ),
            (
                "HEARTH_TOKEN",
                "A token, or a file with one, unless --token or --secret is given."
            ),
            (
                "HEARTH_CA_FILE",
                "A file with the authority of the nodes' certificates, unless --ca is given."
            ),
            (
                "HEARTH_CONFIG",
                "The configuration of the cluster, unless --config or --dir is given. It counts before HEARTH_DIR."
            ),
            ("HEARTH_NODE_ID", "The name of the node for `hearth node`, unless --id is given."),
            ("NO_COLOR", "If it is set and not empty, output has no colours."),
        ])
}
