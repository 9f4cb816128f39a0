#!/usr/bin/env python3
"""Executable model of the convergence rule in convergence.md.

SPEC   (class-free, `naive`): state = all received operations, sorted by stamp,
       executed one after the other on a plain JSON tree under Firebase's rules.
ALGO   (class Replica): per-location registers, one pass per arriving operation,
       never sorts, never re-executes, prunes as it goes, can compact up to a
       stable time, can be joined with another replica's state.

CHECK  after EVERY arrival (any order, with duplicates):
         visible state == naive(received so far)
         reported changes == diff(naive before, naive after)     (exact events)
         rendering the registers from nothing == the incremental state
       plus: compaction up to a stable time, state join, exhaustive small universes.

usage:  convergence_model.py exhaustive3 | exhaustive4 | random N SEED | gc N SEED |
        join N SEED | snapshot N SEED | deep N SEED |
        cost | cases | mutants | vectors N SEED
exit status 0 = every case agreed, 1 = a counterexample was printed (minimised).

`vectors` prints N random cases, one a line as JSON: the operations in their order of arrival, and
after each the leaves that `naive` shows. The Swift tree is tested against them.
"""
import copy, itertools, json, random, sys, time

NONE = -1          # "never": below every stamp
STABLE = 0         # stamp of a value whose own stamp was forgotten (stable)

# ---------------------------------------------------------------- operations
# an operation = (stamp, parts); parts = tuple of (path, tree), paths prefix-free
# tree = None | str | int | float | Inc | dict (non-empty after normalisation)
# A server timestamp is the constant `TS`: it becomes the stamp's own time.

class Inc:
    __slots__ = ("d",)
    def __init__(self, d): self.d = d
    def __repr__(self): return "Inc(%r)" % self.d

class _TS:
    def __repr__(self): return "TS"
TS = _TS()

def norm(t, stamp):
    """Drop nulls and empty objects, resolve server timestamps from the stamp."""
    if t is TS: return 1_000_000 + stamp
    if isinstance(t, dict):
        r = {}
        for k, v in t.items():
            n = norm(v, stamp)
            if n is not None: r[k] = n
        return r or None
    return t

def leaves(t, pre=()):
    if isinstance(t, dict):
        for k, v in t.items(): yield from leaves(v, pre + (k,))
    elif t is not None:
        yield pre, t

def isnum(v): return isinstance(v, (int, float))

# ---------------------------------------------------------------- the spec
def get(root, path):
    for k in path:
        if not isinstance(root, dict): return None
        root = root.get(k)
        if root is None: return None
    return root

def put(root, path, v):
    """Firebase's set of a resolved value: returns the new root."""
    if not path: return v
    if v is None:
        if not isinstance(root, dict): return root           # null below a primitive: nothing
        k = path[0]
        if k not in root: return root
        c = put(root[k], path[1:], None)
        if c is None: del root[k]
        else: root[k] = c
        return root or None                                  # last child gone: parent gone
    if not isinstance(root, dict): root = {}                 # a child replaces a primitive
    root[path[0]] = put(root.get(path[0]), path[1:], v)
    return root

def resolve(t, old):
    """Increments inside a written tree refer to the value at the same place before."""
    if isinstance(t, Inc): return old + t.d if isnum(old) else t.d
    if isinstance(t, dict):
        return {k: resolve(v, old.get(k) if isinstance(old, dict) else None) for k, v in t.items()}
    return t

def naive(ops):
    root = None
    for stamp, parts in sorted(ops, key=lambda o: o[0]):
        for path, t in parts:
            t = norm(t, stamp)
            root = put(root, path, resolve(t, get(root, path)))
    return dict(leaves(root))

# ---------------------------------------------------------------- the algorithm
class Node:
    __slots__ = ("ws", "wv", "pierce", "incs", "sc", "kill", "kids")
    def __init__(self):
        self.ws = NONE        # stamp of the latest full write or covering clear here
        self.wv = None        # its primitive, None when it is a clear or an object
        self.pierce = None    # [(stamp, relpaths)] covering writes that hold increments below
        self.incs = None      # {stamp: delta} increments here, newer than every reset
        self.sc = NONE        # latest increment ever here: clears what is strictly below
        self.kill = NONE      # latest non-null write strictly below: ends a primitive here
        self.kids = {}
    def empty(self):
        return (self.ws == NONE and not self.pierce and not self.incs and self.sc == NONE
                and self.kill == NONE and not self.kids)

