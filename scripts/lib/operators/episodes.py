"""Scripted episodes: each takes a new cluster and an operator, and returns its problems."""

import time

from operators.check import Check, value_at
from operators.procedures import Operator


def restored_beside_an_eviction(cluster, operator, lose=None):
    """A node is restored while an evicted node returns and the third node is cut off."""
    for i in range(5):
        cluster.set("n1", f"x/{i}"), cluster.set("n2", f"y/{i}"), cluster.increment("n1", path="n")
    time.sleep(1)
    cluster.mark("n1")
    copy = operator.backup("n1")
    cluster.cut(["n3"], ["n1", "n2"])
    for i in range(5):
        cluster.set("n3", f"x/{i}"), cluster.set("n3", f"y/{i}"), cluster.increment("n3", path="n")
    operator.kill("n3")
    for i in range(5):
        cluster.set("n2", f"x/{i}"), cluster.write("delete", "n2", f"y/{i}"), cluster.increment("n2", path="n")
    time.sleep(4)
    operator.evict("n3")
    time.sleep(12)  # The writes become stable without n3.
    operator.stop("n1")
    operator.empty("n1") if lose else operator.restore("n1", copy)
    cluster.cut(["n2"], ["n1", "n3"])
    operator.start("n3", 1), operator.start("n1")
    time.sleep(8)
    operator.heal()
    return Check(cluster).judge()


def emptied_beside_an_eviction(cluster, operator):
    """A node starts with an empty folder while an evicted node returns and the third node is cut off."""
    return restored_beside_an_eviction(cluster, operator, "empty")


def transactions_after_a_restore(cluster, operator, lose=Operator.restore, take=None):
    """A node is restored to a time before transactions that only it and a killed node have."""
    def transact(name, count):
        done = [cluster.wait(12, lambda: (write := cluster.transact(name)) and write.outcome != "refused")
                for _ in range(count)]
        cluster.say(f"{sum(map(bool, done))} of {count} transactions at {name}")
    transact("n1", 5)
    if take:
        operator.stop("n1")
    copy = (take or Operator.backup)(operator, "n1")
    operator.start("n1")
    cluster.cut(["n3"], ["n1", "n2"])
    time.sleep(8)  # The connections end; otherwise the machine of n1 would send what its process has sent.
    transact("n2", 5)
    operator.kill("n2"), operator.stop("n1")
    lose(operator, "n1", copy)
    cluster.cut(["n2"], ["n1", "n3"])  # Also of what the machine of n2 would still send.
    operator.start("n1")
    transact("n3", 3)
    operator.start("n2")
    operator.heal()
    return Check(cluster).judge()


def transactions_after_an_old_folder(cluster, operator):
    """An old folder of a node is put back, of a time before transactions that only it and a killed node have."""
    return transactions_after_a_restore(cluster, operator, Operator.put_back, Operator.copy_folder)


def restored_with_a_slow_clock(cluster, operator):
    """A restored node starts cut off, with a clock that is behind."""
    for i in range(5):
        cluster.set("n2", f"x/{i}"), cluster.set("n2", f"y/{i}")
    time.sleep(1)
    cluster.mark("n1")
    copy = operator.backup("n1")
    time.sleep(3)
    for i in range(5):
        cluster.set("n2", f"x/{i}"), cluster.write("delete", "n2", f"y/{i}"), cluster.increment("n2", path="n")
    time.sleep(12)
    operator.stop("n1"), operator.restore("n1", copy), operator.step_clock("n1", -60)
    cluster.cut(["n1"], ["n2", "n3"])
    operator.start("n1")
    for i in range(5):
        cluster.set("n1", f"x/{i}"), cluster.set("n1", f"y/{i}"), cluster.increment("n1", path="n")
    operator.heal()
    return Check(cluster).judge()


def client_made_beside_a_move(cluster, operator, move=True):
    """Clients create a database at cut-off nodes, while others create and move that name."""
    operator.create("first", ["n1", "n2"])
    time.sleep(3)
    cluster.cut(["n1", "n2"], ["n3", "n4", "n5"])
    time.sleep(4)
    for i in range(20):
        cluster.set("n1", f"mine/{i}", "chat")
    operator.create("chat", ["n3", "n4"], at="n3")
    cluster.databases = ["default", "first", "chat"]
    if move:
        operator.move("chat", ["n3"], at="n3")
    theirs = [cluster.set("n3", f"theirs/{i}", "chat") for i in range(3)]
    operator.heal()
    problems = Check(cluster).judge(25)
    if not move:
        operator.move("chat", ["n1", "n3", "n4"], 30)
        time.sleep(3)
        data = cluster.nodes["n3"].request("GET", cluster.name, database="chat")[2] or {}
        if isinstance(data, dict) and "mine" in data and "theirs" in data:
            problems.append(f"MERGED: chat shows the data of two databases after a move: {len(data['mine'])} records "
                            f"of clients at n1 beside {len(theirs)}")
    return problems


def client_made_files_stay_aside(cluster, operator):
    """A database that clients created aside of another one of that name does not merge with it in a later move."""
    return client_made_beside_a_move(cluster, operator, move=False)


def old_folder_serves_a_moved_database(cluster, operator):
    """An old folder has a database that has moved away, and clients write to it while the node is cut off."""
    operator.create("chat", ["n1", "n2"])
    cluster.set("n1", "a", "chat")
    cluster.mark("n1")
    operator.stop("n1")
    folder = operator.copy_folder("n1")
    operator.start("n1")
    operator.move("chat", ["n2", "n3"], 30)
    operator.kill("n1"), operator.put_back("n1", folder)
    cluster.cut(["n1"], ["n2", "n3"])
    operator.start("n1", 3)
    writes = [cluster.set("n1", f"mine/{i}", "chat") for i in range(40)]
    cluster.say(f"{sum(write.outcome == 'acknowledged' for write in writes)} of 40 writes acknowledged at n1")
    operator.heal()
    return Check(cluster).judge(25)


