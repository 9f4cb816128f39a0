import Foundation
import TLS
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// A stranger at each door of a cluster with keys, secrets, tokens and rules: gets nothing, learns nothing, breaks nothing.
@Suite(.serialized, .timeLimit(.minutes(3)))
final class `Every door of a protected cluster` {
    /// Words of the cluster that no stranger brings along, and no answer may have.
    private static let kept = ["amethyst", "beryl", "opal", "onyx", "jade", "basalt"]
    private static let tree = #"{"open": {"a": 1}, "vault": {"gold": "onyx", "weight": 3}}"#
    private static let rules =
        #"{"rules": {"vault": {".read": "auth.uid == 'jade'", ".write": "auth.uid == 'jade'"}, "basalt": {".read": true}}}"#

    private let folder: TemporaryFolder
    private let configuration: String
    private let port: Int
    private let nodes: [Program]

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let port = try TestCluster.freePorts()
        self.port = port
        let secret = Secret.random()
        for (name, text) in [
            ("token.secret", Secret.random().text), ("other.secret", Secret.random().text),
            ("app.secret", secret.text),
        ] { try restrict(folder.write(text + "\n", to: name)) }
        let members = try ["amethyst", "beryl"].enumerated().map { index, name in
            let keys = KeyPair.random()
            try KeyFile(folder.file(name + ".key")).write(keys)
            let first = port + 10 * index
            return """
                {id: "\(name)", client: "http://127.0.0.1:\(first)", requests: "tcp://127.0.0.1:\(first + 1)",
                 updates: "tcp://127.0.0.1:\(first + 2)", publicKey: "\(keys.publicKey)"}
                """
        }
        let path = try folder.write(
            """
            {cluster: 'opal', directory: 'data', secrets: ['\(SHA256.text(of: secret.hash))'],
             tokens: {issuers: [{issuer: 'ours', audience: 'app', secrets: ['token.secret'], admin: 'admin'}]},
             nodes: [\(members.joined(separator: ","))]}
            """, to: "cluster.json5")
        configuration = path
        nodes = try ["amethyst", "beryl"].map { name in
            try Program.hearth(
                "node", "--config", path, "--id", name, "--key", folder.file(name + ".key"))
        }
        for node in nodes {
            try eventually("the nodes hear each other") { node.errors.contains("has contact with") }
        }
        // A second after it begins to serve. Until then it refuses names of databases that it does not know.
        try eventually("the first node knows which databases there are") {
            let url = "http://127.0.0.1:\(port)/.json?ns=t"
            return try !Program("/usr/bin/env", ["curl", "-sS", url]).end().output
                .contains("does not know yet")
        }
    }

    deinit { for node in nodes { node.terminate() } }

    /// Runs a command as an administrator, which must succeed.
    @discardableResult
    private func hearth(_ words: String...) throws -> String {
        let more = ["--config", configuration, "--secret", folder.file("app.secret")]
        let outcome = try Program(Program.hearthPath, words + more).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func token(_ words: String..., with file: String = "token.secret") throws -> String {
        let usual = ["token", "new", "--with", folder.file(file), "--audience", "app"]
        let outcome = try Program(Program.hearthPath, usual + words).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return String(outcome.output.dropLast())
    }
}

// MARK: - What strangers show, and what is said to that

extension `Every door of a protected cluster` {
    private static let unknown = "Could not parse auth token."

    /// What is shown by its name, with what is said to it; nil to what is nothing wrong.
    private func credentials() throws -> [String: (text: String, problem: String?)] {
        let old = Int(Date().timeIntervalSince1970) - 9_000
        let unsigned = ["{\"alg\":\"none\"}", "{\"sub\":\"ada\",\"iat\":\(old),\"exp\":9e9}", ""]
            .map { Base64URL.text(of: Array($0.utf8)) }.joined(separator: ".")
        return [
            "nothing": ("", nil),
            "eve": (try token("--uid", "eve", "--issuer", "ours"), nil),
            "wrong": ("no-secret-of-this-cluster", Self.unknown),
            "owner": ("owner", Self.unknown),
            "forged": (
                try token("--uid", "ada", "--issuer", "ours", with: "other.secret"), Self.unknown
            ),
            "foreign": (try token("--uid", "ada", "--issuer", "theirs"), Self.unknown),
            "audience": (
                try token(
                    "--uid", "ada", "--issuer", "ours", "--claim", "aud=[\"other\"]"), Self.unknown
            ),
            "expired": (
                try token(
                    "--uid", "ada", "--issuer", "ours", "--claim", "iat=\(old)", "--claim",
                    "exp=\(old + 60)"), "Auth token is expired"
            ),
            "unsigned": (unsigned, "Unsupported jwt algorithm: none"),
        ]
    }

    /// What came back through a door.
    private struct Answer: Decodable {
        let door: String
        let credential: String
        let status: Int
        let text: String
    }

    /// Goes to all doors of a node with all of that.
    private func visit(showing credentials: [String: String]) throws -> [Answer] {
        let text = String(decoding: try JSONEncoder().encode(credentials), as: UTF8.self)
        let input = URL(fileURLWithPath: try folder.write(text, to: "credentials.json"))
        let outcome = try Program(
            "/usr/bin/python3",
            [
                Fixture.path("doors.py"), "http://127.0.0.1:\(port)", "\(port + 1)", "\(port + 2)",
            ], input: input
        ).end(within: 90)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
        }
    }
}

