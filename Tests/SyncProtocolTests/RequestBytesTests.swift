import DataTree
import QueryEngine
import SyncProtocol
import Testing

/// The bytes of requests, which clients in other languages make too: they change only with the protocol's version.
@Suite struct RequestBytesTests {
    private static let place = Path([Key(unchecked: "a"), Key(unchecked: "b")])
    private static let stamp = Stamp(
        time: HybridTime(bits: 7 << 16 | 2), writer: WriterID(bits: 9))
    private static let writes = [Write(path: Path([Key(unchecked: "x")]), value: 1)]
    private static let hash = DataHash(of: "v")
    private static let query: Query = {
        var members = QueryMembers()
        members.index = ".key"
        members.limit = 2
        members.viewFrom = "r"
        return try! Query(members)
    }()

    static let rows: [(request: ClientMessage, bytes: String)] = [
        (.get(id: 1, path: place), "<01><93><a3>get<01><a3>a/b"),
        (
            .get(id: 1, path: place, query: query),
            "<01><94><a3>get<01><a3>a/b<81><a5>query<83><a1>i<a4>.key<a1>l<02><a2>vf<a1>r"
        ),
        (
            .get(id: 1, path: place, skip: 300),
            "<01><94><a3>get<01><a3>a/b<81><a4>skip<cd><01>,"
        ),
        (.children(id: 1, path: place), "<01><93><a8>children<01><a3>a/b"),
        (
            .children(id: 1, path: place, from: Key(unchecked: "k"), limit: 5),
            "<01><94><a8>children<01><a3>a/b<82><a4>from<a1>k<a5>limit<05>"
        ),
        (.put(id: 300, path: place, value: "v"), "<01><94><a3>put<cd><01>,<a3>a/b<a1>v"),
        (
            .put(
                id: 1, path: place, value: "v",
                condition: Condition(hash, isLocal: true, patienceMilliseconds: 9),
                concern: .majority, stamp: stamp),
            "<01><95><a3>put<01><a3>a/b<a1>v<85><a2>if<bc>D5rSAbpyt4sr3fGLyUovKfs5ocM=<a5>local<c3><a6>within<09><a7>concern<a8>majority<a5>stamp<92><ce><00><07><00><02><09>"
        ),
        (.merge(id: 1, path: place, writes: writes), "<01><94><a5>merge<01><a3>a/b<81><a1>x<01>"),
        (
            .merge(id: 1, path: place, writes: writes, concern: .all, stamp: stamp),
            "<01><95><a5>merge<01><a3>a/b<81><a1>x<01><82><a7>concern<a3>all<a5>stamp<92><ce><00><07><00><02><09>"
        ),
        (.push(id: 1, path: place, value: 2), "<01><94><a4>push<01><a3>a/b<02>"),
        (.listen(id: 1, path: place), "<01><93><a6>listen<01><a3>a/b"),
        (
            .listen(id: 1, path: place, query: query, held: HeldData(hash: hash)),
            "<01><94><a6>listen<01><a3>a/b<82><a5>query<83><a1>i<a4>.key<a1>l<02><a2>vf<a1>r<a4>hash<bc>D5rSAbpyt4sr3fGLyUovKfs5ocM="
        ),
        (
            .listen(id: 1, path: place, demandsIndex: true),
            "<01><94><a6>listen<01><a3>a/b<81><a7>indexed<c3>"
        ),
        (.unlisten(id: 1, listen: 2), "<01><93><a8>unlisten<01><02>"),
        (
            .onDisconnect(id: 1, path: place, value: .null),
            "<01><94><ac>onDisconnect<01><a3>a/b<c0>"
        ),
        (
            .onDisconnectMerge(id: 1, path: place, writes: writes),
            "<01><94><b1>onDisconnectMerge<01><a3>a/b<81><a1>x<01>"
        ),
        (.onDisconnectCancel(id: 1, path: place), "<01><93><b2>onDisconnectCancel<01><a3>a/b"),
        (.backup(id: 1, name: "monday"), "<01><93><a6>backup<01><a6>monday"),
        (.evict(id: 1, member: "n3"), "<01><93><a5>evict<01><a2>n3"),
        (.awaitStable(id: 1, milliseconds: 30_000), "<01><93><ab>awaitStable<01><cd>u0"),
        (.ping(id: .max), "<01><92><a4>ping<cf><ff><ff><ff><ff><ff><ff><ff><ff>"),
        (.hello(id: 1, seen: VersionVector()), "<01><93><a5>hello<01><80>"),
        (.status(id: 1), "<01><92><a6>status<01>"),
        (
            .why(id: 1, path: place, beyond: VersionVector()), "<01><94><a3>why<01><a3>a/b<80>"
        ),
    ]

    @Test(arguments: rows.indices)
    func `a request has the bytes that the protocol's page shows`(row: Int) throws {
        let (request, bytes) = RequestBytesTests.rows[row]
        #expect(shown(request.frame) == bytes)
        #expect(
            try FrameReader<ClientMessage>.messages(in: request.frame) == [.message(request)])
    }

    /// Printable bytes as they are, and the others in hexadecimal digits between brackets.
    private func shown(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if (0x21..<0x7F).contains(byte), !"<>".contains(character) { return String(character) }
            return "<" + (byte < 16 ? "0" : "") + String(byte, radix: 16) + ">"
        }.joined()
    }
}
