internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import SyncProtocol

extension Verb {
    static let migrate = Verb(
        "migrate",
        "Copies a database with Firebase's REST interface, or an export file, to a cluster. It "
            + "copies piece by piece, follows the changes of a live source until Ctrl-C, compares "
            + "both sides, and prints what to change in the apps. After an interruption, the same "
            + "command resumes.",
        options: MigrateOptions.all,
        examples: [
            "hearth migrate --from https://my-project-default-rtdb.firebaseio.com --from-secret firebase.secret --rules fetch",
            "hearth migrate --from http://127.0.0.1:7001 --once --config cluster.json5",
            "hearth migrate --file export.json --rules database.rules.json",
        ]
    ) { invocation throws(CommandError) in
        let output = MigrationOutput(isJSON: invocation.has(MigrateOptions.json))
        let plan = try MigrationPlan(for: invocation)
        if invocation.has(MigrateOptions.dryRun) {
            output.print(plan)
            return .success
        }
        StopRequest.watch()
        let migration = try Migration(
            from: plan.source, named: plan.sourceName, to: plan.client, plan.options,
            report: output.report)
        let hashes = try migration.run { () throws(CommandError) in
            guard let rules = plan.rules else { return }
            let installed = try ClusterRules(for: invocation).set(
                rules, replacing: nil, confirmedBy: .local)
            output.report(installed)
        }
        output.printResult(hashes, plan)
        return .success
    }
}

/// The options of `hearth migrate`.
enum MigrateOptions {
    static let from = Option(
        "from", "URL",
        "The database to read: the database URL of Firebase, or the address of a node, with "
            + "?ns=NAME for a named database.")
    static let secret = Option(
        "from-secret", "FILE",
        "A file with a database secret or an ID token for the source, which is sent as auth=.",
        values: .file)
    static let token = Option(
        "from-token", "FILE",
        "A file with an OAuth2 access token for the source, or with an administrator's secret of "
            + "Hearth. An access token of Google is valid for an hour.", values: .file)
    static let authority = Option(
        "from-ca", "FILE",
        "A PEM file with the authority of the source's certificate, if the system does not trust "
            + "it.", values: .file)
    static let file = Option(
        "file", "FILE", "A JSON export to read instead of a live database; - is standard input.",
        values: .file)
    static let path = Option(
        "path", "PATH", "The location to migrate, the same on both sides; / by default.",
        values: .path)
    static let rules = Option(
        "rules", "FILE",
        "Install these rules at the end; the word fetch reads the rules of the source.",
        values: .file)
    static let state = Option(
        "state", "FILE",
        "The file that says how far the migration is; hearth-migrate.json by default.",
        values: .file)
    static let overwrite = Option(
        flag: "overwrite",
        "Begin anew, and first remove the value that the target has at the location.")
    static let once = Option(
        flag: "once",
        "Do not follow changes: end once both sides are equal. For a source that nobody writes.")
    static let dryRun = Option(
        flag: "dry-run", "Only check that the source, the target and the rules can be used.")
    static let json = Option(flag: "json", "Print one JSON object for each step.")

    static let all =
        [
            from, secret, token, authority, file, path, rules, state, overwrite, once, dryRun,
            json,
        ] + NodeClient.options(waiting: "60") + [NodeClient.concern]
}
