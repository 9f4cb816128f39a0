"""Uses the console of a cluster of three nodes as people do. Arguments: the addresses of the nodes, and a folder for pictures."""

import json
import os
import signal
import sys
import time
import urllib.request

from browser import Browser, Failure

addresses = sys.argv[1:4]
pictures = sys.argv[4] if len(sys.argv) > 4 else None
hosts = {address.removeprefix("http://") for address in addresses}
first, second, third = addresses


def write(address, path, value, method="PUT"):
    # "owner" is the administrator of an emulator.
    request = urllib.request.Request(
        f"{address}{path}.json", json.dumps(value).encode(), method=method,
        headers={"Authorization": "Bearer owner"})
    urllib.request.urlopen(request, timeout=60).read()


def read(address, path):
    request = urllib.request.Request(
        f"{address}{path}.json", headers={"Authorization": "Bearer owner"})
    return json.load(urllib.request.urlopen(request, timeout=60))


def expect(condition, what):
    if not condition:
        raise Failure(what)


def row(key):
    """The element of the row with a key, as an expression."""
    return ("[...document.querySelectorAll('.tree-row:not([hidden])')]"
            f".find((row) => row.querySelector('.key').textContent === {json.dumps(key)})")


def value_of(key):
    return f"{row(key)}?.querySelector('.value').textContent"


def open_data(browser, path):
    browser.open(first + path)
    browser.wait("document.querySelector('.cover').hidden", what=f"the rows of {path}")
    browser.evaluate("document.querySelector('tree-view').focus()")


def choose(browser, key):
    browser.evaluate(f"{row(key)}.click()")
    browser.evaluate("document.querySelector('tree-view').focus()")


def live_rows(browser):
    write(first, "/rooms", {"attic": {"open": False, "seats": 3}, "lobby": {"title": "Lobby", "seats": 14}})
    open_data(browser, "/")
    browser.wait(row("rooms"))
    choose(browser, "rooms")
    browser.press("ArrowRight")
    browser.wait(row("lobby"), what="the children of an opened row")
    write(second, "/rooms/cellar", {"seats": 1})
    browser.wait(row("cellar"), 3, "a child that another node has accepted")
    expect(browser.evaluate(f"{row('cellar')}.getAnimations().length") == 1, "a new row is not highlighted")
    expect(browser.evaluate(f"{row('lobby')}.getAnimations().length") == 0, "an old row is highlighted")


def roles(browser):
    level = browser.evaluate(f"{row('lobby')}.getAttribute('aria-level')")
    expect(level == "2", f"the level of a child is {level}")
    tree = browser.send("Accessibility.getFullAXTree")["nodes"]
    items = [node for node in tree if node.get("role", {}).get("value") == "treeitem"]
    expect(len(items) >= 4, f"{len(items)} tree items")
    expect(any("lobby" in node.get("name", {}).get("value", "") for node in items), "tree items have no names")
    unnamed = [node for node in tree if node.get("role", {}).get("value") == "button"
               and not node.get("name", {}).get("value")]
    expect(not unnamed, f"{len(unnamed)} buttons have no names")


def edit(browser):
    open_data(browser, "/rooms/attic")
    browser.wait(row("seats"))
    choose(browser, "seats")
    browser.press("Enter")
    browser.wait("document.querySelector('.editor textarea')")
    browser.evaluate("document.querySelector('.editor textarea').select()")
    browser.type("{")
    expect(browser.evaluate("document.querySelector('.editor .button.main').disabled"), "half a value can be saved")
    browser.evaluate("document.querySelector('.editor textarea').select()")
    browser.type("7")
    browser.press("Enter")
    browser.wait(f"{value_of('seats')} === '7' && !document.querySelector('.editor')", what="the edited value")
    expect(read(second, "/rooms/attic/seats") in (3, 7), "another node has a third value")


def conflict(browser):
    choose(browser, "seats")
    browser.press("Enter")
    browser.wait("document.querySelector('.editor textarea')")
    write(second, "/rooms/attic/seats", 99)
    browser.wait(f"{value_of('seats')} === '99'")
    browser.evaluate("document.querySelector('.editor textarea').select()")
    browser.type("8")
    browser.press("Enter")
    browser.wait("document.querySelector('.editor .error code')?.textContent === '99'", what="the conflict")
    expect(read(first, "/rooms/attic/seats") == 99, "a stale edit was written")
    browser.click_text("Overwrite with mine")
    browser.wait(f"{value_of('seats')} === '8'")
    # The message names the path and the old value.
    browser.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.innerText.includes('Saved /rooms/attic/seats. It was 99 before.'))",
                 what="the message with the old value")


