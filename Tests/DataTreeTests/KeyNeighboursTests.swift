import DataTree
import Testing

@Suite struct KeyNeighboursTests {
    static let alphabets: [(KeyNeighbours, first: String, last: String)] = [
        (.pushAlphabet, "-", "z"), (.unicode, " ", "\u{FFFF}"),
    ]

    @Test(arguments: 0..<2)
    func `neighbours are those that the clients compute`(family: Int) {
        let (neighbours, first, last) = Self.alphabets[family]
        let padded = String(repeating: last, count: 783)
        #expect(neighbours.successor(of: "2147483647")?.text == first)
        #expect(neighbours.successor(of: "-5") == "-4")
        #expect(neighbours.successor(of: "abc")?.text == "abc" + first)
        #expect(neighbours.successor(of: Key(unchecked: "abc" + padded)) == "abd")
        #expect(
            neighbours.successor(of: Key(unchecked: String(repeating: last, count: 786))) == nil)
        #expect(neighbours.predecessor(of: "-2147483648") == nil)
        #expect(neighbours.predecessor(of: "7") == "6")
        #expect(neighbours.predecessor(of: Key(unchecked: first)) == "2147483647")
        #expect(neighbours.predecessor(of: "abc")?.text == "abb" + padded)
        #expect(neighbours.predecessor(of: Key(unchecked: "abc" + first)) == "abc")
    }

    @Test(arguments: 0..<2)
    func `a neighbour lies on its side`(family: Int) throws {
        let neighbours = Self.alphabets[family].0
        for key: Key in ["a", "-", "z", "é", "🐵", "\u{E000}", "\u{D7FF}x", "Z", "^", "-NxAbC", "!"]
        {
            #expect(try #require(neighbours.successor(of: key)) > key)
            #expect(try #require(neighbours.predecessor(of: key)) < key)
        }
    }

    @Test func `forbidden characters and surrogates are stepped over`() {
        let neighbours = KeyNeighbours.unicode
        #expect(neighbours.predecessor(of: "a0")?.text.hasPrefix("a-") == true)
        #expect(neighbours.predecessor(of: "a\\")?.text.hasPrefix("aZ") == true)
        #expect(neighbours.predecessor(of: "a\u{E000}")?.text.hasPrefix("a\u{10FFFF}") == true)
        #expect(neighbours.predecessor(of: "a\u{10000}")?.text.hasPrefix("a\u{D7FF}") == true)
    }
}
