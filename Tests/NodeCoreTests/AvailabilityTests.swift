import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol
import Testing

/// Service before a node is available, while it is, and after it.
@Suite struct AvailabilityTests {
    private var rig = CoreRig()

    private mutating func status(of request: String) -> String {
        let (session, outputs) = rig.connect(sending: request)
        return String(outputs.text(to: session).dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    private mutating func health() -> String {
        let (session, outputs) = rig.connect(sending: CoreRig.get("/health"))
        return String(outputs.text(to: session).split(separator: "\r\n").last ?? "")
    }

    @Test mutating func `requests are refused until the replica serves`() {
        #expect(rig.core.availability == .unavailable(reason: "starting"))
        // The replica begins to serve at the end of this turn.
        #expect(status(of: CoreRig.get()) == "503")
        #expect(rig.core.isServing)
        #expect(status(of: CoreRig.get()) == "200")
        #expect(rig.core.availability == .serving)
    }

    @Test mutating func `trouble of the disk shows from the next turn on, until it ends`() {
        rig.turn()
        rig.core.storageTrouble = .isMissing
        #expect(rig.core.availability == .unavailable(reason: "starting"))
        #expect(health().contains("the database was deleted or moved"))
        #expect(status(of: CoreRig.get()) == "200")
        rig.core.storageTrouble = nil
        #expect(health() == #"{"status":"ok"}"# + "\n")
    }

    @Test
    mutating func `a node that stops ends sessions, executes their writes, and refuses requests`() {
        rig.turn()
        let upgrade =
            "GET /.ws?v=5 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        let (session, _) = rig.connect(sending: upgrade)
        let write = Array(#"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/gone","d":true}}}"#.utf8)
        // A text frame with a mask of zeros.
        let frame = [0x81, 0x80 | UInt8(write.count), 0, 0, 0, 0] + write
        rig.turn([.gateway(.received(session, frame))])
        #expect(rig.core.replica.value.isNull)
        let outputs = rig.turn(end: .stopped)
        #expect(outputs.contains(.gateway(.close(session))))
        #expect(rig.core.replica.value[Path([Key(unchecked: "gone")])] == .boolean(true))
        _ = rig.core.removeSteps()
        #expect(status(of: CoreRig.get()) == "503")
        rig.turn([.replica(.requested([1], by: SessionID(number: 99)))])
        #expect(rig.core.removeSteps().isEmpty)
    }

    @Test mutating func `users who show nothing are admitted once the cluster has rules`() {
        var configuration = GatewayConfiguration()
        configuration.secrets = SecretHashes([Array("secret".utf8)]) { $0 }
        rig = CoreRig(configuration)
        rig.turn()
        let rules = #"{"rules":{".read":true}}"#
        #expect(status(of: CoreRig.get()) == "")
        #expect(
            status(of: CoreRig.put(rules, to: "/.settings/rules.json?auth=secret")) == "200")
        #expect(status(of: CoreRig.get()) == "200")
    }
}
