import DataTree
import JSONText
import QueryEngine
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import CommandLineKit
@testable import HearthCommand

@Suite struct DataVerbTests {
    @Test func `an event is one line of JSON`() {
        let event = ViewEvent(
            .childAdded, Key(unchecked: "b"), after: Key(unchecked: "a"), .string("\"\n"))
        #expect(
            String(decoding: EventWriter(form: .plain).line(for: event), as: UTF8.self)
                == #"{"event":"child_added","key":"b","previousKey":"a","data":"\"\n"}"# + "\n")
        let value = ViewEvent(.value, nil, .null)
        #expect(
            String(decoding: EventWriter(form: .plain).line(for: value), as: UTF8.self)
                == #"{"event":"value","key":null,"previousKey":null,"data":null}"# + "\n")
    }

    @Test(arguments: [40, 200, 100_000])
    func `the pieces of a value make the value again`(limit: Int) throws {
        var members: [String] = []
        for index in 0..<50 {
            members.append(#""k\#(index)":{"a":[\#(index),2],".priority":\#(index),"t":"text"}"#)
        }
        let value = try JSONReader().parse("{" + members.joined(separator: ",") + "}")
        let pieces = ValuePieces(of: value, limit: limit).pieces
        var joined = ValuePieces.value(of: pieces[0])
        for piece in pieces.dropFirst() {
            #expect(Write.failure(inMerge: piece, at: .root) == nil)
            for write in piece { joined.set(write.value, at: write.path) }
        }
        #expect(joined == value)
        #expect(pieces.count > 1 || limit == 100_000)
    }

    @Test func `the pieces of nothing are one that writes nothing`() {
        let pieces = ValuePieces(of: .null).pieces
        #expect(pieces.count == 1)
        #expect(ValuePieces.value(of: pieces[0]).isNull)
    }

    @Test func `a cluster file is read as it is written`() throws {
        let file = ClusterFile(
            cluster: "demo", durability: "commit",
            nodes: [
                .init(id: "n1", client: "http://a:1", requests: "tcp://a:2", updates: "tcp://a:3")
            ])
        let folder = try TemporaryFolder()
        try folder.write(file.json, to: ClusterFile.name)
        #expect(try ClusterFile(inFolder: folder.path) == file)
        let error = #expect(throws: CommandError.self) { try file.node(named: "n9") }
        #expect(error?.fix == "name one of n1")
        try folder.write(Array("{\"cluster\":".utf8), to: ClusterFile.name)
        let failure = #expect(throws: CommandError.self) {
            try ClusterFile(inFolder: folder.path)
        }
        #expect(failure?.status == .badData)
    }
}
