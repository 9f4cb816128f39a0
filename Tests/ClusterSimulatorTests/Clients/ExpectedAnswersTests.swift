import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterSimulator

@Suite struct ExpectedAnswersTests {
    private static func asked() -> ExpectedAnswers {
        var answers = ExpectedAnswers()
        answers.expect(.malformed, 1)
        answers.expect(.write, 2)
        answers.expect(.ping, 3)
        return answers
    }

    @Test func `a node that answers each message is right`() {
        var answers = Self.asked()
        #expect(answers.receive(1, refused: .invalid) == nil)
        #expect(answers.receive(2, refused: nil) == nil)
        #expect(answers.receive(3, refused: nil) == nil)
    }

    @Test func `what is malformed may not be done`() {
        var answers = Self.asked()
        #expect(answers.receive(1, refused: nil) != nil)
    }

    @Test func `no write is left out`() {
        var answers = Self.asked()
        #expect(answers.receive(1, refused: .invalid) == nil)
        #expect(answers.receive(3, refused: nil) != nil)
    }

    @Test func `nothing is answered twice, or unasked`() {
        var answers = Self.asked()
        #expect(answers.receive(2, refused: nil) == nil)
        #expect(answers.receive(2, refused: nil) != nil)
        #expect(answers.receive(4, refused: nil) != nil)
        #expect(answers.receive(0, refused: .invalid) != nil)
        #expect(answers.receive(0, refused: .unavailable) == nil)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a malformed message is refused under its id, and the one behind it is read`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        var frame = ClientMessage.ping(id: 8).frame
        frame.insert(contentsOf: MalformedMessage.draw(id: 7, &random), at: 1)
        let messages = try FrameReader<ClientMessage>.messages(in: frame)
        guard case .refused(7, _) = messages.first else {
            Issue.record("\(messages)")
            return
        }
        #expect(messages.dropFirst() == [.message(.ping(id: 8))])
    }
}
