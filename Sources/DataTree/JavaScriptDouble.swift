/// The bytes of a double as the JavaScript client computes them, which are wrong for some numbers.
///
/// It finds the exponent as the floor of `log(v) / ln 2`. Rounding makes that one too much for most
/// doubles just below a power of two, and one too little for some powers of two below 1. A node that
/// knew only the true bytes would answer transactions on such a number with "stale" for ever.
/// Source: `firebase-semantics.md`, rule H7.
enum JavaScriptDouble {
    static func bitPattern(of number: Double) -> UInt64 {
        // JavaScript handles zero and the subnormal numbers on another path, correctly.
        guard number.isNormal else { return number.bitPattern }
        let size = number.magnitude
        let exponent = Int(min(floor(logarithm(of: size) / ln2), 1023))
        let sign: UInt64 = number < 0 ? 1 << 63 : 0
        let biased = UInt64(exponent + 1023) << 52
        return sign | biased | fraction(of: size, exponent: exponent)
    }

    /// `Math.round(v * 2^(52 - exponent) - 2^52)`, of which 52 bits are spelled, whatever its sign.
    private static func fraction(of size: Double, exponent: Int) -> UInt64 {
        let scale = 52 - exponent
        // JavaScript's power is infinite here, and so is the fraction, which spells zeroes.
        if scale > 1023 { return 0 }
        let scaled = size * Double(sign: .plus, exponent: scale, significand: 1) - 0x1p52
        let whole = floor(scaled)
        let rounded = scaled - Double(whole) >= 0.5 ? whole + 1 : whole
        return UInt64(bitPattern: rounded) & (1 << 52 - 1)
    }

    /// The greatest integer that is not above a number of at most 63 bits.
    ///
    /// `rounded(.down)` would need the C library's mathematics, which nothing here links.
    private static func floor(_ number: Double) -> Int64 {
        let whole = Int64(number)
        return Double(whole) > number ? whole - 1 : whole
    }

    private static let ln2 = 0x1.62e42fefa39efp-1
    // The same in two parts: the upper times an exponent is exact.
    private static let ln2Upper = 0x1.62e42fee00000p-1
    private static let ln2Lower = 0x1.a39ef35793c76p-33

    /// The natural logarithm with the rounding of JavaScript's engine near powers of two, and
    /// anything with the same floor elsewhere.
    private static func logarithm(of number: Double) -> Double {
        // number = 2^power * (1 + rest), with the rest small on both sides of a power of two.
        var power = Double(number.exponent)
        var rest = number.significand - 1
        if rest > 0.5 {
            power += 1
            rest = number.significand / 2 - 1
        }
        guard rest.magnitude < 0x1p-20 else {
            return (Double(number.exponent) + 0.5) * ln2
        }
        if rest == 0 { return power * ln2Upper + power * ln2Lower }
        let square = rest * rest * (0.5 - 0.33333333333333333 * rest)
        if power == 0 { return rest - square }
        return power * ln2Upper - ((square - power * ln2Lower) - rest)
    }
}