// MARK: - What comes back

extension `Every door of a protected cluster` {
    /// What everybody is told, whatever is shown.
    private static let open = [
        "health": 200, "preflight": 204, "another host": 421, "realtime without WebSocket": 426,
        "realtime": 101, "long poll": 200, "long poll auth": 200, "long poll g": 200,
        "long poll p": 200, "another's long poll": 200, "page of data": 200,
        "file of the page": 200,
    ]
    /// Requests that are none, which is said to those who show nothing wrong.
    private static let mistakes = [
        "bad query": 400, "put nothing": 400, "put no JSON": 400, "settings": 404,
        "simulate": 400, "info": 400, "info connected": 400,
        "root page": 404, "console": 404, "hidden console": 404,
        "picture": 404, "no target": 400, "deep": 400,
        "native without WebSocket": 426, "another method": 405, "native": 101,
    ]

    private func check(_ answer: Answer, _ problem: String?) {
        let name = "\(answer.door) with \(answer.credential): \(answer.text.suffix(400))"
        for word in Self.kept + [folder.path] { #expect(!answer.text.contains(word), "\(name)") }
        let usual = problem == nil ? Self.mistakes[answer.door] ?? 401 : 401
        // Those who are signed in may wait, and are told the reason afterwards.
        if answer.door == "stable", answer.credential == "eve" {
            return #expect(answer.status == 504, "\(name)")
        }
        let expected = Self.open[answer.door] ?? usual
        if answer.status != 0 { #expect(answer.status == expected, "\(name)") }
        if answer.status == 401, answer.door != "head" {
            #expect(answer.text.contains(problem ?? "Permission denied"), "\(name)")
        }
        if answer.door.hasPrefix("native ") { checkNative(answer, name) }
        if answer.door.hasPrefix("realtime ") { checkRealtime(answer, problem, name) }
        if ["long poll g", "long poll p"].contains(answer.door) {
            #expect(answer.text.contains("\"s\":\"permission_denied\""), "\(name)")
        }
    }

    /// Checks what a native client was told that a node has let in.
    private func checkNative(_ answer: Answer, _ name: String) {
        guard answer.status == 0 else { return }
        switch answer.door {
        case "native 20 awaitStable" where answer.credential == "eve":
            #expect(answer.text.contains("'not_stable', 'earlier writes may still arrive'"))
        // Times alone.
        case "native 21 hello": #expect(answer.text.hasPrefix("['ready', 21, '', "), "\(name)")
        case "native 22 hello": #expect(answer.text.contains("'behind', 'this node"), "\(name)")
        case "native 23 get", "native 24 nonsense":
            #expect(answer.text.contains("'invalid'"), "\(name)")
        default: #expect(answer.text.contains("'permission_denied'"), "\(name)")
        }
        if answer.door == "native 21 hello" { #expect(answer.text.hasSuffix(", {}]"), "\(name)") }
    }

    private func checkRealtime(_ answer: Answer, _ problem: String?, _ name: String) {
        let action = answer.door.split(separator: " ").last ?? ""
        if action.hasSuffix("auth"), let problem {
            #expect(answer.text.contains(problem), "\(name)")
        } else if action.hasSuffix("auth") {
            #expect(answer.text.contains("\"s\":\"ok\""), "\(name)")
        } else if answer.text.contains("invalid_parameters") {
            #expect(answer.text.contains(#""d":"Invalid token in path""#), "\(name)")
        } else if answer.status == 0 {
            #expect(answer.text.contains("\"s\":\"permission_denied\""), "\(name)")
        }
    }

    @Test(arguments: [false, true])
    func `gives a stranger nothing, says nothing, and serves afterwards`(hasRules: Bool) throws {
        if hasRules {
            let file = try folder.write(Self.rules, to: "rules.json")
            try hearth("rules", "set", file, "--confirm", "all")
        }
        try hearth("set", "/", Self.tree)
        let digest = hasRules ? try hearth("rules", "get") : ""
        let credentials = try credentials()
        let answers = try visit(showing: credentials.mapValues(\.text))
        #expect(answers.count > 70 * credentials.count)
        var unasked = 0
        for answer in answers {
            if answer.door.contains("unasked") || answer.door.contains("unanswered") {
                for word in Self.kept { #expect(!answer.text.contains(word)) }
                if answer.door == "native, unasked" { #expect(answer.text == "[]") }
                unasked += 1
            } else {
                check(answer, credentials[answer.credential]?.problem)
            }
        }
        #expect(unasked > credentials.count)
        #expect(
            try hearth("get", "/").filter { $0 != "\n" && $0 != " " }
                == Self.tree.filter { $0 != " " })
        if hasRules { #expect(try hearth("rules", "get") == digest) }
        #expect(try hearth("cluster", "doctor").contains("healthy"))
        for node in nodes {
            for (text, _) in credentials.values where text.count > 9 {
                #expect(!(node.errors + node.output).contains(text))
            }
        }
    }
}
