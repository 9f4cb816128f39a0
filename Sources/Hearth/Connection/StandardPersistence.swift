internal import ClientCore
internal import Foundation

extension Persistence {
    /// A file for this program, these nodes and their database in the user's data folder.
    static func standard(
        for nodes: [String], byteLimit: Int
    ) throws(HearthError) -> Persistence {
        let addresses = nodes.joined(separator: ",")
        let name = (ProcessInfo.processInfo.processName + "-" + addresses).map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-"
        }
        do {
            let folder = try FileManager.default.url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil,
                create: true
            ).appendingPathComponent("hearth")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let file = folder.appendingPathComponent(String(name.prefix(200)) + ".db")
            return Persistence(file: file.path, byteLimit: byteLimit)
        } catch {
            throw HearthError(
                .unavailable, "no folder for persistence can be made: \(error)",
                fix: "name a file, with Database(nodes:persistence:)")
        }
    }
}
