import SyncProtocol
import Testing

@testable import ClusterNode

@Suite struct `The table of sessions` {
    @Test func `holds more than 100,000 sessions, and finds each by its number`() {
        var table = SessionTable<Int>()
        let sessions = (0..<150_000).map { number in table.add { _ in number } }
        #expect(table.count == 150_000 && Set(sessions).count == 150_000)
        #expect(sessions.enumerated().allSatisfy { table[$1] == $0 })
        for session in sessions.prefix(100_000) { table.remove(session) }
        #expect(table.count == 50_000 && table.all == Array(100_000..<150_000))
    }

    @Test func `uses no number twice, although a new session has the memory of an earlier one`() {
        var table = SessionTable<String>()
        let first = table.add { _ in "first" }
        #expect(table.remove(first) == "first" && table.remove(first) == nil)
        let second = table.add { _ in "second" }
        #expect(second != first && table[first] == nil && table[second] == "second")
        #expect(table.all == ["second"])
    }
}
