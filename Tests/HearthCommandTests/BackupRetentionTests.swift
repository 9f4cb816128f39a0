import Testing

@testable import HearthCommand

@Suite struct `The retention of backups` {
    @Test func `deletes the oldest dated copies of a name, and no other file`() {
        let files = [
            "daily-20261127-043000.sqlite", "daily-20261125-043000.sqlite", "daily.sqlite",
            "daily-20261126-043000.sqlite", "daily-20261120-043000.sqlite-wal", "..",
            "daily-2-20261101-043000.sqlite", "daily-monday.sqlite",
            "weekly-20261101-043000.sqlite",
            "daily-20261128-04300x.sqlite", "daily-20261127-043000-250.sqlite",
            "daily-20261127-043000-25.sqlite", "daily-20261128-043000-250.tar",
            "daily-20261128-043000-250.tar.part-7", "daily-20261128-043000.tar",
        ]
        func surplus(_ count: Int) -> [String] {
            BackupRetention(name: "daily", count: count).surplus(of: files)
        }
        #expect(surplus(5) == [] && surplus(9) == [])
        #expect(surplus(3) == ["daily-20261125-043000.sqlite", "daily-20261126-043000.sqlite"])
    }

    @Test func `names a copy by its time in UTC, so that names sort by time`() {
        #expect(BackupRetention.datedName("daily", at: .zero) == "daily-19700101-000000-000")
        #expect(
            BackupRetention.datedName("a", at: .milliseconds(1_800_000_000_007))
                == "a-20270115-080000-007")
    }
}
