import DataTree
import SyncProtocol

// The commands that place and move databases, and the checks of placements.

extension DatabasesRun {
    /// How long a command goes on before its operator ends it.
    private static let patienceMilliseconds: UInt64 = 8_000
    /// How long a command waits until it asks again.
    private static let pauseMilliseconds: UInt64 = 50
    /// How long all moves may take once no fault is left.
    private static let moveMilliseconds: UInt64 = 40_000

    private var members: [String] { nodes.map(\.name) }

    // MARK: Commands

    /// Begins a command now and then.
    mutating func beginCommands(pausing pause: TimeRange) {
        guard milliseconds >= commandMilliseconds else { return }
        commandMilliseconds = milliseconds + random.time(in: pause) / 1_000
        let targets = randomMembers()
        if names.count < scenario.databases.count + 2, random.index(below: 4) == 0 {
            addedCount += 1
            return begin(.created(on: targets), of: "extra-\(addedCount)")
        }
        let name = names[random.index(below: names.count)]
        if name == "default" || clients.removing.contains(name) { return }
        if scenario.databases.leaves != .zero, random.happens(scenario.databases.leaves),
            let left = targets.first(where: { targets.count > 1 && $0 != targets.last })
        {
            record.trace("\(left) is left behind", of: name)
            return begin(.moved(to: targets.filter { $0 != left }), of: name, without: [left])
        }
        begin(random.index(below: 8) == 0 ? .cancelled : .moved(to: targets), of: name)
    }

    private mutating func randomMembers() -> [String] {
        var members = members
        for _ in 0..<random.index(below: members.count) {
            members.remove(at: random.index(below: members.count))
        }
        return members
    }

    private mutating func begin(
        _ goal: PlacementChange.Goal, of database: String, without left: [String] = []
    ) {
        lastCommand += 1
        record.trace("command \(lastCommand): \(goal)", of: database)
        commands.append(
            PlacementCommand(
                lastCommand, goal, of: database, in: members, without: left, at: milliseconds,
                until: milliseconds + Self.patienceMilliseconds))
    }

    /// Sends the requests of commands that are due.
    mutating func sendCommands() {
        for index in commands.indices.reversed() {
            guard let due = commands[index].dueMilliseconds, milliseconds >= due else { continue }
            if milliseconds >= commands[index].endMilliseconds {
                end(index, "is ended")
            } else if let request = commands[index].nextRequest(
                at: random.index(below: nodes.count))
            {
                if nodes[request.node].core?.isServing == true {
                    commands[index].dueMilliseconds = nil
                    send(request)
                } else {
                    commands[index].dueMilliseconds = milliseconds + Self.pauseMilliseconds
                }
            } else {
                finish(index)
            }
        }
    }

    private mutating func finish(_ index: Int) {
        let command = commands[index]
        if let conflict = command.change.conflict { return end(index, "finds \(conflict)") }
        if command.creates { names.append(command.database) }
        record.count(.place)
        end(index, "is done")
    }

    private mutating func end(_ index: Int, _ outcome: String) {
        let command = commands.remove(at: index)
        record.trace("command \(command.number) \(outcome)", of: command.database)
    }

    /// Passes an answer to a command, unless that has ended.
    mutating func receive(_ answer: DatabaseAnswer, of number: Int, at node: Int) {
        guard let index = commands.firstIndex(where: { $0.number == number }) else { return }
        commands[index].receive(answer, from: nodes[node].name)
        commands[index].dueMilliseconds = milliseconds + Self.pauseMilliseconds
    }

    /// Repeats commands until no database moves.
    mutating func finishMoves() {
        let end = milliseconds + Self.moveMilliseconds
        while !commands.isEmpty || !movesAreOver {
            guard milliseconds < end else {
                return record.add(.place, "moves do not end after all faults")
            }
            if commands.isEmpty, let (name, move) = openMove {
                begin(.moved(to: move.to), of: name)
            }
            step()
        }
    }

