internal import ClusterConfiguration
internal import TLS

/// The hosts by which clients verify the certificate of a node.
struct CertificateHosts: Equatable {
    /// The host of "client"; nil if the fingerprint after it replaces all other checks.
    var client: String?
    /// The name in "public".
    var publicName: String?
}

extension ServerIdentity {
    /// So long before the end of a certificate, nodes ask for another one.
    private static let renewalSeconds = 14 * 86_400

    /// The reasons why clients refuse a certificate, or soon will, with their remedies.
    ///
    /// - Parameter seconds: The time, since 1970.
    func warnings(
        about file: String, for hosts: CertificateHosts, at seconds: Int
    ) -> [NodeError] {
        if hosts == CertificateHosts() { return [] }
        var warnings = dateWarnings(about: file, at: seconds)
        for (host, key) in [(hosts.client, "client"), (hosts.publicName, "public")] {
            guard let host, !isFor(host) else { continue }
            let other =
                key == "client"
                ? "write the certificate's fingerprint (#sha256=…) behind it"
                : "ignore this if a proxy with a certificate of its own serves that name"
            warnings.append(
                NodeError(
                    problem:
                        "clients refuse \(file): it is not for \(host), the host of \"\(key)\"",
                    fix: "request a certificate for \(host), or correct \"\(key)\", or \(other)"))
        }
        return warnings
    }

    private func dateWarnings(about file: String, at seconds: Int) -> [NodeError] {
        let (start, end) = (date(of: validity.lowerBound), date(of: validity.upperBound))
        let renewal = "renew it; nodes load new files by themselves"
        if seconds < validity.lowerBound {
            return [
                NodeError(
                    problem: "clients refuse \(file): it is valid from \(start) on",
                    fix: "set the clock, or wait")
            ]
        } else if seconds > validity.upperBound {
            return [
                NodeError(problem: "clients refuse \(file): it expired on \(end)", fix: renewal)
            ]
        } else if seconds > validity.upperBound - Self.renewalSeconds {
            return [NodeError(problem: "\(file) expires on \(end)", fix: renewal)]
        }
        return []
    }

    private func date(of seconds: Int) -> String {
        String(LogTime.text(of: UInt64(max(0, seconds)) * 1_000).prefix(10))
    }
}
