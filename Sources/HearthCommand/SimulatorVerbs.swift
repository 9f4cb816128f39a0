internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    static let simulation = Verb(
        "sim", "Simulates clusters under faults, from a seed, and checks their guarantees.",
        in: .simulator, examples: ["hearth sim run Simulations"])

    static let soak = Verb(
        "soak",
        "Writes to a cluster of its own while nodes are killed, paused and lose their disks; then "
            + "checks that nothing acknowledged was lost.",
        in: .simulator, examples: ["hearth soak"])
}
