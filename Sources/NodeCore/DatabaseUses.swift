public import DataTree
public import GatewayCore
internal import ReplicaCore
public import SyncProtocol

// The limits of databases, and their use.

/// The use of a database before its present replica.
struct PastUse {
    /// The bytes of its data when it fell asleep; those of its file before it was awake.
    var dataBytes = 0
    /// Whether that is no exact size of the data.
    var isEstimate = false
    /// The operations when it fell asleep; nil before it was awake.
    private(set) var operations: Int?
    /// How often its limits have refused a request.
    private(set) var refusals: [DatabaseLimits.Kind: Int] = [:]

    /// Adds the use of a replica that ends.
    mutating func add(_ use: ReplicaUse) {
        (dataBytes, operations) = (use.dataBytes, use.operations)
        isEstimate = !use.isCounted
        refusals = refusals(with: use)
    }

    /// The refusals, with those of the present replica.
    func refusals(with use: ReplicaUse) -> [DatabaseLimits.Kind: Int] {
        refusals.merging(use.refusals, uniquingKeysWith: +)
    }
}

extension NodeCore {
    /// Sets the limits that the catalog has for a database; limits that are not set are those of the configuration.
    public mutating func setLimits(_ limits: DatabaseLimits, of name: DatabaseName) {
        self.limits.setCataloged(limits, of: name)
        inform(.limits(name, limits))
        let limits = self.limits.limits(of: name)
        if name.isDefault {
            replica.setDatabaseLimits(limits)
        } else if let position = indexes[name]?.position, named[position].hasReplica {
            named[position].replica.setDatabaseLimits(limits)
        }
    }

    /// Sets the limits of all databases to those in the data of the catalog. An entry with unusable limits sets none, and the
    /// log of the node names the problem.
    public mutating func setLimits(in catalog: Value) {
        var limits: [DatabaseName: DatabaseLimits] = [:]
        for (key, entry) in catalog[Key(unchecked: "databases")].children {
            let own = entry[Key(unchecked: "limits")]
            guard !own.isNull, let name = DatabaseName(key.text) else { continue }
            do throws(DataError) {
                limits[name] = try DatabaseLimits(own)
            } catch {
                outputs.append(
                    .gateway(.log("the catalog's entry of \(name): \(error.problem); \(error.fix)"))
                )
            }
        }
        for name in Set(limits.keys).union(self.limits.catalogedNames).sorted() {
            let next = limits[name] ?? DatabaseLimits()
            if next != self.limits.cataloged(of: name) { setLimits(next, of: name) }
        }
    }

    /// Sets the files of databases that the node keeps aside.
    public mutating func setKept(_ databases: [KeptDatabase]) { inform(.kept(databases)) }

    /// The use of all databases that the node holds, without the catalog.
    ///
    /// - Complexity: O(databases); a sleeping one is not opened.
    public mutating func databaseUses() -> [DatabaseUse] {
        let own = replica.use()
        var uses = [
            DatabaseUse(
                .default, .awake, dataBytes: own.dataBytes, isEstimate: !own.isCounted,
                operations: own.operations, refusals: own.refusals)
        ]
        for position in named.indices where named[position].isListed {
            uses.append(named[position].present())
        }
        return uses
    }

    /// The largest databases with the bytes of their data, in the order of their names.
    public mutating func largestDatabases(_ count: Int) -> [(name: DatabaseName, bytes: Int)] {
        var all = [(name: DatabaseName.default, bytes: replica.dataBytes())]
        for position in named.indices where named[position].isListed {
            all.append((named[position].name, named[position].dataBytes()))
        }
        let largest = all.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }.prefix(count)
        return largest.sorted { $0.name < $1.name }
    }
}

extension NamedDatabase {
    /// The present use. Mutating, because a replica is not copied then.
    fileprivate mutating func present() -> DatabaseUse {
        guard hasReplica else {
            return DatabaseUse(
                name, state == .opening ? .opening : .asleep, dataBytes: past.dataBytes,
                isEstimate: past.isEstimate, operations: past.operations, refusals: past.refusals)
        }
        let use = replica.use()
        return DatabaseUse(
            name, .awake, dataBytes: use.dataBytes, isEstimate: !use.isCounted,
            operations: use.operations, refusals: past.refusals(with: use))
    }

    fileprivate mutating func dataBytes() -> Int {
        hasReplica ? replica.dataBytes() : past.dataBytes
    }
}