def remove_and_undo(browser):
    choose(browser, "open")
    browser.press("Delete")
    browser.wait(f"!({row('open')})", what="the removal")
    browser.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.innerText.includes('Removed /rooms/attic/open. It was false before.'))",
                 what="the message with the removed value")
    browser.wait("document.querySelector('.panel').innerText.includes('Nothing is here any more')", 3, "a panel without the removed value")
    expect(browser.evaluate("document.querySelector('.panel .danger').checkVisibility()") is False, "a removed value can be removed")
    browser.click_text("Undo")
    browser.wait(f"{value_of('open')} === 'false'", what="the undo")
    browser.wait("document.querySelector('.panel section').innerText.includes('boolean')", 3, "the value in the panel again")


def leaf(browser):
    browser.open(first + "/rooms/attic/seats")
    browser.wait("document.querySelector('.leaf .value')?.textContent === '8'", what="the value of a location without children")
    browser.click_text("Edit", ".leaf")
    browser.wait("document.activeElement.matches('.editor textarea')")
    browser.evaluate("document.activeElement.select()")
    browser.type("9")
    browser.press("Enter")
    browser.wait("document.querySelector('.leaf .value')?.textContent === '9'", what="the edited value")
    browser.click_text("Undo")
    browser.wait("document.querySelector('.leaf .value')?.textContent === '8'", what="the value before the edit")
    open_data(browser, "/rooms/attic")
    browser.wait(row("seats"))


def add(browser):
    browser.evaluate("document.querySelector('tree-view').focus()")
    choose(browser, "seats")
    browser.press("a")
    browser.wait("document.querySelector('dialog[open]')")
    browser.evaluate("document.querySelector('dialog [name=key]').focus()")
    browser.type("price")
    browser.evaluate("document.querySelector('dialog [name=value]').focus()")
    browser.type("9007199254740993")
    browser.click_text("Add", "dialog")
    browser.wait(f"{value_of('price')} === '9007199254740993'", what="an integer with all its digits")


def same_at_all_nodes(browser):
    choose(browser, "price")
    browser.wait("document.querySelector('.nodes-list')?.children.length === 3", what="the value at three nodes")
    browser.click_text("Explain")
    browser.wait("document.querySelector('.writes .won')", what="the write that decided")


def hostile(browser):
    keys = ["<img src=x onerror=alert(1)>", "<script>alert(1)", "right\u202eleft", "'\"&;", "e" + "\u0301" * 300]
    write(first, "/hostile", {key: key for key in keys} | {"long": "x" * 9_900_000})
    open_data(browser, "/hostile")
    browser.wait(row("long"))
    rows = browser.evaluate("document.querySelectorAll('.tree-row:not([hidden])').length")
    expect(rows == 6, f"{rows} rows of hostile keys")
    choose(browser, "right⟨202E⟩left")
    browser.wait("document.querySelector('.panel .text').textContent === '\"right⟨202E⟩left\"'", what="a value with a mark that turns text")
    choose(browser, "long")
    browser.wait("document.querySelector('.panel .text').textContent.length > 1000", what="the beginning of a long string")
    expect(browser.evaluate(row("right⟨202E⟩left") + "?.isConnected"), "a mark that turns text is not shown")
    expect(browser.evaluate("document.querySelectorAll('main img, main script').length") == 0, "a key became markup")
    browser.press("ArrowDown")
    for _ in range(5):
        browser.press("ArrowDown")
    size = browser.evaluate("document.querySelector('.panel').textContent.length")
    expect(size < 20_000, f"the panel has {size} characters")
    expect(not browser.dialogs(), "a script ran")


def hostile_path(browser):
    open_data(browser, "/hostile")
    write(first, "/hostile", {"<b>\u202e": {"<i>": 1}})
    browser.wait(row("<b>⟨202E⟩"))
    choose(browser, "<b>⟨202E⟩")
    browser.press("Enter")
    browser.wait("document.querySelector('.crumbs').innerText.includes('<b>⟨202E⟩')", what="the path with its invisible mark")
    expect("\u202e" not in browser.evaluate("document.title + document.querySelector('main').innerText"), "a mark turns the text of the page")
    expect(browser.evaluate("document.querySelectorAll('main b, main i').length") == 0, "a key became markup")
    write(first, "/hostile", None)


