"""Uses the report of a failed run as people do. Arguments: the file, and a folder for pictures."""

import json
import sys
import tempfile
import time

from browser import Browser, Failure

file = sys.argv[1]
pictures = sys.argv[2] if len(sys.argv) > 2 else None


def expect(condition, what):
    if not condition:
        raise Failure(what)


def text(browser, selector):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")


def opens(browser):
    start = time.monotonic()
    browser.open(f"file://{file}")
    browser.wait("document.querySelector('.moment output')?.textContent", 5, "the report")
    print(f"open after {time.monotonic() - start:.2f} s", file=sys.stderr)
    expect("expectations-hold fails" in text(browser, ".finding-card"), "the first sentence names no check")
    expect("wrong.scenario:5" in text(browser, ".finding-card"), "the line of the scenario is not named")
    expect("--seed 1" in text(browser, ".command"), "the command is missing")
    expect("check" in text(browser, ".scenario .failed") or "reads" in text(browser, ".scenario .failed"), "no line of the scenario is marked")


def keys(browser):
    browser.press("End")
    end = text(browser, ".moment output")
    browser.press("n")
    expect(text(browser, ".moment output") != end, "N leads to no finding")
    found = text(browser, ".event-details h3")
    browser.press("ArrowLeft")
    browser.wait(f"document.querySelector('.event-details h3').textContent !== {json.dumps(found)}", what="the event before")
    browser.press("c")
    expect(browser.evaluate("[...document.querySelectorAll('[aria-pressed=true]')].some((e) => e.textContent === 'Causes and effects')"), "C shows no causes")
    browser.press("c")
    browser.press("f")


def partition_shows(browser):
    lost = browser.evaluate("document.querySelector('.scenario button').click(), document.querySelector('.event-details').innerText")
    expect("partition n1 | n2 n3" in lost, "the line of the fault leads nowhere")
    browser.evaluate("document.querySelectorAll('.scenario button')[1].click()")
    browser.click_text("Later")
    rows = browser.wait("document.querySelectorAll('.trees tr.differs').length", 3, "nodes that differ in the partition")
    expect(rows >= 1, "no location differs")
    expect("/a" in text(browser, ".trees"), "the location that differs is not named")
    browser.click(".trees tr.differs button")
    browser.wait("document.querySelector('.stack.tight .table-box tbody tr')", what="the operations of a location")
    expect("shows" in text(browser, ".stack.tight .table-box"), "no operation decides")


def filters(browser):
    browser.evaluate("(() => { const field = document.querySelector('[aria-label=\"Filter events\"]'); field.value = 'batch'; field.dispatchEvent(new Event('input')); })()")
    rows = browser.evaluate("[...document.querySelectorAll('.event-table tbody tr:not([aria-current])')].every((row) => row.textContent.includes('batch'))")
    expect(rows, "the table has events that the filter hides")


def labels(browser):
    """The texts of faults that are close together, as the diagram writes them: each with its row and span, and the lines down."""
    drawn = browser.evaluate("""(() => {
        const [texts, lines] = [[], []];
        const { fillText, fillRect } = CanvasRenderingContext2D.prototype;
        Object.assign(CanvasRenderingContext2D.prototype, {
            fillText(text, x, y) { if (y < 40) texts.push([text, y, x, x + this.measureText(text).width]); fillText.call(this, text, x, y); },
            fillRect(x, y, width, height) { if (y < 30 && height < 40) lines.push([x, y, y + height]); fillRect.call(this, x, y, width, height); },
        });
        document.querySelector('space-time').draw();
        Object.assign(CanvasRenderingContext2D.prototype, { fillText, fillRect });
        return [texts, lines];
    })()""")
    texts, lines = drawn
    expect(len(texts) >= 4, f"of the faults only {[text for text, *_ in texts]} are named")
    for text, y, start, end in texts:
        others = [other for other, row, left, right in texts if other != text and row == y and left < end and start < right]
        expect(not others, f"{text} is written over {others}")
        crossing = [x for x, top, bottom in lines if start < x < end and top < y < bottom]
        expect(not crossing, f"{text} is crossed by the lines at {crossing}")


