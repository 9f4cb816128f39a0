import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// Backups over HTTP.
@Suite struct BackupAnswerTests {
    private var node = TestGateway()

    @Test mutating func `an archive leaves piece by piece, and its end is the end of the answer`() {
        node.backupEvents = [.piece([65, 66]), .piece([67]), .complete(path: nil)]
        let id = node.connect()
        node.send(TestGateway.request("/.backup.tar", "GET"), by: id)
        let text = node.text(id)
        #expect(text.contains("Content-Type: application/x-tar"))
        #expect(text.hasSuffix("\r\n\r\n2\r\nAB\r\n1\r\nC\r\n0\r\n\r\n"), "\(text)")
        #expect(node.backups == [NodeBackup()] && node.endedBackups.isEmpty)
        // The connection serves further requests.
        node.send(TestGateway.request("/health", "GET"), by: id)
        #expect(node.text(id).hasPrefix("HTTP/1.1 200"))
    }

    @Test mutating func `the next piece waits until the client has received the last one`() {
        node.backupEvents = [.piece([65]), .complete(path: nil)]
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/.backup.tar?database=default", "GET"), by: id)
        #expect(node.backups == [NodeBackup(database: .default)])
        #expect(node.text(id).hasSuffix("1\r\nA\r\n"))
        node.turn([.closed(id)])
        #expect(node.endedBackups == [id])
    }

    @Test mutating func `a failure is an answer at first, and later the end without an end`() {
        let failure = BackupEvent.failed(problem: "The disk is full.", fix: "free space")
        node.backupEvents = [failure, .piece([65]), failure]
        let id = node.connect()
        node.send(TestGateway.request("/.backup.tar", "GET"), by: id)
        let text = node.text(id)
        #expect(text.hasPrefix("HTTP/1.1 503") && text.contains("The disk is full."), "\(text)")
        node.send(TestGateway.request("/.backup.tar", "GET"), by: id)
        #expect(node.text(id).hasSuffix("1\r\nA\r\n"))
        #expect(node.closed == [id])
    }

    @Test mutating func `the answer to a file is its path`() {
        node.backupEvents = [.complete(path: "/data/monday.tar")]
        let answer = node.curl("/.backup.tar?name=monday", "POST")
        #expect(
            answer.body == #"{"path":"/data/monday.tar"}"# + "\n"
                || answer.body == #"{"path":"/data/monday.tar"}"#)
        #expect(node.backups == [NodeBackup(fileName: "monday")])
    }

    @Test(arguments: [
        "/.backup.tar?database=none", "/.backup.tar?database=..", "/.backup.tar?database=elsewhere",
    ])
    mutating func `a database that the node does not have is refused, and not created`(
        target: String
    ) {
        node.turn([.located(DatabaseName("elsewhere")!, .elsewhere(nodes: ["n2"], epoch: 1))])
        let answer = node.curl(target, "GET")
        #expect(answer.status >= 400 && answer.status < 500, "\(answer)")
        #expect(node.backups.isEmpty && node.entered.isEmpty)
    }
}
