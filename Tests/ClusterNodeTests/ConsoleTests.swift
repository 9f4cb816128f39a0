import ClusterConfiguration
import Foundation
import GatewayCore
import Testing

@testable import ClusterNode

/// The console, in a browser and as files.
@Suite struct ConsoleTests {
    private static let folder = Fixture.repository.appendingPathComponent("Sources/CConsole/web")
    private static let browser = "/usr/bin/chromium-headless-shell"

    private static func files() throws -> [String] {
        try #require(FileManager.default.enumerator(atPath: folder.path))
            .compactMap { $0 as? String }
            .filter { !folder.appendingPathComponent($0).hasDirectoryPath }
    }

    private func console(folder: String? = nil) throws -> Console {
        let configuration = try NodeConfiguration(
            contentsOf: Fixture.repository.appendingPathComponent("configs/three-nodes.json5").path)
        return Console(of: try configuration.member("n1"), in: configuration, folder: folder)
    }

    @Test func `the program has every file of the console, and nothing else`() throws {
        let console = try console()
        var bytes = 0
        for path in try Self.files() {
            let file = try Data(contentsOf: Self.folder.appendingPathComponent(path))
            // The bytes of a file that differs would fill the report.
            let isSame = console.file(path)?.bytes == Array(file)
            #expect(
                isSame,
                "\(path) is not as in the folder: build again, and see the table in CConsole.c")
            bytes += file.count
        }
        #expect(console.file("other.js") == nil)
        #expect(bytes <= 260_000)
    }

    @Test func `a folder serves its files and none above it`() throws {
        let console = try console(folder: Self.folder.path)
        #expect(console.file("index.html")?.type == "text/html; charset=utf-8")
        #expect(console.file("../CConsole.c") == nil)
        #expect(console.file("base/../../CConsole.c") == nil)
        #expect(console.file("base") == nil)
    }

    @Test func `the console knows the nodes of the cluster`() throws {
        let console = try console()
        #expect(console.node == "n1")
        #expect(
            console.nodes.map(\.address) == [
                "http://127.0.0.1:7001", "http://127.0.0.1:7011", "http://127.0.0.1:7021",
            ])
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: browser),
            "scripts/test installs chromium-headless-shell"),
        .timeLimit(.minutes(5)))
    func `the console works in a browser`() throws {
        let cluster = try TestCluster()
        let outcome = try Program(
            "/usr/bin/python3",
            [Fixture.path("Console/console_cases.py")] + (1...3).map(cluster.address)
        ).end(within: 240)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }

    private static let wrongScenario = """
        # A claim that does not hold: n1 cannot have the value yet.
        workload operations=6 set=1
        at 1s partition n1 | n2 n3
        at 1500ms c1 set /a "<img src=x onerror=alert(1)>"
        at 1900ms n1 reads /a expect "<img src=x onerror=alert(1)>"
        at 2s heal
        at 2080ms pause n3
        at 2160ms resume n3
        at 2170ms pause n2
        at 2180ms resume n2
        check replicas-equal, expectations-hold
        until 3s
        """

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: browser),
            "scripts/test installs chromium-headless-shell"),
        .timeLimit(.minutes(3)))
    func `the report of a failed run works in a browser, from disk`() throws {
        let folder = try TemporaryFolder()
        let scenario = try folder.write(Self.wrongScenario, to: "wrong.scenario")
        let run = try Program(
            Program.hearthPath,
            ["sim", "run", scenario, "--seed", "1", "--html", folder.file("reports")]
        ).end(within: 60)
        #expect(run.status == 1, "\(run.output)\(run.errors)")
        let outcome = try Program(
            "/usr/bin/python3",
            [
                Fixture.path("Console/report_cases.py"),
                folder.file("reports/wrong-seed-1.html"),
            ]
        ).end(within: 100)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }
}