def old_folder_decides_a_placement_twice(cluster, operator):
    """An old folder has forgotten a placement, and its node takes part in another decision about the same."""
    operator.create("chat", ["n1"])
    cluster.set("n1", "a", "chat")
    time.sleep(2)
    operator.stop("n1")
    folder = operator.copy_folder("n1")
    operator.start("n1")
    cluster.cut(["n3"], ["n1", "n2"])
    if operator.move("chat", ["n2"], 30, at="n1") != 0:
        operator.move("chat", ["n2"], 30, at="n1")
    for i in range(10):
        cluster.set("n2", f"n2/{i}", "chat")
    cluster.cut(["n1"], ["n2"], ["n3"])
    operator.stop("n1"), operator.put_back("n1", folder)
    cluster.cut(["n2"], ["n1", "n3"])
    operator.start("n1", 3)
    for i in range(10):
        cluster.set("n1", f"n1/{i}", "chat")
    operator.move("chat", ["n3"], 20, at="n3")
    for i in range(10):
        cluster.set("n3", f"n3/{i}", "chat")
    operator.heal()
    problems = Check(cluster).judge(25)
    for name in cluster.members:
        operator.stop(name)
        operator.start(name, 1)
    return problems + [f"after a restart: {problem}" for problem in Check(cluster).judge(25)]


def dead_holder(cluster, operator):
    """A node dies for good; a database that it held is moved to others, after its eviction or its removal."""
    operator.create("chat", ["n1", "n2"])
    for i in range(5):
        cluster.set("n2", f"x/{i}", "chat")
    time.sleep(2)
    operator.kill("n1"), operator.empty("n1")
    cluster.members = ["n2", "n3", "n4"]
    time.sleep(3)
    operator.evict("n1")
    problems = []
    # An eviction from one of two holders is none of the database; a move to the other one leaves the dead node behind.
    if operator.move("chat", ["n2"], 15) != 0 or operator.move("chat", ["n2", "n3"], 15) != 0:
        problems.append("STUCK: no move of chat ends after the eviction of a dead holder")
        operator.command("cancel", "database", "move", "chat", "--cancel")
    operator.relist(["n2", "n3", "n4"], "removal of n1")
    cluster.wait(20, lambda: all(map(cluster.serves, cluster.members)))
    if operator.move("chat", ["n2", "n4"], 15) != 0 and operator.move("chat", ["n2", "n4"], 15) != 0:
        problems.append("STUCK: no move of chat ends after the removal of a dead holder from the list")
    return problems + Check(cluster).judge(25)


def outdated_configuration(cluster, operator):
    """A move with a list that lacks a node, which has writes that no other node has."""
    operator.create("first", ["n1", "n2"])  # So that the cluster has a catalog.
    operator.create("chat")
    cluster.set("n1", "a", "chat")
    time.sleep(2)
    cluster.cut(["n3"], ["n1", "n2"])
    for i in range(20):
        cluster.set("n3", f"mine/{i}", "chat")
    cluster.configure(["n1", "n2"], cluster.folder / "outdated.json5")
    operator.move("chat", ["n1"], 15, config=cluster.folder / "outdated.json5")
    operator.heal()
    return Check(cluster).judge(25)


def whole_cluster_returns(cluster, operator):
    """All nodes return to the time of a copy of one node, by the steps of the page."""
    operator.create("chat", ["n2", "n3"]), operator.create("all")
    old = [cluster.set(name, "x", database)
           for name, database in (("n1", "default"), ("n2", "chat"), ("n1", "all"))]
    time.sleep(2)
    copies = {name: operator.backup(name) for name in cluster.members}
    for write in old:
        cluster.set(write.node, write.path, write.database)
    time.sleep(1)
    for name in cluster.members:
        operator.stop(name)
    if cluster.has_whole_backups:
        for name in cluster.members:
            others = [word for other in cluster.members if other != name for word in ("--with", copies[other]["all"])]
            operator.command("return of a node", "restore", copies[name]["all"], name, "--whole-cluster", *others)
    else:
        operator.restore("n1", {"default": copies["n1"]["default"]})
        operator.empty("n2"), operator.empty("n3")
    for name in cluster.members:
        cluster.nodes[name].start()
    cluster.wait(30, lambda: all(map(cluster.serves, cluster.members)))
    time.sleep(5)
    wrong = []
    for write in old:
        trees = [cluster.tree(name, write.database) for name in cluster.members]
        value = next((value_at(tree, f"{cluster.name}/x") for tree in trees if isinstance(tree, dict)), trees)
        cluster.say(f"{write.database} shows {value!r}, and at the time of the copy {write.value!r}")
        if value != write.value:
            wrong.append(f"NOT RETURNED: {write.database} shows {value!r} instead of {write.value!r}")
    return wrong


SCRIPTED = {
    function.__name__.replace("_", "-"): (function, nodes, unknown) for function, nodes, unknown in [
        (restored_beside_an_eviction, 3, "refuse"), (emptied_beside_an_eviction, 3, "refuse"),
        (transactions_after_a_restore, 3, "refuse"), (transactions_after_an_old_folder, 3, "refuse"),
        (restored_with_a_slow_clock, 3, "refuse"), (client_made_beside_a_move, 5, "create"),
        (client_made_files_stay_aside, 5, "create"), (old_folder_serves_a_moved_database, 3, "refuse"),
        (old_folder_decides_a_placement_twice, 3, "refuse"), (dead_holder, 4, "refuse"),
        (outdated_configuration, 3, "refuse"), (whole_cluster_returns, 3, "refuse")]}