def below(act, k, cov):
    """Coverage one step down: entries that pierce nothing under k cover all of it."""
    if not act: return act, cov
    out = []
    for s, paths in act:
        sub = frozenset(p[1:] for p in paths if p and p[0] == k)
        if sub: out.append((s, sub))
        elif s > cov: cov = s
    return out, cov

BUG = None     # name of a seeded bug (the `mutants` mode)

class Replica:
    def __init__(self):
        self.root = Node()
        self.vis = {}          # visible leaves: path -> primitive (always prefix-free)
        self.visits = 0        # nodes touched, for the cost measure

    # value of one location from its registers; anc = newest reset from above
    def value(self, n, anc):
        reset = anc if anc > n.kill else n.kill
        if n.pierce:
            m = max(s for s, _ in n.pierce)
            if m > reset: reset = m
        base = None
        if n.wv is not None and n.ws >= anc and n.ws > n.kill and n.ws >= reset: base = n.wv
        if n.ws > reset: reset = n.ws
        if n.incs:
            if BUG != "keep-dead-incs":
                for s in [s for s in n.incs if s <= reset]: del n.incs[s]
            acc = base if isnum(base) else None
            for s in (n.incs if BUG == "sum-in-arrival-order" else sorted(n.incs)):
                acc = n.incs[s] if acc is None else acc + n.incs[s]
            if n.incs: return acc
        return base

    def show(self, path, v, changes):
        old = self.vis.get(path)
        if v is None:
            if old is not None: del self.vis[path]
        else: self.vis[path] = v
        if path not in changes: changes[path] = old

    def apply(self, op):
        """One arriving operation, whatever came before. Returns {path: (old, new)}."""
        stamp, parts = op
        changes = {}
        for path, t in parts: self.write(stamp, path, norm(t, stamp), changes)
        return {p: (o, self.vis.get(p)) for p, o in changes.items()
                if (o, type(o)) != (self.vis.get(p), type(self.vis.get(p)))}

    def write(self, s, path, t, changes):
        n, cov, act, at = self.root, NONE, [], ()
        for k in path:
            self.visits += 1
            anc = max([cov] + [e for e, p in act if () not in p])
            if (t is not None or BUG == "null-write-kills") and s > n.kill:
                if not (BUG == "covered-write-does-not-kill" and s < self.cover_of(path)):
                    n.kill = s
                    self.show(at, self.value(n, anc), changes)
            # coverage handed to the child
            c = max(cov, n.ws, n.sc) if BUG != "no-strict-clear" else max(cov, n.ws)
            a = list(act)
            if n.pierce: a += n.pierce
            act, cov = below(a, k, c)
            if cov > s: return                       # everything from here down is covered
            if k not in n.kids: n.kids[k] = Node()
            n, at = n.kids[k], at + (k,)
        # the written location itself
        if BUG == "no-tombstone" and t is None and n.ws == NONE and not n.incs and not n.kids and not n.pierce: return
        if BUG == "first-come-on-equal-place" and n.ws != NONE and not isinstance(t, (dict, Inc)): n.ws = min(n.ws, s - 1)
        holes = frozenset(p for p, v in leaves(t) if isinstance(v, Inc)) if isinstance(t, dict) else None
        if isinstance(t, Inc):
            n.incs = n.incs or {}
            n.incs[s] = t.d
            if s > n.sc: n.sc = s
        elif holes and BUG != "set-covers-its-increments":
            if s > n.ws and all(e != s for e, _ in (n.pierce or ())):
                n.pierce = (n.pierce or []) + [(s, holes)]
        elif s > n.ws:
            n.ws, n.wv = s, (None if isinstance(t, dict) else t)
        self.sweep(n, at, cov, act, s, t if isinstance(t, dict) else None, changes)

    def sweep(self, n, at, cov, act, s, t, changes):
        """Re-evaluate below the written place; plant the written leaves; prune."""
        self.visits += 1
        if t is not None:
            if isinstance(t, dict):
                if s > n.kill: n.kill = s
                for k in t:
                    if k not in n.kids: n.kids[k] = Node()
            elif isinstance(t, Inc):
                n.incs = n.incs or {}
                n.incs[s] = t.d
                if s > n.sc: n.sc = s
            elif s > n.ws: n.ws, n.wv = s, t
        anc = max([cov] + [e for e, p in act if () not in p])
        # prune registers that the coverage of the whole subtree makes mute
        if n.ws < (anc if BUG == "prune-under-holes" else cov): n.ws, n.wv = NONE, None
        if n.sc < cov: n.sc = NONE
        if n.pierce:
            n.pierce = [e for e in n.pierce if e[0] > cov and e[0] > n.ws] or None
        if n.kill <= anc: n.kill = NONE
        self.show(at, self.value(n, anc), changes)
        c = max(cov, n.ws, n.sc) if BUG != "no-strict-clear" else max(cov, n.ws)
        a = list(act)
        if n.pierce: a += n.pierce
        for k in list(n.kids):
            ca, cc = below(a, k, c)
            kid = n.kids[k]
            self.sweep(kid, at + (k,), cc, ca, s, t.get(k) if isinstance(t, dict) else None, changes)
            if kid.empty(): del n.kids[k]

    def cover_of(self, path):
        n, cov = self.root, NONE
        for k in path:
            cov = max(cov, n.ws, n.sc)
            n = n.kids.get(k)
            if n is None: return cov
        return cov

    # ---- from the registers alone (cross-check of the incremental view)
    def render(self):
        out = {}
        def go(n, at, cov, act):
            v = self.value(n, max([cov] + [e for e, p in act if () not in p]))
            if v is not None: out[at] = v
            c, a = max(cov, n.ws, n.sc), list(act) + (n.pierce or [])
            for k, kid in n.kids.items():
                ca, cc = below(a, k, c)
                go(kid, at + (k,), cc, ca)
        go(self.root, (), NONE, [])
        return out

    # ---- compaction: nothing stamped <= f can arrive here any more
    def compact(self, f):
        def go(n, cov, act):
            anc = max([cov] + [e for e, p in act if () not in p])
            c, a = max(cov, n.ws, n.sc), list(act) + (n.pierce or [])
            for k in list(n.kids):
                ca, cc = below(a, k, c)
                go(n.kids[k], cc, ca)
                if n.kids[k].empty(): del n.kids[k]
            late = {s: d for s, d in (n.incs or {}).items() if s > f}
            if n.ws <= f:
                n.incs = {s: d for s, d in (n.incs or {}).items() if s <= f}
                v = self.value(n, anc)              # fold base and stable increments
                n.ws, n.wv = (STABLE, v) if v is not None else (NONE, None)
            n.incs = late or None
            if n.sc <= f: n.sc = NONE
            if n.kill <= f: n.kill = NONE
            if n.pierce: n.pierce = [e for e in n.pierce if e[0] > f] or None
        go(self.root, NONE, [])

    def size(self):
        """(locations, registers that are not a live plain value)"""
        tot = meta = 0
        st = [self.root]
        while st:
            n = st.pop(); tot += 1
            meta += (n.ws > STABLE) + (n.sc != NONE) + (n.kill != NONE) + len(n.incs or ()) + len(n.pierce or ())
            st += n.kids.values()
        return tot, meta

    # ---- join of two replicas' registers (uncompacted): least upper bound
    def join(self, other):
        def go(a, b):
            if b.ws > a.ws: a.ws, a.wv = b.ws, b.wv
            a.sc, a.kill = max(a.sc, b.sc), max(a.kill, b.kill)
            if b.incs: a.incs = dict(a.incs or {}, **{}) ; a.incs.update(b.incs)
            if b.pierce:
                have = {s for s, _ in a.pierce or ()}
                a.pierce = (a.pierce or []) + [e for e in b.pierce if e[0] not in have]
            if a.pierce: a.pierce = [e for e in a.pierce if e[0] > a.ws] or None
            for k, kid in b.kids.items():
                if k not in a.kids: a.kids[k] = Node()
                go(a.kids[k], kid)
        go(self.root, other.root)
        self.vis = self.render()

