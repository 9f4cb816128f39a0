import Foundation
import Testing

@testable import ClusterAdministration
@testable import CommandLineKit
@testable import HearthCommand

@Suite struct `A completion` {
    private static let source = Completion.Source(
        nodes: { invocation in
            invocation.values(of: NodeOptions.folder).last == "/other" ? ["m1"] : ["n1", "n2"]
        },
        keys: { path, beginning, _ in
            let keys = ["/": ["rooms/", "rest"], "/rooms/": ["lobby/", "lounge"]][path] ?? []
            return keys.filter { $0.hasPrefix(beginning) }
        })

    private func words(_ line: String...) -> [String] {
        let completion = Completion(for: .hearth, source: Self.source)
        let reply = completion.reply(after: line.dropLast(), beginning: line.last ?? "")
        guard case .words(let candidates) = reply else { return ["\(reply)"] }
        return candidates.map(\.word)
    }

    @Test func `names every verb that people use, and no other`() {
        #expect(words("") == Verb.hearth.verbs.filter { !$0.isHidden }.map(\.name))
        #expect(!words("").contains("complete"))
        #expect(words("cluster", "st") == ["status", "start", "stop"])
        #expect(words("zebra", "") == [])
    }

    @Test func `names every option of every verb`() {
        func check(_ verb: Verb, _ path: [String]) {
            let completion = Completion(for: .hearth, source: Self.source)
            let reply = completion.reply(after: path, beginning: "--")
            if let program = verb.program { return #expect(reply == .program(program)) }
            guard case .words(let found) = reply else {
                Issue.record("\(path) offers \(reply)")
                return
            }
            for option in verb.options + [.help] {
                #expect(found.map(\.word).contains("--" + option.name), "\(path) \(option.name)")
            }
            for below in verb.verbs { check(below, path + [below.name]) }
        }
        check(.hearth, [])
        #expect(words("--vers") == ["--version"])
    }

    @Test func `completes the value of an option`() {
        #expect(words("cluster", "up", "--durability", "") == ["commit", "interval", "memory"])
        #expect(words("cluster", "up", "--durability=in") == ["--durability=interval"])
        #expect(words("get", "/", "--node", "") == ["n1", "n2"])
        #expect(words("get", "--node=n2", "--node=n") == ["--node=n1", "--node=n2"])
        #expect(words("cluster", "logs", "-n", "") == [])
        #expect(words("get", "/", "--zebra=") == [])
        #expect(words("node", "--config", "") == ["files"])
        #expect(words("get", "/", "--dir", "x") == ["folders"])
    }

    @Test func `asks the cluster that the line names`() {
        #expect(words("cluster", "kill", "--dir", "/other", "") == ["m1"])
        #expect(words("cluster", "kill", "n1", "n") == ["n1", "n2"], "the last argument repeats")
        #expect(words("cluster", "evict", "n1", "") == [], "there is one argument")
    }

    @Test func `goes down a path key by key`() {
        #expect(words("get", "") == ["/"])
        #expect(words("get", "/r") == ["/rooms/", "/rest"])
        #expect(words("get", "/rooms/l") == ["/rooms/lobby/", "/rooms/lounge"])
        #expect(words("get", "roo") == ["rooms/"])
        #expect(words("get", "--node", "n1", "/rooms/lob") == ["/rooms/lobby/"])
        #expect(words("get", "--", "/rooms/lob") == ["/rooms/lobby/"])
    }

    @Test func `of help are the verbs below those before`() {
        #expect(words("help", "clu") == ["cluster"])
        #expect(words("help", "cluster", "ev") == ["evict"])
        #expect(words("help", "get", "") == [])
    }

    /// The completions of bash for a line. The script asks a program that answers with its words.
    private func bash(_ line: String, _ words: [String], answering answer: String) throws -> String
    {
        let script = """
            hearth() { printf '%s\\n' "$@" >&3; printf -- '\(answer)'; }
            compopt() { :; }
            COMP_LINE=$1; COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _hearth hearth 3>&1
            printf '[%s]\\n' "${COMPREPLY[@]}"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            ["-c", CompletionScript(for: "hearth", in: .bash).text + "\n" + script, "bash", line]
            + words
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `in bash splits words as the shell does, and joins them again`() throws {
        let option = try bash(
            "hearth get --node=n", ["hearth", "get", "--node", "=", "n"],
            answering: "--node=n1\\n--node=n2\\n")
        #expect(option == "complete\n--\nget\n--node=n\n[n1]\n[n2]\n")
        let open = try bash(
            "hearth get --node=", ["hearth", "get", "--node", "="], answering: "--node=n1\\n")
        #expect(open == "complete\n--\nget\n--node=\n[n1]\n")
        let next = try bash("hearth get ", ["hearth", "get", ""], answering: "/\\tthe root\\n")
        #expect(next == "complete\n--\nget\n\n[/]\n")
    }

    @Test func `in bash writes a key so that the shell reads it as it is`() throws {
        let plain = try bash(
            "hearth get /a\\ ", ["hearth", "get", "/a\\ "], answering: "/a b/\\n")
        #expect(plain == "complete\n--\nget\n/a \n[/a\\ b/]\n")
        let quoted = try bash(
            "hearth get '/a ", ["hearth", "get", "'/a "], answering: "/a b/\\n")
        #expect(quoted == "complete\n--\nget\n/a \n[/a b/]\n")
    }

    private static let shells = CompletionScript.Shell.allCases.filter {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0.rawValue)")
    }

    @Test func `knows the shells of this machine`() { #expect(Self.shells.contains(.bash)) }

    @Test(arguments: shells)
    func `has a script that its shell reads`(shell: CompletionScript.Shell) throws {
        let path = "/usr/bin/\(shell.rawValue)"
        let folder = try TemporaryFolder()
        let file = folder.path + "/script"
        try CompletionScript(for: "hearth", in: shell).text
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-n", file]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
