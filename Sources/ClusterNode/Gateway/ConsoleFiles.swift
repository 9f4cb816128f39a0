internal import CConsole
internal import ClusterConfiguration
internal import GatewayCore
internal import Glibc
internal import Sockets

extension Console {
    /// The console of a node, with the files that are compiled in, or with those of a folder, which are read each time.
    init(
        of member: NodeConfiguration.Member, in configuration: NodeConfiguration, folder: String?
    ) {
        if let folder {
            self.init { path in ConsoleFile(at: path, in: folder) }
        } else {
            // A request finds the file with its hash.
            let files = ConsoleFile.embedded
            self.init { path in files[path] }
        }
        (node, cluster) = (member.id, configuration.cluster)
        nodes = configuration.nodes.map { node in
            let page = HTTPAddress(node.client)?.location ?? ""
            let address = node.consoleAddress
            return ConsoleNode(
                name: node.id, address: address, page: address.isEmpty ? page : address)
        }
    }
}

extension NodeConfiguration.Member {
    /// The node's address for browsers: its public host, or its address on this machine. It is empty otherwise, because every
    /// reader of the page sees it.
    fileprivate var consoleAddress: String {
        guard let address = HTTPAddress(client) else { return "" }
        if let publicHost { return (address.trust == nil ? "http://" : "https://") + publicHost }
        let isLocal = address.host.hasPrefix("127.") || address.host == "::1"
        return isLocal ? address.location : ""
    }
}

extension ConsoleFile {
    /// The files in the program by their paths.
    fileprivate static var embedded: [String: ConsoleFile] {
        let files = UnsafeBufferPointer(
            start: hearth_console_all_files(), count: hearth_console_file_count)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let path = String(cString: file.path)
                let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
                return (path, ConsoleFile(bytes, at: path))
            })
    }

    /// The file at a path in a folder.
    fileprivate init?(at path: String, in folder: String) {
        guard !path.split(separator: "/").contains(".."), let file = fopen("\(folder)/\(path)", "r")
        else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&part, 1, part.count, file), count > 0 {
            bytes += part[..<count]
        }
        // A folder can be opened as well, and has no bytes.
        if bytes.isEmpty { return nil }
        self.init(bytes, at: path)
    }
}
