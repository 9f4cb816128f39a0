import Foundation
import Testing

@testable import ClusterAdministration

@Suite struct `A process` {
    /// Ends its first thread while another one lives for a moment, as a killed process does.
    private static let program = """
        import ctypes, threading, time
        threading.Thread(target=lambda: time.sleep(0.5)).start()
        ctypes.CDLL(None).pthread_exit(None)
        """

    @Test func `exists until its last thread has ended`() throws {
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/python3")
        child.arguments = ["-c", Self.program]
        try child.run()
        let process = try #require(NodeProcess(pid: child.processIdentifier))
        let stat = "/proc/\(child.processIdentifier)/stat"
        var sawEndedThread = false
        while process.isRunning {
            let state = try? String(contentsOfFile: stat, encoding: .utf8)
            if state?.contains(") Z ") == true { sawEndedThread = true }
            // A look now and then within its half second; how long a look takes decides nothing.
            usleep(5_000)
        }
        #expect(sawEndedThread, "the first thread was never seen to have ended")
    }
}
