// What the nodes of a cluster say: each one by a feed of its own where the browser reaches it, and otherwise to the page's node.

import { Feed } from '../base/feed.js';
import { Signal } from '../base/signals.js';
import { feed } from '../base/session.js';

const historyLimit = 300;
/** Heartbeats come four times a second, and their ages once a second: what is older than this is not normal. */
export const freshMilliseconds = 1800;
/** What is older than this counts as silent. */
export const staleMilliseconds = 2800;
/** How much later a status comes through another node, which asks for it and reports it once a second. */
const relayMilliseconds = 2200;

/** The state of one node. */
export class ObservedNode {
  /** The last status, and when the node sent it; null before the first one. */
  status = null;
  at = 0;
  #delay = 0;
  /** Samples, one a second: rate of operations, lag, memory. Null where nothing is known. */
  history = { rate: [], lag: [], memory: [] };
  #sampled = null;

  constructor(name, address, link) { Object.assign(this, { name, address, link }); }

  get isFresh() { return this.status !== null && this.age < staleMilliseconds; }

  /** The age of the status, beyond what its way takes. */
  get age() { return Math.max(0, Date.now() - this.at - this.#delay); }

  receive(status) {
    if (!status) return;
    [this.status, this.at, this.#delay] = [status, Date.now(), 0];
  }

  /** Takes a status that another node has, unless the node itself has sent one of late. */
  receiveRelayed({ status, age }) {
    if (this.#delay === 0 && this.age < freshMilliseconds) return;
    [this.status, this.at, this.#delay] = [status, Date.now() - age, relayMilliseconds];
  }

  /** Adds a sample. */
  sample() {
    const status = this.isFresh ? this.status : null;
    const before = this.#sampled;
    let rate = null;
    if (status && before && status.wallMilliseconds > before.wallMilliseconds && status.writer === before.writer) {
      rate = Math.max(0, status.operations - before.operations) * 1000 / (status.wallMilliseconds - before.wallMilliseconds);
    } else if (status && before && status.wallMilliseconds === before.wallMilliseconds) {
      rate = this.history.rate.at(-1) ?? null;
    }
    this.#sampled = status;
    const add = (list, value) => { list.push(value); if (list.length > historyLimit) list.shift(); };
    add(this.history.rate, rate);
    add(this.history.lag, status ? status.lag : null);
    add(this.history.memory, status?.process?.residentBytes ?? null);
  }
}

/** The nodes of the cluster, asked each second. */
export class ClusterState {
  nodes = [];
  changes = new Signal(0);
  #endings = [];
  #timer = 0;
  #ticks = 0;

  constructor(token) {
    this.#endings.push(feed.about.follow((about) => { if (about && this.nodes.length === 0) this.#begin(about, token); }));
    this.#timer = setInterval(() => {
      this.#ticks += 1;
      if (this.#ticks % 4 === 0) for (const node of this.nodes) node.sample();
      this.changes.value += 1;
    }, 250);
  }

  #begin(about, token) {
    this.nodes = about.nodes.map(({ name, address, page }) => {
      const isOwn = name === about.node;
      const link = isOwn ? feed : address ? new Feed(address, token) : null;
      const node = new ObservedNode(name, page, link);
      node.isOwn = isOwn;
      if (!link) return node;
      link.watchStatus(true);
      this.#endings.push(link.status.follow((status) => { node.receive(status); this.changes.value += 1; }));
      this.#endings.push(() => (isOwn ? feed.watchStatus(false) : link.end()));
      return node;
    });
    // A browser may not reach a node, or not trust its certificate. Then the page's node asks it.
    this.#endings.push(feed.peers.follow((peers) => {
      for (const node of this.nodes) {
        const known = peers[node.name];
        if (known) node.receiveRelayed(known);
      }
    }));
    this.changes.value += 1;
  }

