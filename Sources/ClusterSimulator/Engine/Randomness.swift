package import Randomness

// Draws from the seed. The standard library's own draws may change between its versions, so a seed
// kept for years would replay another run; these will not.

/// The generator of a run.
package typealias SplitMix64 = Randomness.SplitMix64

extension SplitMix64 {
    /// A generator of its own for one part of a run, so that a part that draws more does not change
    /// what the others draw.
    init(seed: UInt64, part: UInt64) {
        var mixer = SplitMix64(seed: seed)
        let first = mixer.next()
        var other = SplitMix64(seed: part &* 0xD6E8_FEB8_6659_FD93)
        self.init(seed: first ^ other.next())
    }

    /// A number below `limit`, which is positive.
    mutating func number(below limit: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: limit).high
    }

    mutating func index(below count: Int) -> Int { Int(number(below: UInt64(count))) }

    mutating func shuffle<Element>(_ elements: inout [Element]) {
        for index in elements.indices.dropFirst() {
            elements.swapAt(index, self.index(below: index + 1))
        }
    }

    mutating func time(in range: TimeRange) -> Microseconds {
        range.shortest + number(below: range.longest - range.shortest + 1)
    }

    mutating func happens(_ chance: Probability) -> Bool {
        // Nothing is drawn for what cannot happen: such runs stay as they were before the setting.
        chance.millionths > 0 && number(below: 1_000_000) < chance.millionths
    }
}
