import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

@Suite struct DisconnectModelTests {
    private func path(_ text: String) -> Path {
        Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
    }

    private func model(_ messages: ClientMessage...) -> [Write] {
        var model = DisconnectModel()
        for message in messages { model.record(message) }
        return model.writes
    }

    private let object: Value = {
        var value = Value.null
        value.set(.integer(1), at: Path([Key(unchecked: "b")]))
        value.set(.integer(2), at: Path([Key(unchecked: "c")]))
        return value.prioritized(.integer(5))
    }()

    @Test func `a later put replaces what it covers, and is part of what covers it`() {
        let below = ClientMessage.onDisconnect(id: 1, path: path("a/b"), value: .integer(7))
        let above = ClientMessage.onDisconnect(id: 2, path: path("a"), value: object)
        #expect(model(below, above) == [Write(path: path("a"), value: object)])
        var both = object
        both.set(.integer(7), at: path("b"))
        #expect(model(above, below) == [Write(path: path("a"), value: both)])
    }

    @Test func `what is taken back leaves the rest of a put above it, with its priority`() {
        let above = ClientMessage.onDisconnect(id: 2, path: path("a"), value: object)
        let cancel = ClientMessage.onDisconnectCancel(id: 3, path: path("a/b"))
        #expect(
            model(above, cancel) == [
                Write(path: path("a/c"), value: .integer(2)),
                Write(path: path("a").appending(.priority), value: .integer(5)),
            ])
        #expect(model(above, .onDisconnectCancel(id: 3, path: path("a"))).isEmpty)
    }
}
