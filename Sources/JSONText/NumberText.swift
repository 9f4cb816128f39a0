/// Prints numbers as JavaScript's `Number.prototype.toString` does, which writes an exponent from 1e21 on.
enum NumberText {
    /// From here on, doubles in JSON have an exponent. Firebase's SDK for Java reads a number without a fraction and an exponent
    /// as an integer of 64 bits, and drops the whole message if the number is larger.
    static let integerBound = 0x1p63

    /// Appends an integer in full.
    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(digits: number.magnitude, to: &bytes)
    }

    /// Appends a double with the fewest digits that read back as the same; `null` if it is not
    /// finite, as `JSON.stringify` does.
    ///
    /// Source: ECMA-262, Number::toString.
    ///
    /// - Parameter bound: From here on, numbers have an exponent.
    static func append(
        _ number: Double, to bytes: inout [UInt8], exponentFrom bound: Double = integerBound
    ) {
        guard number.isFinite else {
            bytes += "null".utf8
            return
        }
        if let whole = Int64(exactly: number), whole.magnitude <= 1 << 53 {
            return append(whole, to: &bytes)
        }
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        if let (scaled, places) = shortFraction(number.magnitude) {
            return append(scaled, places: places, to: &bytes)
        }
        let decimal = Decimal(number.magnitude)
        if number.magnitude >= bound {
            appendScientific(decimal, to: &bytes)
        } else {
            append(decimal, to: &bytes)
        }
    }

    private static func append(digits number: UInt64, to bytes: inout [UInt8]) {
        if number < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = number
            while rest > 0 {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}

// MARK: - Fractions

extension NumberText {
    /// A number as an integer by a power of ten, if it has at most three decimal places.
    ///
    /// Fifteen digits always tell doubles apart, so that the first decimal found that reads back as
    /// the same double is the shortest one.
    private static func shortFraction(_ number: Double) -> (scaled: UInt64, places: Int)? {
        guard number >= 1e-3, number < 1e11 else { return nil }
        var factor = 1.0
        for places in 1...3 {
            factor *= 10
            let scaled = (number * factor).rounded()
            if scaled / factor == number { return (UInt64(scaled), places) }
        }
        return nil
    }

    private static func append(_ scaled: UInt64, places: Int, to bytes: inout [UInt8]) {
        var factor: UInt64 = 1
        for _ in 0..<places { factor *= 10 }
        append(digits: scaled / factor, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        var rest = scaled % factor
        for _ in 0..<places {
            factor /= 10
            bytes.append(UInt8(ascii: "0") + UInt8(rest / factor))
            rest %= factor
        }
    }

    /// The shortest digits of a positive double, as 0.d₁d₂… by a power of ten.
    private struct Decimal {
        var digits: [UInt8] = []
        var exponent = 0

        /// Takes them from the standard library's text, which has the same digits in other places.
        init(_ number: Double) {
            var text = number.description[...].utf8
            if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
                exponent = Int(Substring(text[mark...].dropFirst())) ?? 0
                text = text[..<mark]
            }
            var isFraction = false
            for byte in text {
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else {
                    if !isFraction, !(digits.isEmpty && byte == UInt8(ascii: "0")) { exponent += 1 }
                    if digits.isEmpty, isFraction, byte == UInt8(ascii: "0") { exponent -= 1 }
                    if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
                }
            }
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        }
    }

    private static func append(_ decimal: Decimal, to bytes: inout [UInt8]) {
        let digits = decimal.digits
        switch decimal.exponent {
        case digits.count...21 where digits.count <= 21:
            bytes += digits
            bytes += repeatElement(UInt8(ascii: "0"), count: decimal.exponent - digits.count)
        case 1...21:
            bytes += digits[..<decimal.exponent]
            bytes.append(UInt8(ascii: "."))
            bytes += digits[decimal.exponent...]
        case -5...0:
            bytes += "0.".utf8
            bytes += repeatElement(UInt8(ascii: "0"), count: -decimal.exponent)
            bytes += digits
        default: appendScientific(decimal, to: &bytes)
        }
    }

    private static func appendScientific(_ decimal: Decimal, to bytes: inout [UInt8]) {
        let exponent = decimal.exponent - 1
        bytes.append(decimal.digits[0])
        if decimal.digits.count > 1 {
            bytes.append(UInt8(ascii: "."))
            bytes += decimal.digits[1...]
        }
        bytes += exponent < 0 ? "e-".utf8 : "e+".utf8
        append(digits: UInt64(exponent.magnitude), to: &bytes)
    }
}
