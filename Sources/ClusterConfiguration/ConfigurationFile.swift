internal import DataTree
internal import FoundationEssentials
internal import QueryEngine
internal import Sockets
internal import SyncProtocol
internal import ZeroMQ

// The one place below the edge that knows Foundation: configuration is JSON5, for its comments.

extension NodeConfiguration {
    /// Reads a configuration from a JSON5 file, as `configs/three-nodes.json5` explains it.
    ///
    /// - Throws: The problem with the file, the line if it is known, the key and the fix.
    public init(contentsOf path: String) throws(NodeError) {
        let file = try ConfigurationFile(path)
        let document = try file.decode(Strict<Document>.self).content
        self.init(
            cluster: document.cluster,
            durability: try file.choice(document.durability, at: "durability") ?? .commit,
            directory: file.resolve(document.directory ?? "."),
            nodes: try document.nodes.map(\.content).map { node throws(NodeError) in
                var member = Member(
                    id: node.id, client: node.client, requests: node.requests,
                    updates: node.updates,
                    publicKey: try node.publicKey.map { text throws(NodeError) in
                        try file.publicKey(text, at: ["publicKey"])
                    },
                    publicHost: try node.publicHost.map { text throws(NodeError) in
                        try file.publicHost(text)
                    })
                member.listen = try node.listen.map { text throws(NodeError) in
                    try file.listenHost(text)
                }
                member.routes = (node.routes ?? [:]).mapValues {
                    PeerRoute(requests: $0.content.requests, updates: $0.content.updates)
                }
                return member
            })
        try readSettings(of: document, in: file)
    }

    private mutating func readSettings(
        of document: Document, in file: ConfigurationFile
    ) throws(NodeError) {
        indexMegabytes =
            try file.number(document.indexMegabytes, in: 1...1_000_000, at: "indexMegabytes")
            ?? indexMegabytes
        logLimit =
            try file.number(document.logLimit, in: 1_000...1_000_000_000, at: "logLimit")
            ?? logLimit
        retryWindowMilliseconds =
            try file.number(
                document.retryWindowMilliseconds, in: 100...600_000, at: "retryWindowMilliseconds")
            ?? retryWindowMilliseconds
        strictIndexes = document.strictIndexes ?? strictIndexes
        unknownDatabases =
            try file.choice(document.unknownDatabases, at: "unknownDatabases") ?? unknownDatabases
        maxDatabases =
            try file.number(document.maxDatabases, in: 0...100_000, at: "maxDatabases")
            ?? maxDatabases
        databaseSleepSeconds =
            try file.number(
                document.databaseSleepSeconds, in: 0...86_400, at: "databaseSleepSeconds")
            ?? databaseSleepSeconds
        presenceSeconds =
            try file.number(document.presenceSeconds, in: 0...86_400, at: "presenceSeconds")
            ?? presenceSeconds
        databaseLimits = try DatabaseLimitTable(document.limits ?? [:], in: file)
        evicted = try file.choice(document.evicted, at: "evicted") ?? evicted
        secrets = try file.secretHashes(document.secrets ?? [], at: "secrets")
        monitorSecrets = try file.secretHashes(
            document.monitorSecrets ?? [], at: "monitorSecrets")
        if let tokens = document.tokens?.content {
            self.tokens = try TokenSettings(tokens, in: file)
        }
        isEmulator = document.emulator ?? false
        if isEmulator { tokens.unsignedTokens = true }
        if let http = document.http?.content { try readHTTP(http, in: file) }
        if let log = document.log?.content { try readLog(log, in: file) }
        do throws(DataError) {
            indexes = try IndexRules(document.indexOn ?? [:])
        } catch {
            throw file.error(#""indexOn": \#(error.problem)"#, at: ["indexOn"], fix: error.fix)
        }
    }
}

extension NodeConfiguration {
    private mutating func readLog(
        _ log: Document.Log, in file: ConfigurationFile
    ) throws(NodeError) {
        self.log.level = try file.choice(log.level, at: "level") ?? self.log.level
        self.log.format = try file.choice(log.format, at: "format") ?? self.log.format
        self.log.slowMilliseconds =
            try file.number(log.slowMilliseconds, in: 1...3_600_000, at: "slowMilliseconds")
            ?? self.log.slowMilliseconds
    }

