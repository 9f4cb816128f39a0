import Testing

@testable import ClusterNode

@Suite struct `A table of clients` {
    private func add(_ bytes: [UInt8], to table: inout ClientTable, turn: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { table.add(RoutingID($0), $0, turn: turn).number }
    }

    private func name(_ bytes: [UInt8]) -> RoutingID { bytes.withUnsafeBytes { RoutingID($0) } }

    @Test func `finds a session by the name of its client until it is removed`() throws {
        var table = ClientTable()
        let number = add([0, 1, 2, 3, 4], to: &table, turn: 1)
        let found = table.session(of: name([0, 1, 2, 3, 4]), turn: 2)
        let session = try #require(found)
        #expect(session.number == number)
        #expect(table[session]?.lastTurn == 2)
        table.remove(session)
        #expect(table.session(of: name([0, 1, 2, 3, 4]), turn: 3) == nil)
        #expect(table[session] == nil)
    }

    @Test func `gives no number twice, also not at the same place`() throws {
        var table = ClientTable()
        let first = add([1], to: &table, turn: 1)
        let session = table.session(of: name([1]), turn: 1)
        table.remove(try #require(session))
        let second = add([1], to: &table, turn: 2)
        #expect(first != second)
        #expect(table.count == 1)
    }

    @Test func `tells apart names that differ in zeros at the end, and long ones`() {
        let long = [UInt8](repeating: 7, count: 16)
        let names = [[1], [1, 0], [1, 0, 0], [UInt8](repeating: 7, count: 15), long, long + [0]]
        #expect(Set(names.map(name)).count == names.count)
    }

    @Test func `names those that were idle longest`() {
        var table = ClientTable()
        var numbers: [UInt64] = []
        for turn in 1...300 {
            numbers.append(
                add([UInt8(turn & 255), UInt8(turn >> 8)], to: &table, turn: UInt64(turn)))
        }
        _ = table.session(of: name([1, 0]), turn: 1_000)
        let idlest = table.idlest().map(\.number)
        #expect(idlest == Array(numbers[1...100]))
    }
}
