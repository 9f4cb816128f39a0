internal import ClusterConfiguration
internal import SyncProtocol
package import TLS

// The emulator: the kind of cluster that `hearth cluster up` starts without secrets and tokens.

extension ClusterFile {
    /// Whether the cluster behaves as Firebase's emulator.
    package var isEmulator: Bool { settings["emulator"] == .boolean(true) }

    /// Whether each client is an administrator, because the file has no access settings.
    package var isOpenToAll: Bool {
        !isEmulator && settings["secrets"] == nil && settings["tokens"] == nil
    }

    /// Makes a cluster without access settings an emulator.
    package mutating func becomeEmulator() {
        let decisive = ["emulator", "secrets", "tokens"]
        guard !decisive.contains(where: { settings[$0] != nil }),
            nodes.allSatisfy({ $0.client.hasPrefix("http://127.") })
        else { return }
        settings["emulator"] = .boolean(true)
    }

    /// Whether nodes create each database that a client names.
    package var createsDatabases: Bool {
        settings["unknownDatabases"] == .string(UnknownDatabases.create.rawValue)
    }

    /// Has nodes create each database that a client names, as Firebase's emulator does.
    package mutating func createDatabases() {
        if settings["unknownDatabases"] == nil {
            settings["unknownDatabases"] = .string(UnknownDatabases.create.rawValue)
        }
    }

    /// Lets web pages of more origins use the nodes.
    package mutating func permit(_ origins: [String]) {
        guard !origins.isEmpty else { return }
        var http: [String: Setting] = [:]
        if case .object(let members)? = settings["http"] { http = members }
        var permitted: [Setting] = []
        if case .list(let known)? = http["origins"] { permitted = known }
        for origin in origins where !permitted.contains(.string(origin)) {
            permitted.append(.string(origin))
        }
        http["origins"] = .list(permitted)
        settings["http"] = .object(http)
    }

    /// The origins whose web pages may use the nodes, beside those of this machine.
    package var origins: [String] {
        guard case .object(let http)? = settings["http"], case .list(let origins)? = http["origins"]
        else { return [] }
        return origins.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}

extension Secret {
    /// The credential of an administrator of an emulator.
    package static let owner = Secret("owner")!
}
