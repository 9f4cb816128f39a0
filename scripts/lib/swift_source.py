"""Finds the bodies of functions in Swift source, which is all that weaving needs to know of Swift."""

import re
from typing import NamedTuple

DECLARATION = re.compile(
    r"(?<![.\w`])(func|init|deinit|subscript|var|let|case|struct|class|enum|extension|protocol"
    r"|actor)\b(?!\s+func)")
ACCESSOR = re.compile(
    r"\s*(?:@\w+\s+)*(?:mutating\s+|nonmutating\s+)?(get|set|willSet|didSet|_read|_modify)"
    r"\s*(?:\(\w+\)\s*)?(?:throws(?:\(\w+\))?\s*)?(?=\{)")
TYPES = {"struct", "class", "enum", "extension", "actor"}


class Body(NamedTuple):
    """The body of a function or accessor, or the expression of a stored property."""

    start: int
    end: int
    text: str
    has_result: bool
    is_expression: bool = False


def blanked(source):
    """The source, as long as before, with spaces for comments and zeros for strings."""
    result = list(source)
    at = 0
    while at < len(source):
        end = literal_end(source, at)
        filler = " " if source[at] == "/" else "0"
        for index in range(at, end):
            if source[index] != "\n":
                result[index] = filler
        at = max(end, at + 1)
    return "".join(result)


def literal_end(source, at):
    """Where the comment or string that begins here ends; `at` itself if none begins."""
    if source.startswith("//", at):
        end = source.find("\n", at)
        return len(source) if end < 0 else end
    if source.startswith("/*", at):
        return comment_end(source, at + 2)
    if match := re.compile(r'(#*)("""|")').match(source, at):
        return string_end(source, match.end(), match[1], match[2])
    return at


def comment_end(source, at):
    depth = 1
    while depth:
        match = re.compile(r"/\*|\*/").search(source, at)
        depth += 1 if match[0] == "/*" else -1
        at = match.end()
    return at


def string_end(source, at, hashes, quotes):
    while not source.startswith(quotes + hashes, at):
        if source.startswith("\\" + hashes + "(", at):
            at = interpolation_end(source, at + len(hashes) + 2)
        elif source.startswith("\\" + hashes, at):
            at += len(hashes) + 2
        else:
            at += 1
    return at + len(quotes) + len(hashes)


def interpolation_end(source, at):
    depth = 1
    while depth:
        end = literal_end(source, at)
        if end == at:
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            end += 1
        at = end
    return at


def closing(code, at):
    """Where the bracket that opens here is closed, in blanked code."""
    depth = 0
    while True:
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
        at += 1


def bodies(source):
    """All bodies of a file, in order."""
    found = []
    code = blanked(source)
    in_types(source, code, 0, len(code), found)
    return found


def in_types(source, code, at, end, found):
    """Collects the bodies of what is declared between two places of a file or of a type."""
    while match := DECLARATION.search(code, at, end):
        kind = match[1]
        if kind in ("var", "let"):
            at = in_property(source, code, match.end(), end, found)
            continue
        if kind == "case":
            at = match.end()
            continue
        at = opening_brace(code, match.end(), end)
        if at is None:
            return
        close = closing(code, at)
        if kind in TYPES:
            in_types(source, code, at + 1, close, found)
        elif kind != "protocol":
            in_function(source, code, at, close, returns(kind, code[match.end():at]), found)
        at = close + 1


def opening_brace(code, at, end):
    """The brace of a declaration's body, behind its parameters."""
    while at < end:
        if code[at] == "{":
            return at
        at = closing(code, at) + 1 if code[at] in "([" else at + 1
    return None


def returns(kind, header):
    if kind == "subscript":
        return True
    if kind != "func":
        return False
    flat = re.sub(r"\s+", " ", without_brackets(header))
    return "->" in flat and not re.search(r"-> ?(Void|Never)\b", flat)


def without_brackets(code):
    while (flat := re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", code)) != code:
        code = flat
    return code


def in_function(source, code, open_brace, close, has_result, found):
    if not ACCESSOR.match(code, open_brace + 1):
        found.append(body(source, open_brace + 1, close, has_result))
        return
    at = open_brace + 1
    while match := ACCESSOR.match(code, at):
        brace = opening_brace(code, match.end(), close)
        end = closing(code, brace)
        found.append(body(source, brace + 1, end, match[1] == "get"))
        at = end + 1


def body(source, start, end, has_result):
    return Body(start, end, source[start:end], has_result)


def in_property(source, code, at, end, found):
    """Collects the expression or the accessors of a property; returns where it ends."""
    start = None
    while at < end:
        if code[at] == "=" and code[at - 1] in " \n" and start is None:
            start = at + 1
        elif code[at] == "{" and start is None:
            close = closing(code, at)
            in_function(source, code, at, close, True, found)
            return close + 1
        elif code[at] in "([{":
            at = closing(code, at)
        elif code[at] == "\n" and ends_statement(code, start or 0, at, end):
            break
        at += 1
    if start is not None:
        found.append(Body(start, at, source[start:at], False, is_expression=True))
    return at


def ends_statement(code, start, at, end):
    before = code[start:at].rstrip()
    after = code[at:end].lstrip()
    if not before or before[-1] in "=+-*/|&<?:,(.":
        return False
    return not re.match(r"[.?:{]|[-+*/|&<>=]+\s|where\b", after)
