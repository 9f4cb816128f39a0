"""Seeded bugs on disk: a few header lines, then a unified diff against the sources."""

import re
import zlib
from pathlib import Path


class PatchError(Exception):
    """A patch that cannot be read, or does not apply any more; names the patch."""


class SeededBug:
    """One patch: what it makes wrong, who finds it, and the sources that it changes."""

    def __init__(self, path):
        self.name = path.stem
        header, _, diff = path.read_text().partition("--- a/")
        fields = [line.split(": ", 1) for line in header.splitlines() if ": " in line]
        summaries = [text for key, text in fields if key == "Summary"]
        if len(summaries) != 1 or not diff:
            raise PatchError(f"{self.name}: needs one Summary line and a unified diff")
        self.summary = summaries[0]
        self.path = path
        self.found_by = [self._finder(text) for key, text in fields if key == "Found by"]
        self.files = dict(map(self._file, re.split(r"^--- a/", diff, flags=re.M)))

    def _finder(self, text):
        """Scenario, check, and the seed that showed it last, if that is known."""
        words = re.fullmatch(r"(\S+) (\S+)(?: (\d+))?", text.strip())
        if not words:
            raise PatchError(f"{self.name}: a Found by line names a scenario, a check, and a seed")
        return words[1], words[2], int(words[3]) if words[3] else None

    def remember(self, scenario, check, seed):
        """Writes into the patch which seed showed it, to be tried first from then on."""
        line = rf"^Found by: {re.escape(scenario)} {re.escape(check)}(?: \d+)?$"
        text = re.sub(line, f"Found by: {scenario} {check} {seed}", self.path.read_text(), count=1, flags=re.M)
        self.path.write_text(text)

    @property
    def number(self):
        """How the copy knows it: the same however many there are, so that little is built anew."""
        return zlib.crc32(self.name.encode())

    def _file(self, diff):
        lines = diff.splitlines(keepends=True)
        name = lines[0].split("\t")[0].strip()
        if len(lines) < 3 or not lines[1].startswith("+++ b/"):
            raise PatchError(f"{self.name}: {name} has no hunks")
        return name, self._hunks(lines[2:])

    def _hunks(self, lines):
        hunks = []
        for line in lines:
            if match := re.match(r"@@ -(\d+)", line):
                hunks.append((int(match[1]), [], []))
            elif not hunks or line[0] not in " +-":
                raise PatchError(f"{self.name}: cannot read the line {line!r}")
            else:
                if line[0] in " -":
                    hunks[-1][1].append(line[1:])
                if line[0] in " +":
                    hunks[-1][2].append(line[1:])
        return hunks

    def applied(self, name, text):
        """The text of a source file with the bug; lines may have moved, not changed."""
        lines = text.splitlines(keepends=True)
        shift = 0
        for start, old, new in self.files[name]:
            at = nearest(lines, old, start - 1 + shift)
            if at is None:
                raise PatchError(
                    f"{self.name} does not apply any more: {name} has no lines\n{''.join(old)}")
            lines[at:at + len(old)] = new
            shift = at + len(new) - len(old) - start + 1
        return "".join(lines)


def nearest(lines, old, expected):
    """Where the lines `old` stand, nearest to where they are expected; None if nowhere."""
    places = range(len(lines) - len(old) + 1)
    matches = [at for at in places if lines[at:at + len(old)] == old]
    return min(matches, key=lambda at: abs(at - expected), default=None)


def read_all(folder, only=None):
    """The bugs of a folder in the order of their names, or one of them."""
    bugs = [SeededBug(path) for path in sorted(Path(folder).glob("*.patch"))]
    if only is None:
        return bugs
    if only not in [bug.name for bug in bugs]:
        raise PatchError(f"there is no seeded bug {only}; --list names all")
    return [bug for bug in bugs if bug.name == only]
