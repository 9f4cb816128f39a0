// Which rows of a tree are in sight: a scroll bar of limited height stands for any number of rows.

/** The height of a row in pixels. */
export const rowHeight = 28;
// Browsers limit the height of an element; beyond this one the scroll bar stands for the rank.
const heightLimit = 8_000_000;

/** The scrolling of an element whose `spacer` has the height of all rows; `redraw` is called after each change. */
export class TreeScroll {
  #element;
  #spacer;
  #redraw;
  #size = 0;
  #isScaled = false;
  #ownScrollTop = -1;
  /** The first row in sight; between two rows it is no whole number. */
  top = 0;
  /** The height of what is in sight, in pixels. */
  height = 0;

  constructor(element, spacer, redraw) {
    this.#element = element;
    this.#spacer = spacer;
    this.#redraw = redraw;
    element.addEventListener('scroll', () => this.#onscroll(), { passive: true });
    element.addEventListener('wheel', (event) => this.#onwheel(event), { passive: false });
  }

  /** How many rows are in sight, in part or whole. */
  get count() { return Math.ceil(this.height / rowHeight) + 1; }

  /** Begins at the top. */
  reset() {
    this.top = 0;
    this.measure();
    this.#element.scrollTop = 0;
  }

  measure() { this.height = this.#element.clientHeight; }

  /** There are so many rows. */
  resize(size) {
    const full = size * rowHeight;
    this.#isScaled = full > heightLimit;
    const height = Math.min(full, heightLimit);
    if (this.#spacer.height !== height) { this.#spacer.height = height; this.#spacer.style.height = `${height}px`; }
    const hasChanged = this.#size !== size;
    this.#size = size;
    this.top = this.#bounded(this.top);
    if (hasChanged) this.#placeBar();
  }

  scrollTo(top) {
    this.top = this.#bounded(top);
    this.#placeBar();
    this.#redraw();
  }

  /** Brings a row into sight. */
  reveal(index, isCentred = false) {
    const rows = Math.floor(this.height / rowHeight);
    if (isCentred) this.scrollTo(index - Math.floor(rows / 3));
    else if (index < this.top) this.scrollTo(index);
    else if (index > this.top + rows - 1) this.scrollTo(index - rows + 1);
  }

  get #range() { return this.#size - this.height / rowHeight; }

  #bounded(top) { return Math.max(0, Math.min(top, this.#range)); }

  #placeBar() {
    // To read the position back would cost a layout of the page.
    this.#ownScrollTop = this.#isScaled ? this.top / this.#range * (heightLimit - this.height) : this.top * rowHeight;
    this.#element.scrollTop = this.#ownScrollTop;
  }

  #onscroll() {
    const { scrollTop } = this.#element;
    // The scroll bar was placed by the tree itself.
    if (Math.abs(scrollTop - this.#ownScrollTop) < 1) return;
    this.#ownScrollTop = -1;
    this.top = this.#isScaled ? scrollTop / (heightLimit - this.height) * this.#range : scrollTop / rowHeight;
    this.#redraw();
  }

  #onwheel(event) {
    if (!this.#isScaled || event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 1 : event.deltaMode === 2 ? this.count : 1 / rowHeight;
    this.scrollTo(this.top + event.deltaY * unit);
  }
}
