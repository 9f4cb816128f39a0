import Testing

@testable import ClusterSimulator

/// Server-sent events, whole and in pieces.
@Suite struct EventLinesTests {
    private let text = "event: put\ndata: {\"path\":\"/\"}\n\nevent: keep-alive\ndata: null\n\n"

    @Test func `an event ends with an empty line, in whatever pieces it comes`() {
        var whole = EventLines()
        let events = whole.receive(Array(text.utf8))
        #expect(events.map(\.name) == ["put", "keep-alive"])
        #expect(events.map(\.data) == [Array("{\"path\":\"/\"}".utf8), Array("null".utf8)])
        var pieces = EventLines()
        #expect(text.utf8.flatMap { pieces.receive([$0]) } == events)
    }

    @Test func `lines of data are joined, and what has none is no event`() {
        var lines = EventLines()
        let bytes = Array("event: a\n\nevent: b\ndata: 1\ndata: 2\n\n".utf8)
        #expect(lines.receive(bytes) == [EventLines.Event(name: "b", data: Array("1\n2".utf8))])
    }
}
