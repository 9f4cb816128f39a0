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

        mix 2     set /jobs/(1..5)/state ("open"|"done")   # requests of your own, beside push, set, … by their weights
        mix 1     remove /jobs/(1..5)
        # load    start.json                         # what is in the tree before; a path from this file's folder
        # rules   rules.json                         # what clients with identities may do: `users=4` in two lines above
        # mix 2   transfer /accounts/(a|b)/balance (1..20) in-transaction   # without the last word it loses money
        seeds     1..20                              # each seed draws other requests, delays and losses
        at 1s     partition n1 | n2 n3               # n1 goes on alone
        at 2s     crash n2                           # the power goes: what is not synced is lost
        at 2s     c1 set /rooms/a/title "hello"      # a request of your own
        at 3s     restart n2
        at 4s     heal
        at 5500ms n3 reads /rooms/a/title expect "hello"   # what a node has to show then
        until     6s                                 # clients stop, faults end, every node runs

        check     acknowledged-writes-survive, acknowledged-pushes, increments-add-up
        check     replicas-equal, listeners-converge, stays-live   # `hearth sim checks` names all
        check     count /jobs <= 5                   # claims of your own hold at every node after every turn
        check     every /jobs/$job/state : data.val() == 'open' || data.val() == 'done'

        """
}