def long_list(browser):
    for start in range(0, 6_000, 2_000):
        write(first, "/list", {f"k{number:04}": {"n": number} for number in range(start, start + 2_000)}, "PATCH")
    open_data(browser, "/list")
    browser.wait(row("k0000"))
    browser.press("End")
    browser.wait(row("k5999"), what="the last of 6000 rows")
    browser.evaluate("document.querySelector('.find input').focus()")
    browser.type("k123")
    browser.press("Enter")
    browser.wait(f"{row('k1230')}?.classList.contains('is-chosen')", what="a row found by its key")
    elements = browser.evaluate("document.querySelectorAll('.tree-row').length")
    expect(elements < 120, f"{elements} elements for rows")
    browser.click_text("Ascending")
    browser.wait(f"{row('k5999')}?.getAttribute('aria-posinset') === '1'", what="the descending order")
    write(second, "/list/k1234/n", -1)
    browser.evaluate("document.querySelector('tree-view').dispatchEvent(new CustomEvent('order', { detail: { order: 'child:n' } }))")
    browser.wait(f"{row('k1234')}?.getAttribute('aria-posinset') === '1'", 20, "the order by a child of a long list")
    write(second, "/list/k5555/n", -2)
    browser.wait(f"{row('k5555')}?.getAttribute('aria-posinset') === '1'", what="the order after a change")
    browser.evaluate("document.querySelector('tree-view').focus()")
    browser.press("End")
    browser.wait(f"{row('k5999')}?.getAttribute('aria-posinset') === '6000'", what="the last row of another order")
    browser.evaluate("document.querySelector('.find input').select()")
    browser.type("k3210")
    browser.press("Enter")
    browser.wait("[...document.querySelectorAll('.toast button')].some((e) => e.textContent === 'Order by key')", what="the offer of the order of keys")
    browser.click_text("Order by key", ".toasts")
    browser.wait(f"{row('k3210')}?.classList.contains('is-chosen')", what="the key in the order of keys")


def table(browser):
    write(first, "/players", {"a": {"points": 20, "name": "Ada"}, "b": {"points": 30, "name": "Bob"}, "c": {"points": 10}})
    open_data(browser, "/players")
    browser.wait(row("a"))
    browser.click_text("Table")
    browser.wait("document.querySelectorAll('.table-head button').length === 3", what="two columns")
    browser.click_text("points")
    keys = "[...document.querySelectorAll('.tree-row:not([hidden]) .key')].map((key) => key.textContent).join('')"
    browser.wait(f"{keys} === 'cab'", what="the order by a child")
    write(second, "/players/c/points", 40)
    browser.wait(f"{keys} === 'abc'", what="the order after a change")
    browser.click_text("Table")
    browser.wait("document.querySelectorAll('.table-head').length === 0")


def connect_page(browser):
    browser.open(first + "/.connect")
    browser.wait("document.querySelector('.card')")
    browser.click_text("Run the test")
    browser.wait("document.querySelectorAll('.steps .dot.good').length === 4", what="the write-and-listen test")
    for tab in range(6):
        browser.evaluate(f"document.querySelectorAll('[role=tab]')[{tab}].click()")
        expect(browser.evaluate("document.querySelector('.code pre').textContent.includes(location.port)"), f"tab {tab} has no port")


def import_file(browser):
    write(first, "/imported", {"old": 1, "kept": 2})
    open_data(browser, "/imported")
    # A number that JavaScript would round, and a key that JavaScript would take for something else.
    file = {"old": 9, "new": {"a": 9007199254740993}, "__proto__": {"b": 9223372036854775807}}
    browser.evaluate(f"""(() => {{
        const input = document.querySelector('input[type=file]');
        const transfer = new DataTransfer();
        transfer.items.add(new File([{json.dumps(json.dumps(file))}], 'some.json'));
        input.files = transfer.files;
        input.dispatchEvent(new Event('change'));
    }})()""")
    plan = browser.wait("document.querySelector('dialog[open] .facts')?.innerText", what="the dry run")
    expect(all(word in plan for word in ("old", "new", "kept")), f"the dry run names not all children: {plan}")
    expect(read(first, "/imported") == {"old": 1, "kept": 2}, "the dry run wrote")
    browser.click_text("Import", "dialog")
    browser.wait(row("new"), what="the imported child")
    expect(read(first, "/imported") == {**file, "kept": 2}, f"the import made {read(first, '/imported')}")


