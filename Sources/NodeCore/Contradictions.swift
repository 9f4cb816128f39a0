internal import GatewayCore
internal import ReplicaCore
public import SyncProtocol

// The exchange of placements between nodes.
//
// Each epoch of a database is decided once. But a node with an old disk has forgotten what it decided, so that a majority with
// this node can decide the same epoch again. Some nodes then follow one placement, and some the other. They find that out by the
// placements that all nodes publish. None serves the database until a later placement names the one that holds, and no
// file is deleted.

extension NodeCore {
    /// How often a node publishes the placements of the databases that it holds, and those of databases that move.
    private static let newsMilliseconds: UInt64 = 30_000
    private static let movingNewsMilliseconds: UInt64 = 1_000
    /// How soon it repeats them after a peer has come back, whose sockets may not have been connected yet.
    private static let repeatMilliseconds: UInt64 = 2_000

    /// Publishes placements that are due.
    mutating func publishDueNews() {
        let awaitsCatalog = makesCatalog && catalog.position == nil
        guard now.elapsedMilliseconds >= min(newsDueMilliseconds, movingNewsDueMilliseconds),
            awaitsCatalog || !catalog.placements.isEmpty
        else { return }
        let isAll = now.elapsedMilliseconds >= newsDueMilliseconds
        movingNewsDueMilliseconds = now.elapsedMilliseconds + Self.movingNewsMilliseconds
        if isAll {
            newsDueMilliseconds =
                now.elapsedMilliseconds
                + (newsRepeats > 0 ? Self.repeatMilliseconds : Self.newsMilliseconds)
            newsRepeats = max(0, newsRepeats - 1)
        }
        let member = replica.memberName
        let names = isAll ? catalog.placements.keys.sorted() : catalog.moving.map { named[$0].name }
        let entries: [PlacementNews.Entry] = names.compactMap { name in
            guard let placement = catalog.placement(of: name), placement.nodes.contains(member),
                !removed.contains(name), let position = indexes[name]?.position
            else { return nil }
            return PlacementNews.Entry(name, placement, isCopied: named[position].isCopied)
        }
        if livePeers.isEmpty { return }
        if entries.isEmpty, isAll, awaitsCatalog { publish([]) }
        for start in stride(from: 0, to: entries.count, by: PlacementNews.limit) {
            publish(Array(entries[start...].prefix(PlacementNews.limit)))
        }
    }

    private mutating func publish(_ entries: [PlacementNews.Entry]) {
        let news = PlacementNews(of: replica.clusterName, at: replica.memberName, entries)
        outputs.append(.replica(.publish(news.bytes, .awaited)))
    }

    /// Makes the catalog once all nodes have announced that they know of placements. A new database needs contact among all of its
    /// nodes once. So the catalog gets this with the cluster, and not when the first database is placed.
    mutating func makeCatalog() {
        guard makesCatalog, catalog.position == nil,
            replica.peerNames.allSatisfy(knowingPeers.contains)
        else { return }
        addDatabase(.catalog)
    }

    /// Applies the placements of a peer; returns false if the frame has none.
    mutating func receive(news frame: [UInt8]) -> Bool {
        guard let news = PlacementNews(frame), news.cluster == replica.clusterName else {
            return false
        }
        knowingPeers.insert(news.member)
        for entry in news.entries {
            guard let known = catalog.placement(of: entry.name) else { continue }
            if entry.placement.contradicts(known) {
                contest(entry.name, entry.placement)
            } else if entry.placement == known, entry.isCopied {
                catalog.recordCopy(of: entry.name, at: news.member)
            }
        }
        return true
    }

    /// The databases that were placed twice in one epoch, each with both lists of nodes.
    public var contestedDatabases: [(name: DatabaseName, placements: String)] {
        catalog.rivals.keys.sorted().compactMap { name in
            guard !removed.contains(name), let known = catalog.placement(of: name),
                let rival = catalog.rivals[name]
            else { return nil }
            return (name, "\(known.servers) and \(rival.servers)")
        }
    }

    /// Stops serving a database of which two placements were decided for the same epoch.
    mutating func contest(_ name: DatabaseName, _ rival: DatabasePlacement) {
        guard !removed.contains(name), let known = catalog.placement(of: name),
            catalog.recordRival(rival, of: name)
        else { return }
        let lists = [known.servers, rival.servers]
        outputs.append(
            .gateway(
                .log(
                    "the database \(name) was placed twice in epoch \(known.epoch), on \(lists[0]) and on "
                        + "\(lists[1]); no node serves it until `hearth database move \(name) --nodes "
                        + "\(lists[0])` or `--nodes \(lists[1])` names the one that holds")))
        inform(.contested(name, by: rival))
        // The nodes of the other placement learn of this one.
        newsDueMilliseconds = 0
        guard let database = indexes[name] else { return }
        endSessions(of: database, because: "the database was placed twice")
        endContested(at: database.position, rival)
    }

    private mutating func endContested(at position: Int, _ rival: DatabasePlacement) {
        if let files = named[position].files,
            files.placement == catalog.placement(of: named[position].name),
            files.rival == nil
        {
            let record = PlacementRecord(files.placement, rival: rival)
            named[position].files = record
            outputs.append(.recordPlacement(named[position].name, record))
        }
        (named[position].isContested, named[position].isMoving) = (true, false)
        catalog.moving.removeAll { $0 == position }
        switch named[position].state {
        // Its next turn is its last one.
        case .awake: eager.append(position)
        case .stopping, .closing: named[position].wakesAgain = false
        case .opening, .asleep: break
        }
    }
}

extension DatabasePlacement {
    /// The nodes that serve the database, at the latest after its move.
    fileprivate var servers: String { (move?.to ?? nodes).joined(separator: ",") }
}