    private mutating func readHTTP(
        _ http: Document.HTTP, in file: ConfigurationFile
    ) throws(NodeError) {
        self.http.hosts = http.hosts ?? []
        self.http.origins = http.origins ?? []
        // The content of one request must fit into a message between nodes.
        self.http.maxBodyMegabytes =
            try file.number(http.maxBodyMegabytes, in: 1...32, at: "maxBodyMegabytes")
            ?? self.http.maxBodyMegabytes
        let counts = 1...HTTPSettings.connectionBound
        self.http.maxConnections =
            try file.number(http.maxConnections, in: counts, at: "maxConnections")
            ?? self.http.maxConnections
        self.http.maxConnectionsPerAddress =
            try file.number(
                http.maxConnectionsPerAddress, in: counts, at: "maxConnectionsPerAddress")
            ?? self.http.maxConnectionsPerAddress
        switch (http.certificate, http.key) {
        case (nil, nil): break
        case (let certificate?, let key?):
            self.http.files = HTTPSettings.CertificateFiles(
                certificate: file.resolve(certificate), key: file.resolve(key))
        case (_?, nil):
            throw file.error(
                #""http" has a "certificate" and no "key""#, at: ["certificate"],
                fix: #"name the PEM file with the certificate's private key as its "key""#)
        case (nil, _?):
            throw file.error(
                #""http" has a "key" and no "certificate""#, at: ["http"],
                fix: #"name the PEM file with the key's certificate as its "certificate""#)
        }
    }
}

/// The file as it is written, top level.
private struct Document: StrictlyDecodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case cluster, durability, directory, nodes, http, indexOn, indexMegabytes, strictIndexes
        case logLimit, evicted, retryWindowMilliseconds, secrets, monitorSecrets, tokens
        case emulator, unknownDatabases, maxDatabases, databaseSleepSeconds, limits, log
        case presenceSeconds
    }

    let cluster: String
    let durability: String?
    let directory: String?
    let nodes: [Strict<Node>]
    let http: Strict<HTTP>?
    let indexOn: [String: [String]]?
    let indexMegabytes: Int?
    let strictIndexes: Bool?
    let logLimit: Int?
    let evicted: String?
    let retryWindowMilliseconds: Int?
    let secrets: [String]?
    let monitorSecrets: [String]?
    let tokens: Strict<TokenDocument>?
    let emulator: Bool?
    let unknownDatabases: String?
    let maxDatabases: Int?
    let databaseSleepSeconds: Int?
    let presenceSeconds: Int?
    let limits: [String: Strict<LimitsDocument>]?
    let log: Strict<Log>?

    struct Log: StrictlyDecodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case level, format, slowMilliseconds
        }

        let level: String?
        let format: String?
        let slowMilliseconds: Int?
    }

    struct HTTP: StrictlyDecodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case certificate, key, hosts, origins, maxBodyMegabytes
            case maxConnections, maxConnectionsPerAddress
        }

        let certificate: String?
        let key: String?
        let hosts: [String]?
        let origins: [String]?
        let maxBodyMegabytes: Int?
        let maxConnections: Int?
        let maxConnectionsPerAddress: Int?
    }

    struct Node: StrictlyDecodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case id, client, requests, updates, publicKey, listen
            case publicHost = "public"
            case routes = "via"
        }

        let id: String
        let client: String
        let requests: String
        let updates: String
        let publicKey: String?
        let publicHost: String?
        let listen: String?
        let routes: [String: Strict<RouteDocument>]?
    }
}

/// The text of a configuration file, to decode and to find the places of errors in.
struct ConfigurationFile {
    let path: String
    let data: Data

    init(_ path: String) throws(NodeError) {
        self.path = path
        guard let bytes = readFile(path) else {
            throw NodeError(
                problem: "cannot read configuration \(path): \(systemErrorText)",
                fix: "name an existing configuration file")
        }
        data = Data(bytes)
    }