def pieces(browser):
    cut = browser.evaluate("""(async () => {
        const { piecesOf, wrongKey } = await import('/.console/parts/import-file.js');
        const text = '{"a": 1, "b": {"x": "12345\\\\\\"}", "y": 9007199254740993}, "c" : [2, {"d": 3}] }';
        return [piecesOf('/r', text, 20), wrongKey({ a: { 'b.c': 1 } })?.key, wrongKey({ a: { '.priority': 1 } })];
    })()""")
    expect(cut == [[{"path": "/r", "text": '{"a":1,"b":null}'},
                    {"path": "/r/b", "text": '{"x":"12345\\"}","y":9007199254740993}'},
                    {"path": "/r", "text": '{"c":[2, {"d": 3}]}'}], "b.c", None], f"a file is cut into {cut}")


def events_page(browser):
    browser.open(first + "/.events")
    browser.wait("document.querySelector('.events')")
    # The page shows operations from the moment on at which the node has answered.
    for number in range(40):
        write(second, "/clock/<b>tick", number)
        if browser.evaluate("document.querySelectorAll('.events tbody tr').length"):
            break
        time.sleep(0.1)
    browser.wait("document.querySelector('.events tbody')?.innerText.includes('/clock/<b>tick')", 5, "an operation of another node")
    expect(browser.evaluate("document.querySelectorAll('.events b').length") == 0, "a key became markup")
    expect("n2" in browser.evaluate("document.querySelector('.events tbody tr').innerText"), "the node that accepted it is not named")
    browser.evaluate("(() => { const field = document.querySelector('[aria-label=Location]'); field.value = '/other'; field.dispatchEvent(new Event('change')); })()")
    browser.click_text("Clear")
    time.sleep(0.7)
    write(second, "/clock/other", 1)
    write(second, "/other/a", 1)
    browser.wait("document.querySelector('.events tbody')?.innerText.includes('/other/a')", 5, "an operation below the location")
    expect("/clock" not in browser.evaluate("document.querySelector('.events tbody').innerText"), "the filter lets others through")


def rules_page(browser):
    browser.open(first + "/.rules")
    browser.wait("document.querySelector('.messages')?.innerText", what="the rules")
    field = "document.querySelector('.source')"
    edit = f"(text) => {{ {field}.value = text; {field}.dispatchEvent(new Event('input')); }}"
    browser.evaluate(f"({edit})('{{\"rules\": {{\".read\": true,\\n \"a\": {{\".write\": \"foo\"}}}}}}')")
    browser.wait("document.querySelector('.messages').innerText.includes('2:')", 5, "the position of an error")
    publish = "[...document.querySelectorAll('button')].find((e) => e.textContent === 'Publish').disabled"
    expect(browser.evaluate(publish), "rules with an error can be published")
    browser.click_text("2:19", ".messages")
    expect(browser.evaluate(f"{field}.value.slice({field}.selectionStart).startsWith('foo')"), "the error leads elsewhere")
    browser.evaluate(f"({edit})('{{\"rules\": {{\".read\": true, \"a\": {{\".write\": \"auth.uid === \\'ada\\'\"}}}}}}')")
    browser.wait(f"!{publish}", 5, "rules without errors")
    browser.click_text("Publish", ".card header")
    browser.wait("document.querySelector('dialog[open]')")
    browser.click_text("Publish", "dialog")
    browser.wait("document.querySelector('.record .tag')", 5, "the published rules in the history")
    browser.evaluate("""(() => {
        const form = document.querySelector('.playground form');
        form.querySelector('select').value = 'write';
        const [path, user] = form.querySelectorAll('input');
        [path.value, user.value, form.querySelector('textarea').value] = ['/a', '{uid: "bob"}', '1'];
        form.querySelector('select').dispatchEvent(new Event('change'));
        form.requestSubmit();
    })()""")
    answer = browser.wait("document.querySelector('.verdict')?.innerText", 5, "a verdict")
    expect("denied" in answer and 'auth.uid is "bob"' in answer, f"the verdict is {answer}")
    browser.evaluate(f"({edit})('{{\"rules\": {{\".write\": true}}}}')")
    browser.wait(f"!{publish}", 5, "rules without errors")
    browser.evaluate("document.querySelector('.playground form').requestSubmit()")
    browser.wait("document.querySelector('.verdict').innerText.includes('allowed')", 5, "the verdict of rules that are not published")
    expect("not published" in browser.evaluate("document.querySelector('.verdict').innerText"), "the page does not say which rules it evaluates")
    browser.click_text("Count requests")
    browser.wait("document.querySelector('.gap')?.innerText.includes('never')", 5, "the parts that were never reached")


