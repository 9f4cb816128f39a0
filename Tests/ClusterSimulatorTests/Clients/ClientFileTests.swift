import ClientCore
import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// A file of pending writes detects damage.
@Suite struct ClientFileTests {
    private func write(_ number: UInt64, _ value: Int64) -> Record {
        let path = Path([Key(unchecked: "a")])
        let message = ClientMessage.put(id: 1, path: path, value: .integer(value))
        return .write(number: number, frame: message.frame)
    }

    @Test func `a write that has no outcome is not replaced by another one`() {
        var file = ClientFile()
        #expect(file.keep([write(1, 1), write(2, 2), write(1, 1)]) == nil)
        #expect(file.keep([write(2, 3)]) != nil)
        #expect(file.keep([.writeEnded(number: 1), write(1, 4)]) == nil)
        #expect(file.keptWrites.map(\.number) == [1, 2])
    }
}