    /// A path of the file, which is meant relative to the file's own folder.
    func resolve(_ relative: String) -> String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return URL(fileURLWithPath: relative, relativeTo: folder).standardizedFileURL.path
    }

    /// One of some words.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String?, at key: String
    ) throws(NodeError) -> Choice? {
        guard let text else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        throw error(
            #""\#(key)" cannot be "\#(text)""#, at: [key],
            fix: "use \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    /// A number of a range.
    func number(
        _ number: Int?, in range: ClosedRange<Int>, at key: String
    ) throws(NodeError) -> Int? {
        guard let number, !range.contains(number) else { return number }
        throw error(
            #""\#(key)" cannot be \#(number)"#, at: [key],
            fix: "use a number from \(range.lowerBound) to \(range.upperBound)")
    }

    func publicKey(_ text: String, at keys: [String]) throws(NodeError) -> PublicKey {
        if let key = PublicKey(text) { return key }
        throw error(
            #""\#(keys.last ?? "")" has "\#(text.prefix(50))", which is not a public key"#,
            at: keys,
            fix: "write the 40 characters that `hearth keys new` printed")
    }

    /// A host, with a port or without.
    func publicHost(_ text: String) throws(NodeError) -> String {
        if HTTPAddress("http://\(text)") != nil || HTTPAddress("http://\(text):443") != nil {
            return text
        }
        throw error(
            #""public" has "\#(text.prefix(80))", which is not a host"#, at: ["public"],
            fix: "write a name, and maybe a port, such as db1.example.com or db1.example.com:8443")
    }

    /// A host of this machine, without a port.
    func listenHost(_ text: String) throws(NodeError) -> String {
        if Address("tcp://\(text):1", scheme: "tcp") != nil { return text }
        throw error(
            #""listen" has "\#(text.prefix(80))", which is not an address"#, at: ["listen"],
            fix:
                "write an address of the machine without a port, such as 10.0.0.1, or 0.0.0.0 for all"
        )
    }

    /// The hashes of secrets. Messages do not show them: the file may have the secret itself by mistake.
    func secretHashes(_ texts: [String], at key: String) throws(NodeError) -> [[UInt8]] {
        guard texts.count <= NodeConfiguration.secretLimit else {
            throw error(
                #""\#(key)" has \#(texts.count) entries"#, at: [key],
                fix: "list \(NodeConfiguration.secretLimit) at most")
        }
        return try texts.map { text throws(NodeError) in
            if let hash = text.bytesOfHash { return hash }
            throw error(
                #""\#(key)" has an entry that is not a hash"#, at: [key],
                fix: "write the 64 digits that `hearth keys` printed for the secret, not the secret"
            )
        }
    }

    func decode<Content: Decodable>(_ type: Content.Type) throws(NodeError) -> Content {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode(type, from: data)
        } catch let error as UnknownKey {
            throw self.error(
                #"unknown key "\#(error.path.last ?? "")""#, at: error.path,
                fix: #"use "\#(error.nearest)", or one of \#(error.known.joined(separator: ", "))"#)
        } catch let error as DecodingError {
            throw self.error(for: error)
        } catch {
            throw NodeError(problem: "\(path): \(error)", fix: "write it as JSON5")
        }
    }

    /// Says what is wrong at a key, which is named from the top down.
    func error(_ problem: String, at keys: [String], fix: String) -> NodeError {
        let place = line(of: keys).map { "\(path):\($0)" } ?? path
        return NodeError(problem: "\(place): \(problem)", fix: fix)
    }

    private func error(for error: DecodingError) -> NodeError {
        let example = "write it as in configs/three-nodes.json5"
        switch error {
        case .keyNotFound(let key, let context):
            let owner = context.codingPath.map(\.name)
            let place = owner.isEmpty ? "the file" : owner.joined(separator: " ")
            return self.error(
                #"\#(place) has no "\#(key.stringValue)""#, at: owner, fix: example)
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let keys = context.codingPath.map(\.name)
            return self.error(
                #""\#(keys.joined(separator: " "))" is not \#(describe(type))"#, at: keys,
                fix: example)
        case .dataCorrupted:
            let fix = "compare it with configs/three-nodes.json5"
            guard let fault = JSON5Fault(in: Array(data)) else {
                return NodeError(problem: "\(path) is not JSON5", fix: fix)
            }
            return NodeError(
                problem: "\(path):\(fault.line):\(fault.column): \(fault.problem)", fix: fix)
        @unknown default:
            return NodeError(problem: "\(path): \(error)", fix: example)
        }
    }

    private func describe(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is [Any].Type: "a list"
        case is Bool.Type: "true or false"
        default: "an object"
        }
    }

    /// The line of a key: in the second element of a list, it is the key's second occurrence.
    private func line(of keys: [String]) -> Int? {
        guard let key = keys.last(where: { Int($0) == nil }) else { return nil }
        var occurrencesLeft = keys.compactMap { Int($0) }.last ?? 0
        let lines = String(decoding: data, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.mentions(key) {
            if occurrencesLeft == 0 { return index + 1 }
            occurrencesLeft -= 1
        }
        return nil
    }
}

extension String {
    /// The bytes of 64 hexadecimal digits.
    fileprivate var bytesOfHash: [UInt8]? {
        let digits = utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Substring {
    /// Whether `key:` or `"key":` stands here, outside of a comment.
    fileprivate func mentions(_ key: String) -> Bool {
        let code = split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let spellings = ["\(key):", "\(key) :", "\(key)\":", "\(key)\" :", "\(key)':"]
        return spellings.contains { code.contains($0) }
    }
}

extension CodingKey {
    /// The key, or the bare number of a list's element.
    fileprivate var name: String { intValue.map(String.init) ?? stringValue }
}