def widths(browser):
    for page in ("/", "/rooms/attic", "/nothing", "/.cluster", "/.events", "/.rules", "/.connect"):
        browser.open(first + page)
        browser.wait("document.querySelector('main').firstChild && !document.querySelector('.spinner')")
        for width in (400, 900, 1600):
            browser.resize(width, 900)
            browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            beyond = browser.evaluate("Math.max(document.documentElement.scrollWidth, document.querySelector('main > *').scrollWidth) - innerWidth")
            expect(beyond <= 0, f"{page} is {beyond} px too wide at {width} px")
            cut = browser.evaluate("[...document.querySelectorAll('table.nodes')].some((e) => e.scrollWidth > e.parentElement.clientWidth)")
            expect(width < 900 or not cut, f"columns of the nodes are out of sight at {width} px")
            if pictures:
                for is_dark in (False, True):
                    browser.set_dark(is_dark)
                    name = page.strip("/.").replace("/", "-") or "root"
                    browser.picture(f"{pictures}/{name}-{width}-{'dark' if is_dark else 'light'}.png")
                browser.set_dark(False)
    browser.resize(1200, 800)


def databases(browser):
    """Another database of the node is named, shown and written."""
    for name in ("orders", "spare"):
        write(first, f"/.settings/databases/{name}", None)
    end = time.monotonic() + 10
    while True:
        try:
            request = urllib.request.Request(
                f"{first}/box.json?ns=orders", b'{"lid": "green"}', method="PUT",
                headers={"Authorization": "Bearer owner"})
            urllib.request.urlopen(request, timeout=10).read()
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
    browser.open(first + "/?ns=spare")
    browser.wait("document.querySelectorAll('.place option').length === 3", what="the databases of the node")
    names = browser.evaluate("[...document.querySelectorAll('.place option')].map((option) => option.textContent)")
    expect(names == ["default", "orders", "spare (empty)"], f"the databases are shown as {names}")
    browser.click_text("Data is in orders")
    browser.wait(row("box"), what="the data of the other database")
    expect(browser.evaluate("location.search") == "?ns=orders", "the address does not name the database")
    browser.evaluate("[...document.querySelectorAll('.tabs a')].find((link) => link.textContent === 'Rules').click()")
    browser.wait("location.pathname === '/.rules'")
    expect(browser.evaluate("location.search") == "?ns=orders", "another page is one of another database")
    expect(read(first, "/box") is None, "the default database has the data, too")


def silent_node(browser):
    browser.open(third + "/.cluster")
    feed = "(await import('/.console/base/session.js')).feed"
    pid = browser.wait(f"(async () => {feed}.status.value?.process?.pid)()")
    browser.open(first + "/.cluster")
    browser.wait("document.querySelectorAll('tbody .dot.good').length === 3", 20, "three nodes that serve")
    os.kill(pid, signal.SIGSTOP)
    try:
        start = time.monotonic()
        browser.wait("document.querySelector('.matrix .bad') && [...document.querySelectorAll('tbody tr')].some((row) => row.textContent.includes('Silent'))",
                     12, "a node that is silent")
        print(f"silent after {time.monotonic() - start:.1f} s", file=sys.stderr)
        expect("is silent" in browser.evaluate("document.querySelector('.finding').textContent"), "no finding names it")
    finally:
        os.kill(pid, signal.SIGCONT)
    browser.wait("document.querySelectorAll('tbody .dot.good').length === 3", 20, "the node that is back")


def unreachable_nodes(browser):
    """A browser that reaches one node alone sees all of them, as that node knows them."""
    browser.open(first + "/")
    browser.wait("document.querySelector('.tabs a')")
    browser.evaluate("""(() => {
        const Socket = WebSocket;
        window.WebSocket = class extends Socket {
            constructor(address, protocol) { super(new URL(address).host === location.host ? address : `ws://${location.host}/none`, protocol); }
        };
    })()""")
    browser.evaluate("[...document.querySelectorAll('.tabs a')].find((link) => link.textContent === 'Cluster').click()")
    browser.wait("document.querySelector('.page-head p')?.textContent.includes('3 of 3 nodes serve')", 20, "three nodes that serve")
    browser.wait("document.querySelector('.finding')?.textContent.includes('Nothing is wrong')", 10, "a cluster without findings")
    browser.wait("document.querySelectorAll('.matrix td.good').length === 6", 10, "all contacts")


