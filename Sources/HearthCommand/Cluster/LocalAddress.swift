internal import ClusterConfiguration
internal import CommandLineKit
internal import Sockets
internal import TLS

extension NodeConfiguration {
    /// The address at which this machine reaches its own node, whatever its name means elsewhere. The certificate is the one in
    /// the node's file, so no authority has to be known.
    func localAddress(of member: Member) -> HTTPAddress? {
        let port = NodeEndpoint(member.client).port
        let place = "\(Self.reachable(member.listenHost(for: member.client))):\(port)"
        guard let files = http.files else { return HTTPAddress("http://\(place)") }
        guard let bytes = try? InputFile(files.certificate).readAll(),
            let fingerprint = Certificate.fingerprint(
                ofPEM: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return HTTPAddress(
            "https://\(place)" + HTTPAddress.fragment(ofFingerprint: fingerprint))
    }

    /// A host to connect to where a node listens: loopback if it listens at all addresses.
    private static func reachable(_ host: String?) -> String {
        switch host {
        case nil, "0.0.0.0": "127.0.0.1"
        case "[::]": "[::1]"
        case let host?: host
        }
    }
}
