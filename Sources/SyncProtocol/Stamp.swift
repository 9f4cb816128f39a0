/// Names one writer for ever: one incarnation of one node's data directory, or one native client.
///
/// Drawn at random when that incarnation begins, so that no stamp and no sequence is ever used twice.
public struct WriterID: Hashable, Comparable, Sendable {
    /// The number of the writer.
    public let bits: UInt64

    /// The writer of this number.
    public init(bits: UInt64) { self.bits = bits }

    /// By number.
    public static func < (a: WriterID, b: WriterID) -> Bool { a.bits < b.bits }
}

extension WriterID: CustomStringConvertible {
    /// Thirteen digits of base 32, as in logs and in `status`.
    public var description: String { String(bits, radix: 32) }
}

/// Hybrid logical time: milliseconds since 1970 in the upper 48 bits, a counter in the lower 16.
///
/// Source: Kulkarni, Demirbas et al., *Logical Physical Clocks*; `convergence.md`, section 8.2.
public struct HybridTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970 in the upper 48 bits, a counter below.
    public let bits: UInt64

    /// The beginning of 1970.
    public static let zero = HybridTime(bits: 0)
    /// The latest that goes over the wire, in the year 6429.
    public static let latest = HybridTime(milliseconds: WireLimits.wallMilliseconds)

    /// The time of these bits.
    public init(bits: UInt64) { self.bits = bits }
    /// The first time of a millisecond since 1970.
    public init(milliseconds: UInt64) { bits = milliseconds << 16 }

    /// Milliseconds since 1970.
    public var milliseconds: UInt64 { bits >> 16 }

    /// The next time; a counter that overflows carries into the milliseconds.
    public var successor: HybridTime { HybridTime(bits: bits + 1) }

    /// The time so many milliseconds earlier; zero at least.
    public func earlier(byMilliseconds lag: UInt64) -> HybridTime {
        HybridTime(milliseconds: milliseconds - min(milliseconds, lag))
    }

    /// Whether the first is earlier.
    @inlinable
    public static func < (a: HybridTime, b: HybridTime) -> Bool { a.bits < b.bits }
}

/// The time and the writer of a write; the order of stamps is the order of writes, everywhere.
public struct Stamp: Hashable, Comparable, Sendable {
    /// When it was made.
    public let time: HybridTime
    /// Who made it.
    public let writer: WriterID

    /// Before every stamp: for a place without a write, or with a stable one whose stamp is forgotten.
    public static let none = Stamp(time: .zero, writer: WriterID(bits: 0))

    /// A stamp of a writer.
    public init(time: HybridTime, writer: WriterID) {
        self.time = time
        self.writer = writer
    }

    /// By time, then by writer.
    @inlinable
    public static func < (a: Stamp, b: Stamp) -> Bool {
        a.time.bits != b.time.bits ? a.time.bits < b.time.bits : a.writer.bits < b.writer.bits
    }
}

extension Stamp: CustomStringConvertible {
    /// The time and the writer.
    public var description: String {
        "\(time.milliseconds).\(time.bits & 0xFFFF)@\(writer)"
    }
}
