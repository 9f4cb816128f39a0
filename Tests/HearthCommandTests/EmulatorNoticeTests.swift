import Testing

@testable import ClusterAdministration
@testable import HearthCommand

@Suite struct `The notice of cluster up` {
    private var file = ClusterFile(nodeCount: 1, basePort: 7001, durability: "commit")

    @Test mutating func `says that all is open without rules, and that other pages are refused`() {
        file.becomeEmulator()
        let lines = EmulatorNotice(file: file, rules: nil).lines
        #expect(lines.first?.hasPrefix("without rules, everything is open") == true)
        #expect(
            lines.last
                == "pages of other origins than this machine's are refused (403); --origin https://HOST permits one"
        )
    }

    @Test mutating func `names the rules that apply, and the origins that are permitted`() {
        file.becomeEmulator()
        file.permit(["https://a.example.com"])
        let lines = EmulatorNotice(file: file, rules: "ftlLWlohzG6").lines
        #expect(lines.first == "the rules ftlLWloh apply to all clients but administrators")
        #expect(lines.last?.contains("(403), except https://a.example.com; ") == true)
    }

    @Test mutating func `says that rules apply to no client where each is an administrator`() {
        file.settings["emulator"] = .boolean(false)
        let lines = EmulatorNotice(file: file, rules: nil).lines
        #expect(lines.count == 1 && lines[0].contains("rules apply to no client"))
        file.settings["tokens"] = .object([:])
        #expect(EmulatorNotice(file: file, rules: nil).lines == [])
    }
}
