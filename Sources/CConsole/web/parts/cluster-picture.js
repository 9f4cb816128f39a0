// Nodes on a circle. Each link is two half-lines: the one at a node shows when that node heard the other one last.

import { freshMilliseconds, staleMilliseconds } from './cluster-state.js';


/** `<cluster-picture>`: shows a `ClusterState`. */
export class ClusterPicture extends HTMLElement {
  #state = null;

  connectedCallback() {
    if (this.canvas) return;
    this.canvas = this.appendChild(document.createElement('canvas'));
    this.canvas.className = 'picture';
    this.canvas.setAttribute('role', 'img');
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(this);
  }

  set state(state) { this.#state = state; this.draw(); }

  draw() {
    const state = this.#state;
    if (!this.canvas || !state || this.canvas.clientWidth === 0) return;
    const scale = devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext('2d');
    context.scale(scale, scale);
    const style = getComputedStyle(this);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const places = layout(state.nodes.length, width, height);
    const words = [];
    for (let to = 0; to < places.length; to += 1) {
      for (let from = 0; from < places.length; from += 1) {
        if (to !== from) words.push(this.#drawLink(context, colour, state, places, to, from));
      }
    }
    state.nodes.forEach((node, index) => this.#drawNode(context, colour, state, node, places[index]));
    this.canvas.setAttribute('aria-label', words.filter(Boolean).join(' ') || 'All nodes hear each other.');
  }

  #drawLink(context, colour, state, places, to, from) {
    const age = state.age(state.nodes[to], state.nodes[from]);
    const kind = age === undefined ? 'unknown' : age < freshMilliseconds ? 'good' : age < staleMilliseconds ? 'warn' : 'bad';
    const [start, end] = [places[to], places[from]];
    const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    const length = Math.hypot(end.x - start.x, end.y - start.y);
    const [dx, dy] = [(end.x - start.x) / length, (end.y - start.y) / length];
    const radius = 30;
    const gap = kind === 'bad' ? 10 : 0;
    context.strokeStyle = kind === 'unknown' ? colour('line') : colour(kind);
    context.lineWidth = kind === 'bad' ? 2.5 : 2;
    context.setLineDash(kind === 'unknown' ? [3, 5] : kind === 'bad' ? [7, 5] : []);
    context.beginPath();
    context.moveTo(start.x + dx * radius, start.y + dy * radius);
    context.lineTo(middle.x - dx * gap, middle.y - dy * gap);
    context.stroke();
    context.setLineDash([]);
    if (kind === 'unknown') return '';
    // An arrow head points to the node that hears.
    const tip = { x: start.x + dx * (radius + 2), y: start.y + dy * (radius + 2) };
    context.fillStyle = colour(kind);
    context.beginPath();
    context.moveTo(tip.x, tip.y);
    context.lineTo(tip.x + dx * 9 - dy * 4.5, tip.y + dy * 9 + dx * 4.5);
    context.lineTo(tip.x + dx * 9 + dy * 4.5, tip.y + dy * 9 - dx * 4.5);
    context.fill();
    if (kind !== 'bad') return '';
    const cross = { x: middle.x - dx * (gap + 4), y: middle.y - dy * (gap + 4) };
    context.lineWidth = 2.5;
    context.beginPath();
    for (const [a, b] of [[1, 1], [1, -1]]) {
      context.moveTo(cross.x - 4 * a, cross.y - 4 * b);
      context.lineTo(cross.x + 4 * a, cross.y + 4 * b);
    }
    context.stroke();
    return `${state.nodes[to].name} does not hear ${state.nodes[from].name}.`;
  }

  #drawNode(context, colour, state, node, { x, y }) {
    const [kind] = state.state(node);
    const most = Math.max(1, ...state.nodes.map((other) => (other.isFresh ? other.status.operations : 0)));
    const share = node.isFresh ? node.status.operations / most : 0;
    const radius = 26;
    context.save();
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour('surface');
    context.fill();
    context.clip();
    context.fillStyle = colour('tint');
    context.fillRect(x - radius, y + radius - 2 * radius * share, 2 * radius, 2 * radius * share);
    context.restore();
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = kind ? colour(kind) : colour('muted');
    context.lineWidth = 2.5;
    context.setLineDash(kind === 'bad' ? [4, 4] : []);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colour('text');
    context.font = `600 13px ${colour('sans')}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(node.name.length > 7 ? `${node.name.slice(0, 6)}…` : node.name, x, y);
  }
}

/** The places of so many nodes. */
export function layout(count, width, height) {
  const centre = { x: width / 2, y: height / 2 };
  const radius = Math.max(40, Math.min(width, height) / 2 - 48);
  if (count === 1) return [centre];
  const down = count === 3 ? 18 : 0;
  return Array.from({ length: count }, (_, index) => {
    const angle = -Math.PI / 2 + 2 * Math.PI * index / count + (count === 2 ? -Math.PI / 2 : 0);
    return { x: centre.x + radius * (count < 5 ? 1.15 : 1) * Math.cos(angle), y: centre.y + down + radius * Math.sin(angle) };
  });
}

customElements.define('cluster-picture', ClusterPicture);