# ---------------------------------------------------------------- generators
# Swarm: every case draws its own mix (which kinds of write are on, how deep, how
# many keys), so that rare mixes such as "increments only, one place" do occur.
KEYS = ("a", "b")
MIX = dict(null=.22, inc=.12, ts=.06, prim=.28, deep=.9, keys=2, upd=.2)
def swarm(r):
    if r.random() < .3:
        MIX.update(null=.22, inc=.12, ts=.06, prim=.28, deep=.9, keys=2, upd=.2); return
    MIX.update(null=r.choice((0, .1, .3, .6)), inc=r.choice((0, .2, .5, 1)), ts=r.choice((0, 0, .2)),
               prim=r.choice((.1, .3, .8)), deep=r.choice((0, .5, .9, 1)), keys=r.choice((1, 2, 2)), upd=r.choice((0, .2, .6)))

def rpath(r, depth):
    ks = KEYS[:MIX["keys"]]
    return tuple(r.choice(ks) for _ in range(r.choice(range(depth + 1)) if r.random() < MIX["deep"] else min(1, depth)))

def rtree(r, depth):
    w = (MIX["null"], MIX["inc"], MIX["ts"], MIX["prim"], .32 if depth else 0)
    kind = r.choices(range(5), w)[0] if sum(w) else 3
    if kind == 0: return None
    if kind == 1: return Inc(r.choice((1, 5, 0.1, 0.2, 0.7, -3)))
    if kind == 2: return TS
    if kind == 3: return r.choice((1, 2, 0.3, "s", "t"))
    return {k: rtree(r, depth - 1) for k in KEYS if r.random() < .75}