  end() {
    clearInterval(this.#timer);
    for (const end of this.#endings) end();
  }

  /** How many milliseconds ago a node heard another one; undefined if nobody knows, Infinity if not of late. */
  age(to, from) {
    if (!to.isFresh) return undefined;
    const age = to.status.connectedPeers?.[from.name];
    if (age !== undefined) return age + to.age;
    return Infinity;
  }

  /** The state of a node in a word of `hearth cluster status`, and its colour. */
  state(node) {
    if (node.isFresh) {
      const { status } = node;
      if (status.isEvicted) return ['bad', 'Evicted'];
      if ((status.storage && status.storage !== 'works') || status.awaited) return ['bad', 'Impaired'];
      return ['good', 'Serving'];
    }
    const watchers = this.nodes.filter((other) => other !== node && other.isFresh);
    if (watchers.some((other) => other.status.evicted?.[node.name] !== undefined)) return ['bad', 'Evicted'];
    const heard = watchers.map((other) => this.age(other, node)).filter((age) => age < staleMilliseconds);
    // What other nodes know takes two reports of the page's node.
    const isNew = node.status === null && Date.now() - (this.start ??= Date.now()) < 4000;
    if (heard.length > 0) return isNew ? ['', 'Asking'] : ['warn', 'Heard by others'];
    if (node.link?.denial.value) return ['warn', 'Unauthorized'];
    if (watchers.length === 0 && isNew) return ['', 'Asking'];
    if (node.link?.isRefused) return ['bad', isOnThisMachine(node.address) ? 'Stopped' : 'Down'];
    return ['bad', 'Silent'];
  }

  /** What is wrong, the worst first, in the words of `hearth cluster doctor`. */
  findings() {
    const findings = [];
    const add = (kind, problem, fix) => findings.push({ kind, problem, fix });
    const fresh = this.nodes.filter((node) => node.isFresh);
    for (const node of this.nodes) {
      const [kind, word] = this.state(node);
      if (word === 'Stopped') add('bad', `${node.name} does not run.`, `\`hearth cluster start ${node.name}\`, and see its log.`);
      if (word === 'Down') add('bad', `${node.name} is down: no process listens at ${node.address}.`, 'Start the node there, or correct its address.');
      if (word === 'Silent' && node.link) add('bad', `${node.name} is silent: ${node.address} does not answer.`, 'Check that its machine runs, and that networks and firewalls let packets through.');
      if (word === 'Silent' && !node.link) add('bad', `${node.name} is silent: no node hears it.`, 'Run `hearth cluster status`: it asks the address of the node, which this page cannot do.');
      if (word === 'Heard by others') add('warn', `${node.name} runs, and nothing more is known of it.`, 'It may run an earlier version of Hearth, or be starting.');
      if (kind === 'bad' && word === 'Evicted') add('bad', `${node.name} is evicted: the others go on without it.`, 'Start it: it rejoins with the data of the others.');
    }
    for (const node of fresh) this.#examine(node, fresh, add);
    return findings.sort((one, other) => (one.kind === 'bad' ? 0 : 1) - (other.kind === 'bad' ? 0 : 1));
  }

  #examine(node, fresh, add) {
    const { name, status } = node;
    for (const peer of fresh) {
      if (peer !== node && !(this.age(node, peer) < staleMilliseconds)) {
        const isOneWay = this.age(peer, node) < staleMilliseconds;
        add('bad', isOneWay ? `${name} does not hear ${peer.name}, which hears it: the link is cut in one direction.` : `${name} has no contact with ${peer.name}.`, `Check that the machine of ${name} reaches the ports of ${peer.name} for nodes, and that both have the same keys.`);
      }
    }
    if (status.storage && status.storage !== 'works') add('bad', `${name} accepts no writes: ${status.storage}.`, status.storageFix ?? 'See its log.');
    const free = status.process?.diskFreeBytes;
    if (free !== undefined && free < 2 ** 30) add('warn', `${name} has ${Math.round(free / 2 ** 20)} MB left on its disk.`, 'Make room: a node that cannot write stops taking writes.');
    if (status.loggedOperations > status.loggedOperationsLimit / 2) add('warn', `The log of ${name} is more than half full: it waits for a node that is away.`, 'Start that node, or evict it.');
    for (const refused of Object.values(status.refusedNodes ?? {})) add('warn', `${name} refuses ${refused.member}: ${refused.problem}.`, refused.fix);
    for (const refused of status.process?.refusedKeys ?? []) {
      if (refused.agoMilliseconds < 600000) add('warn', `${name} refuses a process at ${refused.address}: no node in its configuration has the key ${refused.key}.`, 'If it is a new node, list it with this "publicKey" in the configuration of all nodes, and start them again.');
    }
    const lags = node.history.lag.slice(-8);
    if (lags.length === 8 && lags.every((lag) => lag > 0) && lags[7] >= lags[0]) add('warn', `${name} lags behind by ${lags[7]} operations, and does not catch up.`, 'Check that its machine reaches its peers, and has spare processor time and disk space.');
    if (!status.coordinator && 2 * (Object.keys(status.connectedPeers ?? {}).length + 1) > this.nodes.length && node.age < 1500 && status.process?.uptimeMilliseconds > 15000) {
      add('warn', `${name} knows no coordinator: transactions wait.`, 'Wait some seconds; start the nodes that do not run.');
    }
  }
}

/** Whether an address is one of this machine, where `hearth cluster status` looks for processes. */
function isOnThisMachine(address) {
  return /^https?:\/\/(127\.|localhost[:/]|localhost$|\[::1\])/.test(address);
}
