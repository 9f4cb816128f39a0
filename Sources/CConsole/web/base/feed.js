// The connection of a page with one node: a WebSocket that is opened again once it breaks.

import { inDatabase } from './paths.js';
import { Signal } from './signals.js';

const delays = [250, 500, 1000, 2000, 4000];

/** A feed. `state` is `connecting`, `ready` or `lost`; messages go to the handlers of their numbers. */
export class Feed {
  #socket = null;
  #address;
  #token;
  #attempts = 0;
  #timer = 0;
  #isClosed = false;
  #requests = new Map();
  #lastNumber = 0;
  // Whether the node has refused the token, so that the page goes on without one.
  #isTokenRefused = false;

  state = new Signal('connecting');
  /** What the node says about itself and the user; null before. */
  about = new Signal(null);
  /** Why the token is not valid; null otherwise. */
  denial = new Signal(null);
  /** The last status of the node; null for users. */
  status = new Signal(undefined);
  /** What the other nodes have said to the node of late: their statuses and how old they are, by name. */
  peers = new Signal({});
  /** Whether the last attempt to connect failed at once, as where no process listens. */
  isRefused = false;
  /** Since when the connection is lost, in milliseconds since 1970. */
  lostSince = 0;

  constructor(origin, token) {
    this.#address = inDatabase(`${origin.replace(/^http/, 'ws')}/.hearth`);
    this.#token = token;
    this.#connect();
  }

  #connect() {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#address, 'console.1');
    this.#socket = socket;
    this.#isTokenRefused = false;
    const limit = setTimeout(() => socket.close(), 5000);
    const start = Date.now();
    socket.onopen = () => socket.send(JSON.stringify({ t: 'hello', token: this.#token() ?? undefined }));
    socket.onmessage = (event) => {
      clearTimeout(limit);
      if (socket === this.#socket) this.#receive(JSON.parse(event.data));
    };
    socket.onclose = () => {
      clearTimeout(limit);
      this.isRefused = this.state.value !== 'ready' && Date.now() - start < 1500;
      if (socket === this.#socket) this.#lose();
    };
  }

  #lose() {
    if (this.#isClosed) return;
    this.#socket = null;
    if (this.state.value !== 'lost') this.lostSince = Date.now();
    this.state.value = 'lost';
    const delay = delays[Math.min(this.#attempts, delays.length - 1)];
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.#connect(), delay * (0.8 + 0.4 * Math.random()));
  }

  #receive(message) {
    switch (message.t) {
      case 'ready':
        this.#attempts = 0;
        if (!this.#isTokenRefused) this.denial.value = null;
        this.about.value = message;
        this.state.value = 'ready';
        // What was open before is opened again.
        for (const { request } of this.#requests.values()) this.#write(request);
        break;
      case 'denied':
        this.denial.value = message;
        if (!this.#isTokenRefused) this.#write({ t: 'hello' });
        this.#isTokenRefused = true;
        break;
      case 'status':
        this.status.value = message.status;
        this.peers.value = message.peers ?? {};
        break;
      default:
        this.#requests.get(message.id)?.receive(message);
    }
  }

  #write(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Shows another token, or none. */
  identify() {
    this.status.value = undefined;
    this.#isTokenRefused = false;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#write({ t: 'hello', token: this.#token() ?? undefined });
    else this.retry();
  }

  /** Connects again at once. */
  retry() {
    if (this.#socket) return;
    this.#attempts = 0;
    this.#connect();
  }

  /** Opens something that has answers until it is closed; returns its number. */
  open(request, receive) {
    this.#lastNumber += 1;
    const id = this.#lastNumber;
    this.update(id, request, receive);
    return id;
  }

  /** Changes what a number stands for. */
  update(id, request, receive = this.#requests.get(id)?.receive) {
    const message = { ...request, id };
    this.#requests.set(id, { request: message, receive });
    if (this.state.value === 'ready') this.#write(message);
  }

  /** Closes a window. */
  close(id) {
    if (this.#requests.delete(id)) this.#write({ t: 'close', id });
  }

  /** Asks something that has one answer. */
  ask(request, milliseconds = 15000) {
    return new Promise((resolve) => {
      const id = this.open(request, (message) => finish(message));
      const timer = setTimeout(() => finish({ t: 'refused', code: 'timeout', problem: 'The node does not answer.', fix: 'try again, or use another node' }), milliseconds);
      const finish = (message) => {
        clearTimeout(timer);
        this.#requests.delete(id);
        resolve(message);
      };
    });
  }

  /** Wants the status of the node each second, or no longer. */
  watchStatus(isWanted) {
    this.#lastNumber += 1;
    if (isWanted) this.#requests.set('status', { request: { t: 'status', on: true }, receive() {} });
    else this.#requests.delete('status');
    this.#write({ t: 'status', on: isWanted });
  }

  /** Ends the feed. */
  end() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }
}
