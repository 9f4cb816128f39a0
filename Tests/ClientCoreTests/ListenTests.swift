import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct ListenTests {
    private static let listen = ListenID(number: 3)

    private func change(_ listen: UInt64, _ writes: (String, Value)...) -> Input {
        let writes = writes.map { Write(path: path($0.0), value: $0.1) }
        return .received(NodeMessage.change(listen: listen, writes: writes).frame)
    }

    @Test func `a listen reports the initial events and those of each change`() {
        var rig = Rig()
        rig.open()
        let asked = rig.turn(listened(3, "a", .children))
        #expect(Rig.messages(asked) == [.listen(id: 2, path: path("a"))])
        let value = Value.object(["x": .integer(1)])
        #expect(
            rig.turn(change(2, ("", value))) == [
                .observed(
                    ListenTests.listen,
                    [ViewEvent(.childAdded, Key(unchecked: "x"), .integer(1))])
            ])
        #expect(
            rig.turn(change(2, ("y", .integer(2)))) == [
                .observed(
                    ListenTests.listen,
                    [
                        ViewEvent(
                            .childAdded, Key(unchecked: "y"), after: Key(unchecked: "x"),
                            .integer(2))
                    ])
            ])
    }

    @Test func `after a reconnection a listen reports only differences`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(3, "", .children))
        _ = rig.turn(change(2, ("", .object(["x": .integer(1), "y": .integer(2)]))))
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        let asked = Rig.messages(rig.turn(Rig.ready(3)))
        let held = HeldData(hash: DataHash(of: .object(["x": .integer(1), "y": .integer(2)])))
        #expect(asked == [.listen(id: 4, path: .root, held: held)])
        let events = rig.turn(change(4, ("", .object(["y": .integer(2), "z": .integer(3)]))))
        #expect(
            events == [
                .observed(
                    ListenTests.listen,
                    [
                        ViewEvent(.childRemoved, Key(unchecked: "x"), .integer(1)),
                        ViewEvent(
                            .childAdded, Key(unchecked: "z"), after: Key(unchecked: "y"),
                            .integer(3)),
                    ])
            ])
    }

    @Test func `the application learns of an unindexed listen while it lasts`() throws {
        var rig = Rig()
        rig.open()
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        _ = rig.turn(.listened(ListenTests.listen, path("a"), query, .children))
        let told = Input.received(NodeMessage.unindexed(listen: 2).frame)
        #expect(rig.turn(told) == [.unindexed(path("a"), query)])
        _ = rig.turn(.unlistened(ListenTests.listen))
        #expect(rig.turn(told) == [])
    }

    @Test func `an ended listen receives nothing more`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(3, ""))
        let sent = Rig.messages(rig.turn(.unlistened(ListenTests.listen)))
        #expect(sent == [.unlisten(id: 3, listen: 2)])
        #expect(rig.turn(change(2, ("", .integer(1)))) == [])
    }

    @Test func `a listen that the node refuses is over`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(listened(3, ""))
        let refusal = NodeMessage.error(id: 2, code: .tooBig, problem: "p", fix: "f")
        #expect(
            rig.turn(.received(refusal.frame)) == [
                .ended(ListenTests.listen, HearthError(.tooBig, "p", fix: "f"))
            ])
        #expect(!rig.client.isAwaiting)
    }

    @Test func `the listeners of a refused listen end in the order in which they began`() {
        var rig = Rig()
        rig.open()
        let listeners = (3...9).map { ListenID(number: $0) }
        for id in listeners { _ = rig.turn(listened(id.number, "")) }
        let refusal = NodeMessage.error(id: 2, code: .tooBig, problem: "p", fix: "f")
        #expect(
            rig.turn(.received(refusal.frame))
                == listeners.map { .ended($0, HearthError(.tooBig, "p", fix: "f")) })
    }
}
