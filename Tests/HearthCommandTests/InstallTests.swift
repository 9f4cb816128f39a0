import Foundation
import Testing

/// `scripts/install`.
@Suite(.serialized) struct `Installing` {
    private func install(_ words: String...) throws -> (status: Int32, text: String) {
        try run(ReadmeTests.root.appendingPathComponent("scripts/install").path, words)
    }

    private func run(
        _ program: String, _ words: [String]
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    private func files(in folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var isFolder: ObjCBool = false
        return all.filter {
            FileManager.default.fileExists(atPath: folder + "/" + $0, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    @Test(
        .enabled(
            if: ReadmeTests.isBuilt, "needs the release build, which scripts/test --all makes"),
        .timeLimit(.minutes(3)))
    func `installs everything below a prefix, reports it, and removes it again`() throws {
        let folder = try TemporaryFolder()
        // As the script prints it: the path of the folder has two slashes.
        let prefix = folder.path.replacingOccurrences(of: "//", with: "/") + "/a prefix"
        let installed = try install(prefix)
        #expect(installed.status == 0, "\(installed.text)")
        let expected = [
            "bin/hearth", "share/bash-completion/completions/hearth",
            "share/fish/vendor_completions.d/hearth.fish", "share/man/man1/hearth.1",
            "share/zsh/site-functions/_hearth",
        ]
        #expect(files(in: prefix) == expected)
        for file in expected { #expect(installed.text.contains("installed \(prefix)/\(file)\n")) }
        #expect(installed.text.contains("scripts/install --uninstall"))
        // A copy of it runs on machines without Swift.
        let libraries = try run("/usr/bin/ldd", [prefix + "/bin/hearth"])
        #expect(libraries.text.contains("libzmq") && !libraries.text.contains("swift"))
        let removed = try install("--uninstall", prefix)
        #expect(removed.status == 0)
        #expect(files(in: prefix) == [])
        #expect(try install("--uninstall", prefix).status == 69)
    }

    @Test func `refuses unknown options and unwritable folders`() throws {
        #expect(try install("--prefix=/x").status == 64)
        #expect(try install("/x", "/y").status == 64)
        let refused = try install("/proc/nowhere")
        #expect(refused.status == 73)
        #expect(refused.text.hasPrefix("error: cannot write to"))
    }
}
