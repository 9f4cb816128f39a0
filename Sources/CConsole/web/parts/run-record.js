// A recorded run: its events, messages, trees and operations at any moment.

import { lastAtMost, TreeHistory, treeOf } from './tree-history.js';

const sums = (deltas) => {
  let sum = 0;
  return deltas.map((delta) => { sum += delta; return sum; });
};

const listOf = (entry) => (Array.isArray(entry) ? entry : entry ? [entry] : []);

/** Groups the positions of a list by a number. */
function grouped(list, number) {
  const groups = new Map();
  list.forEach((entry, index) => {
    const key = number(entry);
    if (key < 0) return;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(index);
  });
  return groups;
}

/** A run, from the JSON of a report. Times are microseconds since its beginning; events are counted from 0. */
export class RunRecord {
  constructor(json) {
    const { kind, differences, ...parts } = json;
    Object.assign(this, parts);
    /** What the run violates: `durability`, `safety` or `liveness`; null if all checks hold. */
    this.failure = kind;
    this.times = sums(json.events.time);
    this.numbers = sums(json.events.number);
    this.count = this.times.length;
    this.end = this.times.at(-1) ?? 0;
    this.nodes = this.lanes.filter((name) => name.startsWith('n'));
    this.messages = json.messages.map(([sent, from, to, kind, received]) => ({ sent, from, to, kind: this.kinds[kind], received }));
    this.sentBy = grouped(this.messages, (message) => message.sent);
    this.receivedBy = grouped(this.messages, (message) => message.received);
    this.byLane = this.lanes.map(() => []);
    json.events.lane.forEach((lane, event) => this.byLane[lane]?.push(event));
    this.histories = this.nodes.map((_, node) => new TreeHistory(json.trees.filter((entry) => entry[1] === node)));
    this.differencesOf = this.nodes.map((_, node) => differences.filter((entry) => entry[1] === node));
    for (const message of this.messages) message.isBeat = this.#isBeat(message);
    this.#markCopies();
  }

  /** Whether a message has heartbeats alone. */
  #isBeat(message) {
    if (message.kind !== 'published') return false;
    if (message.received >= 0) return this.says(message.received).length > 0 && this.says(message.received).every((text) => text.startsWith('heartbeat'));
    return this.does(message.sent).every((text) => !text.startsWith('publishes batch'));
  }

  /** Of messages that one event sent to one lane, later ones that arrived as the same are copies. */
  #markCopies() {
    for (const sent of this.sentBy.values()) {
      const seen = new Set();
      for (const index of sent) {
        const message = this.messages[index];
        if (message.received < 0) continue;
        const name = `${message.to} ${message.kind} ${this.events.says[message.received]}`;
        message.isCopy = seen.has(name);
        seen.add(name);
      }
    }
  }

  kind(event) { return this.kinds[this.events.kind[event]]; }
  lane(event) { return this.events.lane[event]; }
  source(event) { return this.events.from[event]; }
  says(event) { return listOf(this.events.says[event]).map((text) => this.texts[text]); }
  does(event) { return listOf(this.events.does[event]).map((text) => this.texts[text]); }

  /** An event in one line. */
  line(event) {
    const lane = this.lanes[this.lane(event)] ?? '';
    const source = this.lanes[this.source(event)];
    const parts = [...this.says(event), ...this.does(event)].join('; ');
    return `${source ? `${source} → ${lane}` : lane} ${this.kind(event)}${parts ? `: ${parts}` : ''}`.trim();
  }

  /** Whether nothing but heartbeats happens in an event. */
  isBeat(event) {
    const says = this.says(event);
    const does = this.does(event);
    return says.length + does.length > 0 && says.every((text) => text.startsWith('heartbeat')) && does.every((text) => text.startsWith('publishes heartbeat'));
  }

  /** The last event up to a time. */
  eventAt(time) { return Math.max(0, lastAtMost(this.times, time)); }

  /** The tree that a node shows after an event; null if it shows nothing. */
  tree(node, event) { return this.histories[node].at(event); }

  /** Where the operations of a node give something else than its tree shows: pairs of a path and a value. */
  differences(node, event) {
    const list = this.differencesOf[node];
    const index = lastAtMost(list, event, (entry) => entry[0]);
    return index < 0 ? [] : list[index][2].map(([path, value]) => [path, treeOf(value)]);
  }

  /** `up`, `down` or `paused` after an event. */
  state(node, event) {
    let state = 'up';
    for (const [at, of, next] of this.states) if (at <= event && of === node) state = next;
    return state;
  }

  /** The events, in order, at which a tree or what operations give changes. */
  get changes() {
    this.changeList ??= [...new Set([...this.trees, ...this.differencesOf.flat()].map((entry) => entry[0]))].sort((a, b) => a - b);
    return this.changeList;
  }

  /** Since when nodes hold an operation, by node, in microseconds; null where a node does not hold it at the event. */
  arrivals(origin, sequence, event = this.count) {
    return this.nodes.map((_, node) => {
      let since = null;
      for (const [at, of, from, upTo] of this.held) {
        if (of !== node || from !== origin || at > event) continue;
        if (upTo < sequence) since = null;
        else since ??= this.times[at];
      }
      return since;
    });
  }

  /** The events that one depends on, and those that depend on it. */
  cone(event) {
    const isIn = new Uint8Array(this.count);
    isIn[event] = 1;
    this.#follow(event, isIn, -1);
    this.#follow(event, isIn, 1);
    return isIn;
  }

  /** Marks what precedes an event (-1) or follows it (1): along its lane, and over messages. */
  #follow(event, isIn, direction) {
    const reached = new Map([[this.lane(event), event]]);
    const marked = new Uint8Array(this.count);
    marked[event] = 1;
    for (let at = event; at >= 0 && at < this.count; at += direction) {
      const lane = this.lane(at);
      if (!marked[at] && !(reached.has(lane) && lane >= 0)) continue;
      marked[at] = 1;
      isIn[at] = 1;
      if (!reached.has(lane)) reached.set(lane, at);
      for (const index of (direction < 0 ? this.receivedBy : this.sentBy).get(at) ?? []) {
        const other = direction < 0 ? this.messages[index].sent : this.messages[index].received;
        if (other >= 0) marked[other] = 1;
      }
    }
  }
}

/** The first event at which two runs differ; null if none does. */
export function firstDifference(one, other) {
  const name = (run, event) => (event < run.count ? `${run.times[event]} ${run.line(event)}` : null);
  for (let event = 0; event < Math.max(one.count, other.count); event += 1) {
    if (name(one, event) !== name(other, event)) return event;
  }
  return null;
}
