internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Sockets
internal import SyncProtocol
internal import TLS

/// The source, the target and the rules that a command line names, checked.
struct MigrationPlan {
    let source: MigrationSource
    let sourceName: String
    let client: NodeClient
    /// The nodes of the target.
    let servers: [HTTPAddress]
    let database: DatabaseName
    let options: Migration.Options
    /// The document to install at the end.
    let rules: String?

    init(for invocation: Invocation) throws(CommandError) {
        var options = Migration.Options()
        options.path = try MigrationPlan.path(of: invocation)
        options.stateFile = invocation[MigrateOptions.state] ?? "hearth-migrate.json"
        options.overwrites = invocation.has(MigrateOptions.overwrite)
        options.endsWhenEqual = invocation.has(MigrateOptions.once)
        var reader: SourceReader?
        switch (invocation[MigrateOptions.from], invocation[MigrateOptions.file]) {
        case (let url?, nil):
            reader = try MigrationPlan.reader(of: url, invocation)
            sourceName = (reader?.address.text ?? url) + " \(options.path)"
            source = .database(reader!)
        case (nil, let file?):
            sourceName = "\(file) \(options.path)"
            source = try MigrationPlan.export(in: file, to: options.path)
        default:
            throw invocation.usageError(
                "--from and --file are both given, or both missing",
                fix: "name the source with one of them")
        }
        let rulesName = invocation[MigrateOptions.rules]
        let fetchesRules = rulesName == "fetch"
        if fetchesRules, reader == nil {
            throw CommandError(
                .usage, "an export file has no rules to fetch", fix: "name their file with --rules")
        }
        var rules: String?
        if let rulesName, !fetchesRules { rules = try RulesFile(rulesName).checkedText() }
        // The mistakes of the command line and of its files come before those of the target and of the source.
        servers = try NodeOptions.servers(of: invocation)
        database = try NodeOptions.database(of: invocation)
        options.targetName =
            servers.map(\.location).joined(separator: ",") + "?ns=\(database)"
        client = try NodeClient(for: invocation, waiting: .seconds(60))
        try reader?.probe(options.path)
        if fetchesRules, let reader {
            options.fetchedRules = try MigrationPlan.sourceRules(
                reader, named: sourceName, options)
        }
        self.options = options
        self.rules = rules ?? options.fetchedRules
        try client.requireNode()
    }

    private static func path(of invocation: Invocation) throws(CommandError) -> Path {
        let path: Path
        do throws(DataError) {
            path = try Path(invocation[MigrateOptions.path] ?? "/")
        } catch {
            throw CommandError(error)
        }
        guard path.last != .priority else {
            throw invocation.usageError(
                "--path names a priority", fix: "name the location that has it")
        }
        return path
    }

    private static func reader(
        of url: String, _ invocation: Invocation
    ) throws(CommandError) -> SourceReader {
        let address = try SourceAddress(url, authorities: invocation[MigrateOptions.authority])
        let credential: SourceCredential
        switch (invocation[MigrateOptions.secret], invocation[MigrateOptions.token]) {
        case (nil, nil): credential = .none
        case (let file?, nil): credential = .secret(try text(inFile: file, .administratorSecret))
        case (nil, let file?): credential = .token(try text(inFile: file, .token))
        default:
            throw invocation.usageError(
                "--from-secret and --from-token are both given", fix: "use one of them")
        }
        return SourceReader(address, showing: credential)
    }

    private static func text(
        inFile file: String, _ kind: SecretFile.Kind
    ) throws(CommandError) -> String {
        do throws(TLSError) { return try SecretFile(file, kind).read().text } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }

    private static func export(
        in file: String, to path: Path
    ) throws(CommandError) -> MigrationSource {
        let input = try InputFile(file)
        let value = try parseJSON(try input.readAll(), from: input.name)
        do throws(DataError) { try value.validate(at: path) } catch {
            throw CommandError(.badData, "\(input.name): \(error.problem)", fix: error.fix)
        }
        return .export(value, at: path)
    }

    /// The rules of the source. A migration that resumes keeps those that its first run has read: the source may have been
    /// locked by other rules since.
    private static func sourceRules(
        _ reader: SourceReader, named name: String, _ options: Migration.Options
    ) throws(CommandError) -> String {
        let file = RulesFile("the rules of \(reader.address.text)")
        if let first = try Migration.fetchedRules(from: name, options) {
            return try file.checkedText(Array(first.utf8))
        }
        return try file.checkedText(reader.rules())
    }
}
