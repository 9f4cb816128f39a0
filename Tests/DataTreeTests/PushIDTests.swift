import DataTree
import Testing

@Suite struct PushIDTests {
    @Test func `an ID has 20 characters of the alphabet and contains its time`() throws {
        var random = SeededRandom(seed: 1)
        var generator = PushIDGenerator()
        let key = generator.next(at: 1_700_000_000_000, random: &random)
        #expect(key.text.count == 20)
        #expect(key.text.hasPrefix("-NjEtLV-"))
        #expect(PushID(key)?.milliseconds == 1_700_000_000_000)
        #expect(PushID(key)?.key == key)
        #expect(key > "2147483647" && key < "a")
    }

    @Test func `IDs ascend while the clock stops, steps back or advances`() {
        var random = SeededRandom(seed: 2)
        var generator = PushIDGenerator()
        var time: UInt64 = 1_700_000_000_000
        var keys: [Key] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: time += UInt64.random(in: 1...1_000, using: &random)
            case 1: time -= UInt64.random(in: 1...5_000, using: &random)
            default: break
            }
            keys.append(generator.next(at: time, random: &random))
        }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Set(keys.map(\.text)).count == keys.count)
    }

    /// Gives the greatest numbers there are.
    struct Ones: RandomNumberGenerator {
        func next() -> UInt64 { .max }
    }

    @Test func `after the last ID of a millisecond comes the next millisecond`() {
        var random = Ones()
        var generator = PushIDGenerator()
        let last = generator.next(at: 5, random: &random)
        let next = generator.next(at: 5, random: &random)
        #expect(last.text == "-------4zzzzzzzzzzzz")
        #expect(last < next)
        #expect(PushID(next)?.milliseconds == 6)
        #expect(PushID(generator.next(at: 5, random: &random))?.milliseconds == 7)
    }

    @Test func `the random number carries from its last digit`() {
        /// 36 low bits set in the second draw only.
        struct Half: RandomNumberGenerator {
            var draws = 0
            mutating func next() -> UInt64 {
                draws += 1
                return draws == 1 ? 0 : .max
            }
        }
        var random = Half()
        var generator = PushIDGenerator()
        #expect(generator.next(at: 0, random: &random).text == "--------------zzzzzz")
        #expect(generator.next(at: 0, random: &random).text == "-------------0------")
    }

    @Test(arguments: [
        "", "a", "-NjEtLV-abcdefghijk", "-NjEtLV-abcdefghijkl!", "-NjEtLV-abcdefghijk~",
    ])
    func `other keys are not push IDs`(text: String) {
        #expect(PushID(Key(unchecked: text)) == nil)
    }
}
