import ReplicaCore

// Faults of the network as a whole, and their ends.

extension VirtualNetwork {
    /// Keeps members of different groups apart. Endpoints are nodes, then clients.
    mutating func partition(_ groups: [[Int]], at now: Microseconds) {
        for (index, group) in groups.enumerated() {
            for other in groups[(index + 1)...] {
                for a in group {
                    for b in other {
                        cut(from: a, to: b, at: now)
                        cut(from: b, to: a, at: now)
                    }
                }
            }
        }
    }

    /// Keeps nodes apart that do not stand beside each other in a circle.
    mutating func makeRing(at now: Microseconds) {
        for a in 0..<nodes {
            for b in 0..<nodes where a != b && (a + 1) % nodes != b && (b + 1) % nodes != a {
                cut(from: a, to: b, at: now)
            }
        }
    }

    mutating func cut(from: Int, to: Int, at now: Microseconds) {
        cuts.insert(from * endpoints + to)
        if from < nodes, to < nodes { reconnect(from: from, to: to, at: now) }
    }

    mutating func clog(from: Int, to: Int) { links[from * nodes + to].isClogged = true }

    mutating func unclog(from: Int, to: Int) { links[from * nodes + to].isClogged = false }

    /// The second node forgets the connection that the first has made to it: nothing gets over it until
    /// the first notices, and connects again. No heal makes it notice earlier.
    mutating func halfOpen(from: Int, to: Int, until noticed: Microseconds) {
        reconnect(from: to, to: from, at: noticed)
        links[from * nodes + to].noticed = noticed
    }

    /// The first node forgets that the second subscribes to this kind.
    mutating func lose(_ topic: Topic, from: Int, to: Int) {
        links[from * nodes + to].lost.insert(topic)
    }

    /// A node can neither make nor accept a new connection.
    mutating func exhaust(_ node: Int) { areExhausted[node] = true }

    /// A node can connect again, and does.
    mutating func free(_ node: Int, at now: Microseconds) {
        areExhausted[node] = false
        for other in 0..<nodes {
            for (from, to) in [(node, other), (other, node)] where links[from * nodes + to].isDown {
                reconnect(from: from, to: to, at: now)
            }
        }
    }

    mutating func degrade(from: Int, to: Int, _ quality: LinkQuality) {
        links[from * nodes + to].quality = quality
    }

    /// The connections between two nodes break, with what is queued, and are made again.
    mutating func disconnect(_ a: Int, _ b: Int, at now: Microseconds) {
        reconnect(from: a, to: b, at: now)
        reconnect(from: b, to: a, at: now)
    }

    /// Cuts a direction, or heals it; returns when to do so again.
    mutating func flap(from: Int, to: Int, at now: Microseconds) -> Microseconds {
        cuts.formSymmetricDifference([from * endpoints + to])
        reconnect(from: from, to: to, at: now)
        return now + random.time(in: Flap.phase)
    }

    /// Ends all faults, and the broken connections and long delays that would keep clients from quiescence.
    mutating func quiescence(at now: Microseconds) {
        settings.breaks = .zero
        settings.link.tail = .zero
        heal(at: now)
    }

    /// Ends all faults: from now on frames are neither lost nor changed.
    mutating func perfect(at now: Microseconds) {
        let delay = settings.link.delay
        settings.link = LinkQuality()
        settings.link.delay = delay
        quiescence(at: now)
    }

    /// Ends all faults of the network.
    mutating func heal(at now: Microseconds) {
        round += 1
        for index in links.indices {
            links[index].quality = settings.link
            links[index].isClogged = false
            links[index].lost.removeAll()
        }
        for cut in cuts.sorted() {
            let (from, to) = (cut / endpoints, cut % endpoints)
            if from < nodes, to < nodes { reconnect(from: from, to: to, at: now) }
        }
        cuts.removeAll()
    }
}