def prefixfree(paths):
    return not any(p != q and q[:len(p)] == p for p in paths for q in paths)

def rop(r, stamp, depth):
    if r.random() < MIX["upd"]:                             # multi-path update
        ps = {rpath(r, depth) for _ in range(r.choice((2, 3)))}
        if prefixfree(ps):
            return (stamp, tuple((p, rtree(r, max(0, depth - len(p)))) for p in sorted(ps)))
    p = rpath(r, depth)
    return (stamp, ((p, rtree(r, max(0, depth - len(p)))),))

def typed(d): return {k: (type(v), v) for k, v in d.items()}

def diff(a, b):
    a, b = typed(a), typed(b)
    return {p: (a.get(p, (0, None))[1], b.get(p, (0, None))[1]) for p in a.keys() | b.keys() if a.get(p) != b.get(p)}

# ---------------------------------------------------------------- checks
def check(order, compacting=False, rnd=None):
    """Returns None or a description of the first disagreement."""
    rep, got, before = Replica(), {}, {}
    allst = sorted({o[0] for o in order})
    floor = NONE
    for i, op in enumerate(order):
        if op[0] <= floor:                                   # at or below the floor, duplicates are dropped
            if op[0] not in got: return "arrival %d: %r was dropped, never applied" % (i, op)
            continue
        ch = rep.apply(op)
        got[op[0]] = op
        want = naive(got.values())
        if typed(rep.vis) != typed(want): return "arrival %d: %r, want %r" % (i, rep.vis, want)
        if ch != diff(before, want): return "arrival %d: changes %r, want %r" % (i, ch, diff(before, want))
        before = want
        if typed(rep.render()) != typed(want): return "arrival %d: registers render %r, want %r" % (i, rep.render(), want)
        if compacting and rnd.random() < .5:
            f = floor
            for s in allst:
                if s in got: f = s
                elif BUG != "compact-past-a-gap": break
            if f > floor:
                floor = f
                rep.compact(f)
                if typed(rep.render()) != typed(want): return "compact(%d) after %d: %r, want %r" % (f, i, rep.render(), want)
    if compacting and len(got) == len(allst):
        rep.compact(allst[-1])
        n, m = rep.size()
        if m: return "full compaction leaves %d metadata registers" % m
        want = {p[:i] for p in before for i in range(len(p) + 1)} | {()}
        if n != len(want): return "full compaction leaves %d locations, want %d" % (n, len(want))
    return None

