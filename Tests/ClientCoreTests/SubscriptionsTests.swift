import DataTree
import QueryEngine
import Testing

@testable import ClientCore

@Suite struct SubscriptionsTests {
    private func listen(_ key: String) -> ServerListen {
        ServerListen(
            path: Path([Key(unchecked: key)]), query: Query(), tag: nil, known: .null)
    }

    @Test func `requests of a lost connection are awaited until the next one answers`() {
        var subscriptions = Subscriptions()
        subscriptions.start(listen("a"))
        _ = subscriptions.ask(as: 1)
        subscriptions.disconnect()
        #expect(subscriptions.awaitsAnswers)
        _ = subscriptions.ask(as: 1)
        #expect(subscriptions.awaitsAnswers)
        _ = subscriptions.recordChange(1)
        #expect(!subscriptions.awaitsAnswers && !subscriptions.isEmpty)
    }

    @Test func `changes of one listen answer for no other one`() {
        var subscriptions = Subscriptions()
        for (number, key) in ["a", "b"].enumerated() {
            subscriptions.start(listen(key))
            _ = subscriptions.ask(as: UInt64(number) + 1)
        }
        for _ in 0..<2 { #expect(subscriptions.recordChange(1)?.path == listen("a").path) }
        #expect(subscriptions.awaitsAnswers)
        _ = subscriptions.recordChange(2)
        #expect(!subscriptions.awaitsAnswers)
    }

    @Test func `a listen that stops between two connections hides no other one`() {
        var subscriptions = Subscriptions()
        for (number, key) in ["a", "b"].enumerated() {
            subscriptions.start(listen(key))
            _ = subscriptions.ask(as: UInt64(number) + 1)
        }
        subscriptions.disconnect()
        _ = subscriptions.stop(listen("a"))
        let asked = subscriptions.ask(as: 1)
        let next = subscriptions.ask(as: 2)
        #expect(asked?.path == listen("b").path && next == nil)
        #expect(subscriptions.awaitsAnswers)
        _ = subscriptions.recordChange(1)
        #expect(!subscriptions.awaitsAnswers)
    }
}