    /// A database that moves, as the first node knows it.
    private var openMove: (String, DatabasePlacement.Move)? {
        for name in placedNames {
            if let move = nodes[0].core?.placement(of: DatabaseName(name)!)?.move {
                return (name, move)
            }
        }
        return nil
    }

    /// The names that may be placed. The removal of one was refused if no node knew it yet.
    private var placedNames: [String] {
        Set(names + clients.removing).subtracting(clients.removed).sorted().filter { name in
            nodes.allSatisfy { $0.removed[DatabaseName(name)!] == nil }
        }
    }

    /// Whether all nodes know the same placements, and no database moves.
    private var movesAreOver: Bool {
        isCalm
            && placedNames.allSatisfy { name in
                let name = DatabaseName(name)!
                let placement = nodes[0].core?.placement(of: name)
                return placement?.isMoving != true
                    && nodes.allSatisfy { $0.core?.placement(of: name) == placement }
            }
    }

    private var usedNames: [String] { names.filter { !clients.removing.contains($0) } }

    // MARK: Files

    /// Checks that the files which a node has deleted had no operation that no other node has on its disk.
    mutating func checkDiscards(of index: Int) {
        for (name, disk) in nodes[index].removeDiscards() {
            record.count(.survive)
            guard let vector = nodes[index].stored(disk)?.vector else { continue }
            let isHeld = nodes.indices.contains { other in
                other != index && nodes[other].allStored(name).contains { $0.vector.covers(vector) }
            }
            if isHeld || vector.total == 0 { continue }
            record.add(
                .survive,
                "\(nodes[index].name) deletes operations of \(name) that no other node has",
                in: name.text)
        }
    }

    /// Whether a node keeps files aside that have a write.
    func isKept(_ key: String, of database: String) -> Bool {
        guard let name = DatabaseName(database) else { return false }
        return nodes.contains { node in
            node.keptTrees(of: name).contains { $0[Key(unchecked: key)] == .string(database) }
        }
    }

    /// Whether a node keeps files of a database aside.
    func isKept(_ database: String) -> Bool {
        guard let name = DatabaseName(database) else { return false }
        return nodes.contains { $0.keeps(name) }
    }

    // MARK: Placements

    /// Checks that no two nodes serve a database which know different placements of it.
    mutating func checkPlacements() {
        for name in usedNames {
            let database = DatabaseName(name)!
            var first: (name: String, holders: [String])?
            // By index: an element of a loop is a copy, and this is done in each step.
            for index in nodes.indices {
                if let placement = nodes[index].placement(of: database),
                    placement.epoch > placements[name]?.epoch ?? 0
                {
                    placements[name] = placement
                }
                guard nodes[index].serves(database) else { continue }
                let (node, holders) = (nodes[index].name, nodes[index].holders(of: database))
                guard let first else {
                    first = (node, holders)
                    continue
                }
                if first.holders != holders {
                    record.add(
                        .place,
                        "\(first.name) serves \(name) as one of \(first.holders), while \(node) does as "
                            + "one of \(holders)", in: name)
                }
            }
        }
    }

    /// Checks that a node which has answered a request holds the database. A node that serves it learns that it moves before any
    /// node learns the new placement.
    mutating func checkPlace(of request: DatabaseRequest) {
        guard let newest = placements[request.database], !newest.isMoving,
            !newest.nodes.contains(nodes[request.node].name)
        else { return }
        record.add(
            .place,
            "\(nodes[request.node].name) serves \(request.database), which is on \(newest.nodes)",
            in: request.database)
    }

    /// Checks that all nodes know the same placements, and that only the placed nodes have files.
    mutating func comparePlacements(of databases: [String]) {
        for name in databases where !clients.removing.contains(name) {
            let database = DatabaseName(name)!
            for node in nodes {
                if node.holders(of: database) != nodes[0].holders(of: database) {
                    record.add(.place, "\(node.name) knows another placement of \(name)", in: name)
                } else if !node.holds(database), node.disks[database] != nil {
                    record.add(.place, "\(node.name) keeps the files of \(name)", in: name)
                }
            }
        }
    }
}
