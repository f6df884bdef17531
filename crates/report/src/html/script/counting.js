// Counting invariants: the places of all threads as a diagram, and which of them an invariant counts.

const COUNTED_ROW = 30;
const COUNTED_WIDTH = 64;

class CountingView {
  constructor(counting, goTo) {
    this.counting = counting;
    this.goTo = goTo;
    this.kept = null;
    this.places = new Map();
    this.detail = el("div", { class: "flow-detail", "aria-live": "polite" });
    const diagrams = counting.threads.map((thread, index) => this.diagram(thread, index));
    this.buttons = counting.invariants.map((invariant, number) => this.invariant(invariant, number));
    this.element = panel(
      "Numbers of threads",
      { class: "counting" },
      el("p", null, "In every state all of this holds. ", el("code", null, "#"), " is how many threads stand at a place; an edge moves one of them."),
      el("ol", { class: "invariants", "aria-label": "Invariants" }, this.buttons.map((button) => el("li", null, button))),
      el("p", { class: "quiet" }, "Point at an invariant to see which places it counts; click it or press Enter to keep that. A place shows the invariants that count it."),
      el("div", { class: "diagrams" }, diagrams),
      this.detail,
    );
  }

  invariant(invariant, number) {
    const text = invariant.cases.map((parts) => (parts.length > 0 ? parts.join(" ∧ ") : "true"));
    const button = el(
      "button",
      { type: "button", class: "invariant", "aria-pressed": "false", onclick: () => this.keep(number) },
      text.map((part, index) => [index > 0 ? el("span", { class: "or" }, " or ") : "", el("code", null, part)]),
    );
    button.addEventListener("mouseenter", () => this.highlight(number));
    button.addEventListener("mouseleave", () => this.highlight(this.kept));
    button.addEventListener("focus", () => this.highlight(number));
    button.addEventListener("blur", () => this.highlight(this.kept));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const next = this.buttons[number + step];
      if (step === undefined || next === undefined) return;
      next.focus();
      event.preventDefault();
    });
    return button;
  }

  diagram(thread, index) {
    const rows = thread.points.map((point, number) => {
      const button = el("button", { type: "button", title: point.counter, onclick: () => this.select(index, number) }, point.counter);
      button.addEventListener("mouseenter", () => this.showCounting(index, number));
      button.addEventListener("mouseleave", () => this.showCounting(null));
      button.addEventListener("focus", () => this.showCounting(index, number));
      button.addEventListener("blur", () => this.showCounting(null));
      return button;
    });
    const { picture, nodes } = this.picture(thread);
    rows.forEach((row, number) => this.places.set(`${index} ${number}`, { row, node: nodes[number] }));
    return el(
      "figure",
      { class: `diagram ${threadClass(index)}` },
      el("figcaption", null, el("b", null, thread.name), thread.template ? " any number of them" : " one thread"),
      el("div", { class: "flow-picture" }, picture, el("ol", { class: "flow-rows counted-rows" }, rows.map((row) => el("li", null, row)))),
    );
  }

  /** The places below each other; an arrow for each pair of places between which edges lead. */
  picture(thread) {
    const x = COUNTED_WIDTH - 12;
    const y = (number) => number * COUNTED_ROW + COUNTED_ROW / 2;
    const pairs = new Map(thread.flow.map(([from, to]) => [`${from} ${to}`, [from, to]]));
    const edges = [...pairs.values()].map(([from, to]) => this.arrow(from, to, x, y));
    const nodes = thread.points.map((_, number) => svg("circle", { cx: x, cy: y(number), r: 6, class: "node" }));
    const size = { width: COUNTED_WIDTH, height: thread.points.length * COUNTED_ROW };
    return { picture: svg("svg", { class: "flow-arcs", ...size, "aria-hidden": "true" }, edges, nodes), nodes };
  }

  arrow(from, to, x, y) {
    if (to === from + 1) {
      const end = y(to) - 8;
      return svg("g", { class: "edge" }, svg("path", { d: `M${x} ${y(from)} V${end}` }), svg("path", { d: `M${x - 4} ${end - 5} L${x} ${end} L${x + 4} ${end - 5}` }));
    }
    if (to === from) {
      const at = y(from);
      return svg("g", { class: "edge" }, svg("path", { d: `M${x - 5} ${at - 4} C${x - 26} ${at - 14} ${x - 26} ${at + 14} ${x - 7} ${at + 4}` }), svg("path", { d: `M${x - 14} ${at + 2} L${x - 7} ${at + 4} L${x - 10} ${at + 10}` }));
    }
    const depth = clamp(Math.abs(to - from) * 9, 14, x - 4) * 1.33;
    const end = x - 8;
    const path = `M${x - 6} ${y(from)} C${x - depth} ${y(from)} ${x - depth} ${y(to)} ${end} ${y(to)}`;
    return svg("g", { class: to < from ? "edge back" : "edge" }, svg("path", { d: path }), svg("path", { d: `M${end - 6} ${y(to) - 4} L${end} ${y(to)} L${end - 6} ${y(to) + 4}` }));
  }

  /** Marks the places that an invariant counts. */
  highlight(number) {
    const counted = new Set(number === null ? [] : this.counting.invariants[number].places.map((place) => place.join(" ")));
    for (const [place, { row, node }] of this.places) {
      row.classList.toggle("counted", counted.has(place));
      node.classList.toggle("counted", counted.has(place));
    }
  }

  /** Marks the invariants that count a place. */
  showCounting(thread, number) {
    this.buttons.forEach((button, index) => {
      const counts = thread !== null && this.counting.invariants[index].places.some((place) => place[0] === thread && place[1] === number);
      button.classList.toggle("counts", counts);
    });
  }

  keep(number) {
    this.kept = this.kept === number ? null : number;
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === this.kept)));
    this.highlight(this.kept);
  }

  /** What leads away from a place. */
  select(thread, number) {
    const { points, flow } = this.counting.threads[thread];
    const point = points[number];
    const edges = flow
      .filter(([from]) => from === number)
      .map(([, to, text]) => el("li", null, el("code", null, text), " → ", el("button", { type: "button", class: "link", onclick: () => this.select(thread, to) }, points[to].counter)));
    this.detail.replaceChildren(
      el("h5", null, point.at ? el("button", { type: "button", class: "link", onclick: () => this.goTo(point.at) }, point.counter) : point.counter),
      edges.length > 0 ? el("ul", { class: "leaving" }, edges) : el("p", { class: "quiet" }, "Nobody leaves this place."),
    );
  }
}

