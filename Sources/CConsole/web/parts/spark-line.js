// A line of the last minutes, without axes: its shape is what matters.

/** `<spark-line>`: shows `values`, of which null is a gap. */
export class SparkLine extends HTMLElement {
  #values = [];

  connectedCallback() {
    if (this.canvas) return;
    this.canvas = this.appendChild(document.createElement('canvas'));
    this.canvas.className = 'spark';
    this.canvas.setAttribute('aria-hidden', 'true');
    this.#draw();
  }

  set values(values) { this.#values = values; this.#draw(); }

  #draw() {
    if (!this.canvas) return;
    const scale = devicePixelRatio || 1;
    const [width, height] = [96, 24];
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext('2d');
    context.scale(scale, scale);
    const style = getComputedStyle(this);
    const known = this.#values.filter((value) => value !== null);
    const most = Math.max(1e-9, ...known);
    const step = width / Math.max(1, this.#values.length - 1);
    const y = (value) => height - 2 - (height - 5) * value / most;
    context.strokeStyle = style.getPropertyValue('--line');
    context.beginPath();
    context.moveTo(0, height - 1.5);
    context.lineTo(width, height - 1.5);
    context.stroke();
    context.strokeStyle = style.getPropertyValue('--accent');
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.beginPath();
    let isDown = false;
    this.#values.forEach((value, index) => {
      if (value === null) { isDown = false; return; }
      if (isDown) context.lineTo(index * step, y(value));
      else context.moveTo(index * step, y(value));
      isDown = true;
    });
    context.stroke();
  }
}

customElements.define('spark-line', SparkLine);
