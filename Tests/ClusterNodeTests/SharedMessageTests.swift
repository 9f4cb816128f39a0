import HTTPText
import Testing

@testable import ClusterNode

@Suite struct `The message of a shared frame` {
    private func message(_ frame: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketWriter.append(.binary, frame, to: &bytes)
        return bytes
    }

    @Test func `is encoded from the second receiver on`() {
        var shared = SharedMessage()
        let frame = [UInt8](repeating: 7, count: 300)
        #expect(shared.message(of: frame) == nil)
        let second = shared.message(of: frame)
        let third = shared.message(of: frame)
        #expect(second == message(frame) && third == second)
        let memory = [second, third].map { $0?.withUnsafeBytes { $0.baseAddress } }
        #expect(memory[0] == memory[1])
    }

    @Test func `is never that of another frame, even of an equal one`() {
        var shared = SharedMessage()
        let frames = (0..<4).map { [UInt8](repeating: UInt8($0), count: 300) }
        for frame in frames + frames { #expect(shared.message(of: frame) == nil) }
        #expect(shared.message(of: frames[3]) == message(frames[3]))
        #expect(shared.message(of: frames[2]) == nil)
        #expect(shared.message(of: frames[2]) == message(frames[2]))
        #expect(shared.message(of: []) == nil && shared.message(of: []) == nil)
    }
}
