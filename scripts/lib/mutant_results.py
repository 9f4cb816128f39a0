"""A file of mutants with what is known of them, so that a long run can be cut short and goes on later."""

import json

import mutant_report


class Results:
    """The rows by the number of their mutant, one JSON object a line in the file, if there is one."""

    def __init__(self, path=None):
        self.path = path
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.rows = {row["number"]: row for row in map(json.loads, lines)}

    def row(self, mutant):
        """What is known of a mutant, with its place of today."""
        known = self.rows.get(mutant.number, {})
        self.rows[mutant.number] = {**known, **mutant_report.row(mutant)}
        return self.rows[mutant.number]

    def keep(self, mutants):
        """Writes the rows of these mutants, and forgets others: they are equivalent, refused, or not there any more."""
        self.rows = {mutant.number: self.row(mutant) for mutant in mutants}
        self.write()

    def add(self, row):
        self.rows[row["number"]] = row
        self.write()

    def write(self):
        if self.path:
            part = self.path.with_name(f"{self.path.name}.part")
            part.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows.values()))
            part.replace(self.path)
