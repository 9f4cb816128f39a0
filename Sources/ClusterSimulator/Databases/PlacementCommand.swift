import DataTree
import JSONText
import SyncProtocol

/// A command of an operator that places a database, as `hearth database create` and `hearth database move` do: the same steps,
/// whose requests and answers cross the faults of a run.
struct PlacementCommand {
    let number: Int
    let database: String
    /// Whether clients use the database once it is placed.
    let creates: Bool
    var change: PlacementChange
    /// The entity tag of the entry that was read last.
    var tag = ""
    /// When it sends its next request; nil while one is open.
    var dueMilliseconds: UInt64?
    /// When the operator ends it.
    let endMilliseconds: UInt64
    private var askCount = 0

    init(
        _ number: Int, _ goal: PlacementChange.Goal, of database: String, in cluster: [String],
        without left: [String] = [], at milliseconds: UInt64, until end: UInt64
    ) {
        (self.number, self.database) = (number, database)
        if case .created = goal { creates = true } else { creates = false }
        change = PlacementChange(goal, in: cluster, without: left)
        (dueMilliseconds, endMilliseconds) = (milliseconds, end)
    }

    /// The next request, to this node unless the change asks a certain one; nil at the end.
    mutating func nextRequest(at node: Int) -> DatabaseRequest? {
        let aim = DatabaseRequest.Aim.command(number)
        let catalog = DatabaseName.catalog.text
        let location = "databases/\(database)/placement"
        switch change.request {
        case .readEntry:
            return DatabaseRequest(
                aim, "GET", catalog, location, at: node, fields: "X-Firebase-ETag: true\r\n")
        case .replaceEntry(let entry):
            return DatabaseRequest(
                aim, "PUT", catalog, location, at: node, fields: "if-match: \(tag)\r\n",
                body: JSONWriter.text(of: entry.value))
        case .askNodes(let left):
            askCount += 1
            let asked = Int(left[askCount % left.count].dropFirst())! - 1
            return DatabaseRequest(aim, "GET", settingsOf: database, at: asked)
        case nil: return nil
        }
    }

    /// Goes on with an answer. Without one, or with a refusal, it sends the request again.
    mutating func receive(_ answer: DatabaseAnswer, from node: String) {
        guard answer.status == "200" || answer.status == "412",
            let body = try? JSONReader().parse(answer.body)
        else { return }
        switch change.request {
        case .readEntry:
            tag = answer.tag
            change.readEntry(PlacementEntry(body) ?? PlacementEntry(nil))
        case .replaceEntry:
            change.replaceEntry(answer.status == "200")
            tag = answer.tag
        case .askNodes:
            guard case .integer(let epoch)? = body[Key(unchecked: "epoch")].number else { return }
            change.learn(
                from: node, epoch: UInt32(clamping: epoch),
                isCopied: body[Key(unchecked: "isCopied")] == .boolean(true))
        case nil: break
        }
    }
}
