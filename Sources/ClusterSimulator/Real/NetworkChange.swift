/// A change of the network of a real run, in which a proxy carries all bytes.
package enum NetworkChange: Equatable, Sendable {
    /// No bytes arrive in these directions: they wait, as those of a connection do whose packets are lost. New connections between
    /// the two ends are not made, since that takes both directions.
    case cut([DirectedLink])
    /// These directions are as before.
    case open([DirectedLink])
    /// The connections between two ends break, with what is on its way, and may be made again at once.
    case disconnect(Int, Int)
    /// The second end has forgotten the connections that the first had made to it: nothing gets over them until the first ends them.
    case halfOpen(DirectedLink)
    /// A direction is as slow as this.
    case slow(DirectedLink, LinkPace)
    /// All faults end.
    case heal
}

/// One direction from an end of the network to another: nodes, then clients, counted from 0.
package struct DirectedLink: Hashable, Sendable {
    package var from: Int
    package var to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    package var reversed: DirectedLink { DirectedLink(from: to, to: from) }
}

/// How long bytes take in one direction.
package struct LinkPace: Equatable, Sendable {
    /// The settings of single frames have no effect.
    private var quality = LinkQuality()

    init(_ quality: LinkQuality) {
        self.quality.delay = quality.delay
        self.quality.tail = quality.tail
        self.quality.bandwidth = quality.bandwidth
    }

    /// The pace with these delays, in microseconds, and this bandwidth, in bytes a second; 0 for no limit.
    package init(delay: ClosedRange<UInt64>, bandwidth: Int = 0) {
        var quality = LinkQuality()
        quality.delay = TimeRange(delay.lowerBound, delay.upperBound)
        quality.bandwidth = bandwidth
        self.init(quality)
    }

    /// Without delay and limit.
    package static let immediate = LinkPace(delay: 0...0)

    /// Draws how long the next bytes are on their way, in microseconds.
    package func delay(drawing random: inout SplitMix64) -> UInt64 { quality.drawDelay(&random) }

    /// How long these bytes take to leave, in microseconds.
    package func departure(ofBytes count: Int) -> UInt64 { quality.departure(ofBytes: count) }
}
