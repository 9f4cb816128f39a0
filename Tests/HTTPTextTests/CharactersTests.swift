import Testing

@testable import HTTPText

/// The bits of each set are those of the grammar, spelled out.
@Suite struct CharactersTests {
    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    private func characters(_ isMember: (UInt8) -> Bool) -> Set<UInt8> {
        Set((0...255).map(UInt8.init).filter(isMember))
    }

    @Test func `sets of characters are those of the grammar`() {
        let printable = Set<UInt8>(0x21...0xFF).subtracting([0x7F])
        let token = Self.digits + Self.letters + "!#$%&'*+-.^_`|~"
        #expect(characters(\.isTokenCharacter) == Set(token.utf8))
        #expect(characters(\.isHostCharacter) == Set((Self.digits + Self.letters + "-._").utf8))
        #expect(characters(\.isDigit) == Set(Self.digits.utf8))
        #expect(characters { $0.hexadecimalValue != nil } == Set("0123456789abcdefABCDEF".utf8))
        #expect(characters(\.isFieldCharacter) == printable.union([0x09, 0x20]))
        #expect(characters(\.isTargetCharacter) == printable.subtracting("#".utf8))
    }

    @Test func `hexadecimal digits have their values`() {
        for value in 0..<16 {
            let text = String(value, radix: 16)
            #expect(text.utf8.first?.hexadecimalValue == UInt8(value))
            #expect(text.uppercased().utf8.first?.hexadecimalValue == UInt8(value))
        }
    }

    @Test func `the first line feed is found at every place`() {
        for count in 0..<40 {
            var bytes = [UInt8](repeating: 0x0B, count: count)
            #expect(bytes.span.firstLineFeed(in: 0..<count) == nil)
            for place in 0..<count {
                bytes[place] = 0x0A
                for start in 0...place {
                    if bytes.span.firstLineFeed(in: start..<count) != place {
                        Issue.record("\(place) of \(count) from \(start)")
                    }
                }
                bytes[place] = place % 2 == 0 ? 0x8A : 0x0B
            }
        }
    }
}