def dark(browser):
    """The diagram has its colours by itself, so it is drawn again in those of the other scheme."""
    browser.evaluate("document.querySelector('space-time').draw = () => { window.isDrawn = true; }")
    browser.set_dark(True)
    browser.wait("window.isDrawn", 2, "the diagram in dark colours")
    browser.set_dark(False)


def wrong_step(browser):
    """The page of a run whose course marks an event begins there, although a finding comes earlier."""
    page = open(file).read()
    start = page.index('class="record">') + len('class="record">')
    end = page.index("</script>", start)
    record = json.loads(page[start:end])
    first = record["findings"][0]["event"]
    record["findings"].append({"event": first + 1, "text": "a wrong step", "lanes": []})
    record["steps"] = [[first, "a step before", 0], [first + 1, "a wrong step", 1]]
    with tempfile.NamedTemporaryFile("w", suffix=".html") as other:
        other.write(page[:start] + json.dumps(record).replace("<", "\\u003c") + page[end:])
        other.flush()
        browser.open(f"file://{other.name}")
        browser.wait("document.querySelector('.moment output')?.textContent", 5, "the report")
        number = sum(record["events"]["number"][:first + 2])
        expect(f"event {number}" in text(browser, ".event-details h3"), "the page does not begin at the wrong step")
        tags = browser.evaluate("[...document.querySelectorAll('.finding-link')].filter((e) => e.querySelector('.tag')).map((e) => e.textContent)")
        expect(len(tags) == 1 and tags[0].endswith("a wrong stepfirst wrong step"), f"marked as the first are {tags}")


def compared(browser):
    expect(browser.evaluate("document.querySelectorAll('space-time').length") == 2, "there is no second run")
    expect("without its faults" in text(browser, ".other h3"), "the second run is another one")
    browser.evaluate("[...document.querySelectorAll('.other button')].find((e) => e.textContent.startsWith('First difference')).click()")
    expect("partition" in text(browser, ".event-details"), "the runs part elsewhere")


def roles(browser):
    tree = browser.send("Accessibility.getFullAXTree")["nodes"]
    unnamed = [node for node in tree if node.get("role", {}).get("value") in ("button", "slider", "textbox", "combobox")
               and not node.get("name", {}).get("value")]
    expect(not unnamed, f"{len(unnamed)} controls have no names")
    expect("lanes from" in browser.evaluate("document.querySelector('space-time').getAttribute('aria-label')"), "the diagram says nothing")


def widths(browser):
    for width in (400, 900, 1600):
        browser.resize(width, 900)
        browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        beyond = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
        expect(beyond <= 0, f"the report is {beyond} px too wide at {width} px")
        tall = browser.evaluate("[...document.querySelectorAll('.card > header h2')].filter((e) => e.clientHeight > 30).map((e) => e.textContent)")
        expect(not tall, f"the headings {tall} need several lines at {width} px")
        if pictures:
            for is_dark in (False, True):
                browser.set_dark(is_dark)
                browser.resize(width, min(4000, browser.evaluate("document.documentElement.scrollHeight")))
                browser.picture(f"{pictures}/report-{width}-{'dark' if is_dark else 'light'}.png")
            browser.set_dark(False)


cases = [opens, keys, partition_shows, filters, labels, compared, roles, widths, dark, wrong_step]

if __name__ == "__main__":
    with Browser() as browser:
        for case in cases:
            start = time.monotonic()
            try:
                case(browser)
            except Failure as failure:
                if pictures:
                    browser.picture(f"{pictures}/failed.png")
                sys.exit(f"{case.__name__}: {failure}\n" + "\n".join(browser.problems(set())))
            print(f"{case.__name__} {time.monotonic() - start:.1f} s", file=sys.stderr)
        problems = browser.problems(set())
        if problems:
            sys.exit("\n".join(problems))
    print("all well")