def check_join(ops, rnd):
    a, b = [], []
    for o in ops:
        x = rnd.random()
        if x < .65: a.append(o)
        if x > .35: b.append(o)
    rnd.shuffle(a); rnd.shuffle(b)
    A, B, A2, B2 = Replica(), Replica(), Replica(), Replica()
    for o in a: A.apply(o); A2.apply(o)
    for o in b: B.apply(o); B2.apply(o)
    A.join(B2); B.join(A2)
    want = naive({o[0]: o for o in ops}.values())
    if typed(A.vis) != typed(want): return "join A+B %r, want %r (A %r, B %r)" % (A.vis, want, a, b)
    if typed(B.vis) != typed(want): return "join B+A %r, want %r" % (B.vis, want)
    late = rop(rnd, rnd.choice((len(ops) + 1, 0.5)), 3)      # and it keeps working afterwards
    if late[0] == 0.5: late = (0.5, late[1])
    A.apply(late)
    want = naive(list(ops) + [late])
    if typed(A.vis) != typed(want): return "after join %r, want %r" % (A.vis, want)
    return None

def minimise(order, test):
    order = list(order)
    again = True
    while again:
        again = False
        for i in range(len(order)):
            c = order[:i] + order[i + 1:]
            if c and test(c): order, again = c, True; break
    return order

def report(order, why, test=None):
    if test: order = minimise(order, test); why = check(order) or why
    print("COUNTEREXAMPLE (arrival order):")
    for o in order: print("   ", o)
    print("   ", why)
    sys.exit(1)

def bench(name, n, t0): print("%-12s %9d cases agree, %.0f s" % (name, n, time.time() - t0), flush=True)

# ---------------------------------------------------------------- modes
def alphabet(big):
    P = [(), ("a",), ("a", "b"), ("a", "b", "a")]
    if big: P += [("a", "a"), ("b",)]
    out = []
    for p in P:
        out += [((p, None),), ((p, 1),), ((p, Inc(0.1)),), ((p, {"b": "s"}),), ((p, {"b": Inc(0.7)}),)]
        if big: out += [((p, "s"),), ((p, {"a": 2, "b": {"a": Inc(5), "b": 3}}),), ((p, {"a": Inc(1), "b": TS}),)]
    out += [((("a", "a"), None), (("a", "b"), 2)), ((("a", "b", "a"), Inc(1)), (("b",), "u"))]
    return out

def exhaustive(n, big):
    t0, cnt = time.time(), 0
    al = alphabet(big)
    perms = list(itertools.permutations(range(n)))
    print("alphabet %d, sequences %d, arrival orders %d" % (len(al), len(al) ** n, len(perms)), flush=True)
    for seq in itertools.product(al, repeat=n):
        ops = [(i + 1, p) for i, p in enumerate(seq)]
        memo = {}
        for pm in perms:
            cnt += 1
            rep, key = Replica(), 0
            for i in pm:
                rep.apply(ops[i]); key |= 1 << i
                w = memo.get(key)
                if w is None: w = memo[key] = typed(naive([ops[j] for j in range(n) if key >> j & 1]))
                if typed(rep.vis) != w:
                    o = [ops[j] for j in pm]
                    report(o, check(o))
    bench("exhaustive%d" % n, cnt, t0)

def randoms(n, seed, depth=3, top=7, compacting=False, name="random"):
    t0, r = time.time(), random.Random(seed)
    for c in range(n):
        swarm(r)
        ops = [rop(r, i + 1, depth) for i in range(r.randint(2, top))]
        order = ops + [r.choice(ops) for _ in range(r.choice((0, 0, 1, 2)))]
        if compacting and r.random() < .7:                    # nearly in order: stable times advance
            order = sorted(order, key=lambda o: o[0] + r.random() * 4)
        else: r.shuffle(order)
        sub = r.randrange(1 << 30)
        why = check(order, compacting, random.Random(sub))
        if why: report(order, why, lambda o: check(o, compacting, random.Random(sub)) is not None)
        if c and c % 250000 == 0: bench(name, c, t0)
    bench(name, n, t0)

