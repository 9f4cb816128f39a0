import Foundation
import Testing

@testable import CommandLineKit

/// The browser of the user.
@Suite(.serialized) struct BrowserLaunchTests {
    @Test func `the program that BROWSER names gets the address`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appendingPathComponent("browser").path
        let output = folder.appendingPathComponent("address").path
        try "#!/bin/sh\necho \"$1\" > '\(output).new'\nmv '\(output).new' '\(output)'\n"
            .write(toFile: program, atomically: true, encoding: .utf8)
        chmod(program, 0o755)
        setenv("BROWSER", program, 1)
        defer { unsetenv("BROWSER") }
        #expect(BrowserLaunch.open("http://127.0.0.1:7001/rooms"))
        let deadline = ContinuousClock.now + .seconds(10)
        while !FileManager.default.fileExists(atPath: output), .now < deadline { usleep(10_000) }
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text == "http://127.0.0.1:7001/rooms\n")
    }

    @Test func `a program that is not there opens nothing`() {
        setenv("BROWSER", "/nowhere/browser", 1)
        defer { unsetenv("BROWSER") }
        #expect(!BrowserLaunch.open("http://127.0.0.1:7001/"))
    }
}
