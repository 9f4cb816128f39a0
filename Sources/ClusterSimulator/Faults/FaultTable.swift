/// All kinds of faults.
enum FaultTable {
    static let all: [any Fault.Type] =
        [
            Crash.self, Kill.self, Restart.self, Stop.self, Pause.self, Resume.self, Sleep.self,
            Wake.self, SlowProcessor.self, FileHandles.self,
        ] + [
            BackUp.self, CopyDatabase.self, Restore.self, OldFolder.self, Wipe.self, Rot.self,
            LoseRows.self,
            DiskFault.self, Interrupt.self,
            ClockFault.self,
        ] + [
            Partition.self, Isolate.self, Ring.self, Heal.self, Clog.self, Unclog.self,
            Flap.self, Disconnect.self, Degrade.self, HalfOpen.self, Lose.self,
        ] + [
            Evict.self, Abandon.self, MemberList.self, Duplicate.self, Vanish.self, Suspend.self,
            SetRules.self,
        ]

    /// The names that the line `faults` of a scenario can have.
    static let drawn: [DrawnFault] = all.flatMap { $0.drawn }

    /// Reads the rest of a line, after the name of a fault.
    static func read(
        _ word: ScenarioWord, _ line: inout ScenarioLine, of scenario: Scenario
    ) throws(ScenarioError) -> any Fault {
        guard let kind = all.first(where: { $0.name == word.text }) else {
            throw .unknown(word, known: all.map { $0.name })
        }
        return try kind.init(&line, of: scenario)
    }
}