def joins(n, seed):
    t0, r = time.time(), random.Random(seed)
    for c in range(n):
        swarm(r)
        ops = [rop(r, i + 1, 3) for i in range(r.randint(2, 7))]
        sub = r.randrange(1 << 30)
        why = check_join(ops, random.Random(sub))
        if why: report(ops, why)
    bench("join", n, t0)

def cost():
    """Work per operation against re-execution, and metadata with and without compaction."""
    r = random.Random(5)
    N, W = 20000, 64
    ops = []
    for i in range(N):
        p = ("rooms", "r%d" % r.randrange(50), "msgs", "m%06d" % i)
        x = r.random()
        if x < .7: ops.append((i + 1, ((p, {"t": "hi", "u": "x", "at": TS}),)))
        elif x < .85: ops.append((i + 1, ((p[:2] + ("count",), Inc(1)),)))
        elif x < .97 and i > 200:
            q = ops[r.randrange(max(0, i - 4000), i)][1][0][0]
            ops.append((i + 1, ((q, None),)))
        else: ops.append((i + 1, ((p[:2] + ("topic",), "t%d" % i),)))
    order = sorted(ops, key=lambda o: o[0] + r.random() * W)
    for gc in (False, True):
        rep, t0, seen, f = Replica(), time.time(), set(), 0
        for i, o in enumerate(order):
            rep.apply(o); seen.add(o[0])
            if gc:
                while f + 1 in seen: f += 1
                if i % 1000 == 999: rep.compact(f)
        if gc: rep.compact(f)
        assert typed(rep.vis) == typed(naive(ops))
        n, m = rep.size()
        print("compaction %-5s: %d ops, %.1f visits per op, %.1f us per op, %d locations, %d metadata registers" % (gc, N, rep.visits / N, (time.time() - t0) / N * 1e6, n, m))

CASES = [
 ("primitive overwritten below, the newer child removed: the primitive stays dead",
  [(1, ((("a",), 5),)), (3, ((("a", "b"), None),)), (2, ((("a", "b", "c"), 1),))], {}),
 ("null write below a primitive changes nothing",
  [(1, ((("a",), 5),)), (2, ((("a", "b"), None),))], {("a",): 5}),
 ("older ancestor set after newer child writes keeps the newer children",
  [(3, ((("a", "x"), 1),)), (2, ((("a",), {"x": 9, "y": 2}),))], {("a", "x"): 1, ("a", "y"): 2}),
 ("older primitive at the ancestor, newer child: late primitive is never seen",
  [(3, ((("a", "x"), 1),)), (2, ((("a",), 7),))], {("a", "x"): 1}),
 ("and stays unseen when the child is removed later",
  [(3, ((("a", "x"), 1),)), (4, ((("a", "x"), None),)), (2, ((("a",), 7),))], {}),
 ("increments across a late reset", [(1, ((("n",), Inc(1)),)), (3, ((("n",), Inc(4)),)), (2, ((("n",), 10),))], {("n",): 14}),
 ("an increment replaces an object and clears beside a later child",
  [(1, ((("a", "x"), 1),)), (3, ((("a", "y"), 1),)), (2, ((("a",), Inc(2)),))], {("a", "y"): 1}),
 ("increment inside a covering set keeps its base", [(2, ((("a",), {"n": Inc(1)}),)), (1, ((("a",), {"n": 5, "z": 1}),))], {("a", "n"): 6}),
 ("but not across an earlier clear", [(3, ((("a",), {"n": Inc(1)}),)), (1, ((("a",), {"n": 5}),)), (2, ((("a",), None),))], {("a", "n"): 1}),
 ("increment on a string starts anew", [(2, ((("n",), Inc(2)),)), (1, ((("n",), "s"),))], {("n",): 2}),
 ("multi-path update, one path covered later, the other not",
  [(2, ((("a",), None),)), (1, ((("a", "x"), 1), (("b",), 2)))], {("b",): 2}),
]
def cases():
    for name, ops, want in CASES:
        for pm in itertools.permutations(ops):
            why = check(list(pm))
            if why or naive(pm) != want: report(pm, why or "spec gives %r" % naive(pm))
        print("ok  ", name)

