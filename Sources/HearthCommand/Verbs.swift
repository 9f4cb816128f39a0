internal import CommandLineKit
internal import LoadTools

extension Verb {
    /// All verbs of `hearth`, in the order of its help.
    static let hearth: Verb = Verb(
        "hearth", "Runs and talks to Hearth, a sync database of equal replicas.",
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
        ClusterVerbs.verb, NodeVerb.verb, KeysVerb.verb, .token, BackupVerbs.backup,
        BackupVerbs.restore,
    ]

    static let dataVerbs: [Verb] = [
        .get, .ls, .query, .set, .push, .update, .remove, .transaction, .watch, .onDisconnect,
        .import, .export, .whyLocation,
    ]
}

extension HelpTable {
    /// The variables of the environment that verbs read.
    fileprivate static let environment = HelpTable(
        "environment",
        [
            ("HEARTH_DIR", "The cluster's folder, where --dir is not given."),
            (
                "HEARTH_SECRET_FILE",
                "The file of an administrator's secret, where --secret is not given."
            ),
            (
                "HEARTH_TOKEN",
                "A token, or the file of one, where neither --token nor --secret is given."
            ),
            ("NO_COLOR", "If it is set and not empty, nothing is coloured."),
        ])
}
