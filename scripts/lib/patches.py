"""Seeded bugs on disk: header lines, then changes of the sources that are found by their text.

    Summary: A node accepts stamps of clients that are older than its closed timestamp.
    Found by: increments-count-once stable-is-final 2

    --- Sources/ReplicaCore/Replication/Admission.swift
    @@ func admits
    -        if stamp.time <= closedTimestamp.time {
    +        if stamp.time <= clock.last {

Whole lines are replaced: those with `-` and with a space are found, those with `+` and with a space take their place. The
comparison ignores indentation and line breaks. Without `@@` lines, the found text must occur once in its file. A line
`@@ TEXT` begins another change, which is the first one at or behind the only line that contains TEXT. A unified diff has
this form, too: its line numbers are ignored.
"""

import difflib
import re
import zlib
from pathlib import Path
from typing import NamedTuple


class PatchError(Exception):
    """A bug that cannot be read, or does not apply any more; names the bug."""


class Change(NamedTuple):
    """Lines of a source file, the lines that replace them, and a text at or before them that occurs once."""

    anchor: str
    old: list
    new: list


class SeededBug:
    """One file: what it makes wrong, who finds it, and the sources that it changes."""

    def __init__(self, path):
        self.name = path.stem
        self.path = path
        header, _, changes = path.read_text().partition("\n--- ")
        fields = [line.split(": ", 1) for line in header.splitlines() if ": " in line]
        summaries = [text for key, text in fields if key == "Summary"]
        if len(summaries) != 1 or not changes:
            raise PatchError(f"{self.name}: needs one Summary line, and a line `--- FILE` for each file that it changes")
        self.summary = summaries[0]
        self.found_by = [self._finder(text) for key, text in fields if key == "Found by"]
        self.files = dict(map(self._file, re.split(r"^--- ", changes, flags=re.M)))

    def _finder(self, text):
        """Scenario, check, and the seed that showed it last, if that is known."""
        words = re.fullmatch(r"(\S+) (\S+)(?: (\d+))?", text.strip())
        if not words:
            raise PatchError(f"{self.name}: a Found by line names a scenario, a check, and a seed")
        return words[1], words[2], int(words[3]) if words[3] else None

    def remember(self, scenario, check, seed):
        """Writes into the file which seed showed it, to be tried first from then on."""
        line = rf"^Found by: {re.escape(scenario)} {re.escape(check)}(?: \d+)?$"
        text = re.sub(line, f"Found by: {scenario} {check} {seed}", self.path.read_text(), count=1, flags=re.M)
        self.path.write_text(text)

    @property
    def module(self):
        """The module of the first file that it changes."""
        return next(iter(self.files)).split("/")[1]

    @property
    def number(self):
        """How the copy knows it: the same however many there are, so that little is built anew."""
        return zlib.crc32(self.name.encode())

    def _file(self, text):
        """The name of a changed file, and the changes."""
        first, *lines = text.splitlines(keepends=True)
        name = re.sub(r"^a/", "", first.split("\t")[0].strip())
        changes = []
        for line in lines:
            if match := re.fullmatch(r"@@(?: -\d.* @@.*)?(.*)\n", line):
                changes.append(Change(match[1].strip(), [], []))
                continue
            if re.match(r"\+\+\+ |diff --git |index |\n", line):
                continue
            if line[0] not in " +-":
                raise PatchError(f"{self.name}: cannot read the line {line!r}")
            if not changes:
                changes.append(Change("", [], []))
            if line[0] in " -":
                changes[-1].old.append(line[1:])
            if line[0] in " +":
                changes[-1].new.append(line[1:])
        if not changes or not all(change.old for change in changes):
            raise PatchError(f"{self.name}: each change of {name} needs lines to find, with `-` or a space")
        return name, changes

    def applied(self, name, text):
        """The text of a source file with the bug."""
        edits = []
        for change in self.files[name]:
            start, end = self._find(change, name, text)
            edits.append((start, end, indented(change, text[start:end])))
        for start, end, lines in sorted(edits, reverse=True):
            text = text[:start] + lines + text[end:]
        return text

    def diff(self, sources):
        """The bug as a unified diff of these sources, given by their names."""
        lines = []
        for name in self.files:
            before, after = sources[name], self.applied(name, sources[name])
            lines += difflib.unified_diff(
                before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}")
        return "".join(lines)

    def _find(self, change, name, text):
        """Where the lines begin and end that a change replaces."""
        first = 0
        if change.anchor:
            first = text.find(change.anchor)
            if text.count(change.anchor) != 1:
                raise PatchError(
                    f"{self.name} does not apply any more: {name} has {change.anchor!r} {text.count(change.anchor)} times")
            first = text.rfind("\n", 0, first) + 1
        places = [match.span() for match in pattern(change.old).finditer(text, first)]
        if not places:
            raise PatchError(f"{self.name} does not apply any more: {name} has no lines\n{''.join(change.old)}")
        if len(places) > 1 and not change.anchor:
            raise PatchError(
                f"{self.name} is ambiguous: {name} has these lines {len(places)} times; add a line `@@ TEXT` with the "
                f"text of a line before them\n{''.join(change.old)}")
        return places[0]


def pattern(lines):
    """The lines, whatever their indentation and their line breaks are."""
    words = r"\s+".join(re.escape(word) for line in lines for word in line.split())
    return re.compile(rf"^[ \t]*{words}[ \t]*\n", re.M)


def indented(change, found):
    """The new lines of a change, moved as far as the found ones have been."""
    def depth(line):
        return len(line) - len(line.lstrip(" "))
    shift = depth(found) - depth(change.old[0])
    return "".join(
        " " * max(0, depth(line) + shift) + line.lstrip(" ") for line in change.new)


def read_all(folder, only=None):
    """The bugs of a folder and of the folders in it, in the order of their names, or one of them."""
    bugs = sorted(map(SeededBug, Path(folder).rglob("*.bug")), key=lambda bug: bug.name)
    if only is None:
        return bugs
    if only not in [bug.name for bug in bugs]:
        raise PatchError(f"there is no seeded bug {only}; --list names all")
    return [bug for bug in bugs if bug.name == only]