def snapshots(n, seed):
    """A stale replica must INSTALL a compacted snapshot; joining its old state resurrects."""
    t0, r, raised = time.time(), random.Random(seed), 0
    for c in range(n):
        swarm(r)
        ops = [rop(r, i + 1, 3) for i in range(r.randint(3, 8))]
        cut = r.randint(1, len(ops) - 1)
        A, B = Replica(), Replica()
        first = ops[:cut]; r.shuffle(first)
        for o in first: A.apply(o)
        A.compact(cut)                                       # everything up to `cut` is stable at A
        held = [o for o in ops[:cut] if r.random() < .5]     # B was away and holds only some of it
        for o in held: B.apply(o)
        late = ops[cut:]; r.shuffle(late)
        k = r.randint(0, len(late))
        for o in late[:k]: A.apply(o)                        # an unstable part travels in the snapshot too
        C = copy.deepcopy(A)                                 # B installs it wholesale, then the live stream
        for o in late[r.randint(0, k):]: C.apply(o)          # overlapping: duplicates must be harmless
        want = naive(ops)
        if typed(C.vis) != typed(want) or typed(C.render()) != typed(want): report(ops, "installed %r, want %r" % (C.vis, want))
        D = copy.deepcopy(A); D.join(B)                      # the forbidden way
        for o in late[k:]: D.apply(o)
        raised += typed(D.vis) != typed(want)
    print("joining instead of installing gave a wrong tree in %d of %d cases" % (raised, n))
    bench("snapshot", n, t0)
    if not raised: sys.exit(1)

def plain(t):
    """A written tree as JSON; an increment is {"+": delta}."""
    if isinstance(t, Inc): return {"+": t.d}
    if isinstance(t, dict): return {k: plain(v) for k, v in t.items()}
    return t

def vectors(n, seed):
    r = random.Random(seed)
    for _ in range(n):
        swarm(r)
        ops = [rop(r, i + 1, 3) for i in range(r.randint(2, 7))]
        order = ops + [r.choice(ops) for _ in range(r.choice((0, 0, 1, 2)))]
        r.shuffle(order)
        got, arrivals = {}, []
        for stamp, parts in order:
            got[stamp] = (stamp, parts)
            writes = [["/".join(p), plain(norm(t, stamp))] for p, t in parts]
            shown = naive(got.values())
            arrivals.append([stamp, writes, {"/".join(p): v for p, v in shown.items()}])
        print(json.dumps(arrivals))

MUTANTS = ("covered-write-does-not-kill", "no-strict-clear", "sum-in-arrival-order", "keep-dead-incs",
           "null-write-kills", "prune-under-holes", "no-tombstone", "first-come-on-equal-place",
           "set-covers-its-increments", "compact-past-a-gap")
def mutants():
    """Each seeded bug must be found, or the check proves nothing."""
    global BUG
    bad = 0
    for b in MUTANTS:
        BUG, r, hit = b, random.Random(7), None
        gc = b == "compact-past-a-gap"
        def test(o): return check(o, gc, random.Random(1)) is not None
        for c in range(300000):
            swarm(r)
            ops = [rop(r, i + 1, 3) for i in range(r.randint(2, 6))]
            r.shuffle(ops)
            if test(ops): hit = c; break
        if hit is None: bad = 1; print("MISSED", b, flush=True)
        else: print("found after %6d cases: %-28s %r" % (hit + 1, b, minimise(ops, test)), flush=True)
    BUG = None
    sys.exit(bad)

if __name__ == "__main__":
    a = sys.argv[1:] or ["cases"]
    n = int(a[1]) if len(a) > 1 else 100000
    seed = int(a[2]) if len(a) > 2 else 1
    if a[0] == "cases": cases()
    elif a[0] == "exhaustive3": exhaustive(3, True)
    elif a[0] == "exhaustive4": exhaustive(4, False)
    elif a[0] == "random": randoms(n, seed)
    elif a[0] == "deep": randoms(n, seed, depth=5, top=14, name="deep")
    elif a[0] == "gc": randoms(n, seed, compacting=True, name="gc")
    elif a[0] == "join": joins(n, seed)
    elif a[0] == "snapshot": snapshots(n, seed)
    elif a[0] == "cost": cost()
    elif a[0] == "mutants": mutants()
    elif a[0] == "vectors": vectors(n, seed)
    else: sys.exit(__doc__)
