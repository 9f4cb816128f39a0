internal import CommandLineKit

/// `hearth sim new`.
enum SimulationNewVerb {
    static let verb = Verb(
        "new", "Prints a scenario to begin with, each line with a comment.",
        examples: ["hearth sim new > mine.scenario"]
    ) { (invocation) throws(CommandError) in
        StandardOutput.shared.write(Array(scenario.utf8))
        return .success
    }

    private static let scenario = """
        # What is written survives, and all nodes show the same, even if one is partitioned and another loses its power.
        # These first lines are the claim. All settings, faults and checks are in Simulations/README.md.

        cluster   replicas=3                         # nodes n1, n2 and n3
        network   delay=1ms..20ms loss=1%            # between nodes; clients' frames are only late
        clients   count=4 listeners=1                # c1 to c4 send requests, c5 listens
        workload  operations=120 push=3 set=2 increment=2 get=1   # of all clients together, by weights

        seeds     1..20                              # each seed draws other requests, delays and losses
        at 1s     partition n1 | n2 n3               # n1 goes on alone
        at 2s     crash n2                           # the power goes: what is not synced is lost
        at 2s     c1 set /rooms/a/title "hello"      # a request of your own
        at 3s     restart n2
        at 4s     heal
        until     5s                                 # clients stop, faults end, every node runs

        check     acknowledged-writes-survive, acknowledged-pushes, increments-add-up
        check     replicas-equal, listeners-converge, stays-live

        """
}