def stopped_node(browser):
    """A page at another node shows the state in the word of `hearth cluster status`."""
    browser.open(second + "/.cluster")
    browser.wait("[...document.querySelectorAll('tbody tr')].some((row) => row.textContent.includes('Stopped'))", 15, "a node that is stopped")
    browser.wait("document.querySelectorAll('tbody .dot.good').length === 2", 10, "the other nodes")
    expect("does not run" in browser.evaluate("document.querySelector('.finding').textContent"), "no finding names it")


def wrong_token(browser):
    browser.open(first + "/rooms")
    browser.wait(row("lobby"))
    browser.evaluate("(async () => (await import('/.console/base/session.js')).setToken('wrong'))()")
    browser.wait("!document.querySelector('.banner').hidden && document.querySelector('.banner').innerText.includes('does not accept the token')", what="the refusal of a token")
    browser.evaluate("(async () => (await import('/.console/base/session.js')).setToken(null))()")
    browser.wait("document.querySelector('.banner').hidden", what="the page without a token")
    browser.wait(row("lobby"))


def killed_node(browser):
    """The node of the page does not run after it."""
    write(first, "/rooms/attic", {"seats": 3})
    browser.open(first + "/.cluster")
    feed = "(await import('/.console/base/session.js')).feed"
    pid = browser.wait(f"(async () => {feed}.status.value?.process?.pid)()")
    browser.evaluate("document.querySelector('.tabs a').click()")
    browser.wait("document.querySelector('tree-view')")
    browser.evaluate("history.pushState(null, '', '/rooms/attic'); dispatchEvent(new PopStateEvent('popstate'))")
    browser.wait(row("seats"))
    choose(browser, "seats")
    browser.press("Enter")
    browser.wait("document.querySelector('.editor textarea')")
    browser.evaluate("document.querySelector('.editor textarea').select()")
    browser.type("12")
    os.kill(pid, signal.SIGKILL)
    browser.wait("!document.querySelector('.banner').hidden", 3, "the loss of the connection")
    browser.wait(f"[...document.querySelectorAll('.banner a')].some((link) => link.href === {json.dumps(second + '/rooms/attic')})", 5, "a link to a live node")
    browser.press("Enter")
    browser.wait("document.querySelector('.editor .error').innerText.includes('cannot be reached')", what="the edit that no node has received")
    expect(browser.evaluate("document.querySelector('.editor textarea').value") == "12", "the text of the edit is lost")
    expect(browser.evaluate(value_of("seats")) == "3", "the page shows a value that no node has")
    expect(read(second, "/rooms/attic/seats") == 3, "another node has the value")
    browser.press("Escape")
    browser.evaluate("document.querySelector('tree-view').focus()")
    browser.press("a")
    browser.wait("document.querySelector('dialog[open]')")
    browser.evaluate("document.querySelector('dialog [name=value]').focus()")
    browser.type("13")
    browser.click_text("Add", "dialog")
    browser.wait("document.querySelector('dialog .error').innerText.includes('cannot be reached')", what="the child that no node has received")
    expect(browser.evaluate("document.querySelector('dialog [name=value]').value") == "13", "the text of the new child is lost")


cases = [live_rows, roles, edit, conflict, remove_and_undo, leaf, add, same_at_all_nodes, hostile, hostile_path, long_list, table, import_file,
         pieces, connect_page, events_page, rules_page, widths, databases, silent_node]

def run(case, browser):
    start = time.monotonic()
    try:
        case(browser)
    except Failure as failure:
        if pictures:
            browser.picture(f"{pictures}/failed.png")
        sys.exit(f"{case.__name__}: {failure}\n" + "\n".join(browser.problems(hosts)))
    print(f"{case.__name__} {time.monotonic() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    with Browser() as browser:
        for case in cases:
            run(case, browser)
        problems = browser.problems(hosts)
        if problems:
            sys.exit("\n".join(problems))
        # Requests that a node refuses, or that reach no node, are errors in the browser's log.
        for case in [wrong_token, unreachable_nodes, killed_node, stopped_node]:
            run(case, browser)
    print("all well")
