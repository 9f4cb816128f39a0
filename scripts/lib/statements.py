"""Mutants that lack a statement: an assignment, or a call whose result nobody uses."""

import re

from swift_source import closing, ends_statement

STATEMENT = re.compile(
    r"(?:try[?!]? )?(?:_ = )?(?!(?:return|throw|let|var|guard|if|for|while|switch|case|default|defer|do|else|repeat"
    r"|break|continue|func|import|in|self\.init|super\.init|init)\b)[A-Za-z_$(]")
ASSIGNMENT = re.compile(r"^[\w.$!?]+(?:\[[^\n=]*\])?[\w.!?]* ([-+*/|&]?|&[-+*]|<<|>>)= ")
TUPLE = re.compile(r"^\([\w., ]+\) = ")
CALL = re.compile(r"^(?:try[?!]? )?(?:_ = )?[\w.$!?\[\]]+\(")
CHANGE = re.compile(r"(?:insert|append|remove\w*|formUnion|subtract|merge|updateValue|popFirst|popLast)$")


def statement_edits(code, start, end):
    """Statements of lines of their own, as (rule, start, end, text)."""
    at = code.find("\n", start, end)
    while at >= 0:
        following = code.find("\n", at + 1, end)
        first = at + 1 + len(code[at + 1:end]) - len(code[at + 1:end].lstrip(" "))
        if first < end and begins_statement(code, start, at, first):
            last = statement_end(code, first, end)
            rule = rule_of(code[first:last])
            if rule:
                yield rule, first, last, ""
        at = following


def begins_statement(code, start, at, first):
    """Whether no statement of the lines before goes on here."""
    before = code[start:at].rstrip()
    if before and before[-1] in "=+-*/|&<?:,([.":
        return False
    if code[max(start, at - 8):at].rstrip().endswith((" in", "{")):
        return bool(STATEMENT.match(code, first))
    return bool(STATEMENT.match(code, first)) and not re.match(r"[.?:]", code[first:first + 1])


def statement_end(code, first, end):
    at = first
    while at < end:
        if code[at] in "([{":
            at = closing(code, at)
        elif code[at] in ")]}" or code[at] == "\n" and ends_statement(code, first, at, end):
            break
        at += 1
    return first + len(code[first:at].rstrip())


def inline_statements(code, start, end):
    """Statements that are alone in a block on one line, as in `if isLate { count += 1 }`."""
    for match in re.compile(r"\{ (?=[A-Za-z_])").finditer(code, start, end):
        last = closing(code, match.start())
        text = code[match.end():last]
        if "\n" not in text and "{" not in text and ";" not in text and STATEMENT.match(text):
            rule = rule_of(text.rstrip())
            if rule:
                yield rule, match.end(), match.end() + len(text.rstrip()), ""


def rule_of(text):
    """The rule that removes a statement; None if it is no call and no assignment."""
    if match := ASSIGNMENT.match(text):
        return "compound assignment removed" if match[1] else "assignment removed"
    if TUPLE.match(text):
        return "assignment removed"
    match = CALL.match(text)
    if not match or closing_call(text, match.end() - 1) != len(text):
        return None
    called = match[0][:-1].split(".")[-1]
    return "change of a collection removed" if CHANGE.match(called) else "call removed"


def closing_call(text, at):
    """Where a chain of calls ends that begins with the bracket at `at`, trailing closures included."""
    while at < len(text):
        if text[at] in "([{":
            at = closing(text, at) + 1
        elif match := re.compile(r"\s*\??(\.\w+)*\s*(?=[({\[])|\.\w+").match(text, at):
            if match.end() == at:
                return at
            at = match.end()
        else:
            return at
    return at
