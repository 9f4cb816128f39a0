import Foundation
import HTTPText
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Content never closes a connection: requests whose content is any valid JSON get an answer each, and so does the next request
/// on the same connection, by every protocol. Frames of native clients have the same test in `SyncProtocolTests`.
///
/// A longer run: `HEARTH_TEXT_CASES=100000`.
@Suite struct ValidTextTests {
    private static let cases =
        ProcessInfo.processInfo.environment["HEARTH_TEXT_CASES"].flatMap { Int($0) } ?? 1_500

    private var texts = JSONTexts(seed: 1)

    /// A request of Firebase's protocol, whose members come in any order.
    private mutating func request(_ number: Int) -> String {
        let actions = ["p", "p", "m", "o", "om", "oc", "q", "n", "g", "auth", "gauth", "s", "zz"]
        let action = actions[texts.number(below: actions.count)]
        let path = texts.chance(70) ? "\"/a/b\"" : texts.string()
        var body = ["\"p\":\(path)", "\"d\":\(texts.value())"]
        if texts.chance(30) { body.append("\"q\":\(query())") }
        if texts.chance(10) { body.append("\"h\":\(texts.string())") }
        if texts.chance(10) {
            body.append(
                "\"\(["t", "cred", "authvar", "ch"][texts.number(below: 4)])\":\(texts.value())")
        }
        let members = [
            "\"a\":\"\(action)\"", "\"r\":\(number)", "\"b\":{\(body.joined(separator: ","))}",
        ]
        let turn = texts.number(below: 3)
        let ordered = members[turn...] + members[..<turn]
        return "{\"t\":\"d\",\"d\":{\(ordered.joined(separator: ","))}}"
    }

    private mutating func query() -> String {
        let index = [#"".key""#, #"".value""#, #""a/b""#, #"".priority""#][texts.number(below: 4)]
        return "{\"i\":\(index),\"sp\":\(texts.value(levels: 1)),\"sn\":\(texts.string())}"
    }

    private static func number(of message: String) -> Int? {
        let head = #"{"t":"d","d":{"r":"#
        guard message.hasPrefix(head) else { return nil }
        return Int(message.dropFirst(head.count).prefix { $0.isNumber || $0 == "-" })
    }

    @Test mutating func `by Firebase's WebSocket, every request is answered`() {
        var rig = RealtimeRig()
        _ = rig.connect()
        for number in stride(from: 1, to: 2 * Self.cases, by: 2) {
            let text = request(number)
            var told = rig.send(text)
            while !rig.delayed.isEmpty, told.isEmpty { told += rig.refuse() }
            #expect(told.compactMap(Self.number).contains(number), "\(text)")
            #expect(
                rig.request(number + 1, "s", "{}").last == RealtimeRig.answer(number + 1), "\(text)"
            )
            guard rig.closed.isEmpty else {
                Issue.record("closed by \(text)")
                return
            }
        }
    }

    @Test mutating func `by long polls, every request is answered`() {
        var rig = PollRig()
        var client = rig.start()
        for number in stride(from: 1, to: Self.cases / 2, by: 2) {
            let text = request(number)
            // A poll is answered once there is something to tell, or another one comes.
            let connections = [
                rig.upload(text, by: &client),
                rig.upload(PollRig.request(number + 1, "s", "{}"), by: &client), rig.poll(client),
            ]
            // The refusal of a credential comes later.
            rig.node.wait(2_000)
            let told = connections.compactMap { rig.script($0) }.joined()
            rig.node.turn(connections.map { .closed($0) })
            for answered in [number, number + 1] where !told.contains(#"{"r":\#(answered),"b""#) {
                Issue.record("\(text) is answered by \(told)")
                return
            }
        }
    }

    @Test mutating func `by REST, every request is answered, and the next one on its connection`() {
        var node = TestGateway()
        let id = node.connect()
        for _ in 0..<Self.cases {
            let method = ["PUT", "PATCH", "POST"][texts.number(below: 3)]
            let text = texts.value()
            node.send(TestGateway.request("/a/b.json", method, [], body: text), by: id)
            let query = texts.string().addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
            node.send(TestGateway.request("/a.json?orderBy=%22$key%22&startAt=\(query)"), by: id)
            node.send(TestGateway.request("/health"), by: id)
            let answers = TestAnswer.all(in: node.read(id))
            #expect(answers.count == 3, "\(method) \(text)")
            #expect(answers.last?.status == 200, "\(method) \(text)")
            #expect(
                answers.allSatisfy { [200, 204, 400].contains($0.status) }, "\(method) \(text)")
            guard !node.closed.contains(id) else {
                Issue.record("closed by \(method) \(text)")
                return
            }
        }
    }
}
