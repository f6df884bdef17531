// A proof: the source with what holds at each line, what disturbs it, and which lines are one step.

const MOVERS = {
  free: ["○", "moves freely"],
  reads: ["◐", "depends on others"],
  writes: ["●", "seen by others"],
  both: ["B", "both mover: commutes with the steps of other threads before and after it"],
  right: ["R", "right mover: can as well be done after the next step of another thread"],
  left: ["L", "left mover: can as well be done before the last step of another thread"],
  none: ["N", "not a mover"],
};
const NO_MOVER = el("span", { class: "mover" });
const BLOCK_COLUMNS = 3;
const MOST_DOTS = 4;

/** The sign of a mover, with its meaning for those who do not see it. */
function moverMark(mover) {
  const [sign, meaning] = MOVERS[mover];
  return el("span", { class: `mover ${mover}`, role: "img", title: meaning, "aria-label": meaning }, sign);
}

/** The margin of a source: movers, blocks, and a mark where assertions are known. */
class Margins {
  constructor(margin, outline) {
    const key = ([source, line]) => `${source} ${line}`;
    this.key = key;
    this.reduced = margin ? margin.reduced : false;
    this.movers = new Map((margin ? margin.movers : []).map(([point, mover]) => [key(point), mover]));
    this.blocks = new Map();
    this.columns = 0;
    this.blockLines = new Map();
    if (margin) this.placeBlocks(margin.blocks);
    this.threads = new Map();
    if (outline)
      outline.threads.forEach((thread, index) => {
        for (const point of thread.points) {
          if (!point.at || point.cases.length === 0) continue;
          const at = key(point.at);
          if (!this.threads.has(at)) this.threads.set(at, []);
          this.threads.get(at).push({ thread, index, point });
        }
      });
    const dots = [...this.threads.values()].map((known) => known.length);
    this.dots = Math.min(MOST_DOTS, Math.max(0, ...dots));
  }

  /** Gives each block a column in which no other one is beside it. */
  placeBlocks(blocks) {
    const ends = [];
    const sorted = [...blocks].sort((a, b) => a.source - b.source || a.lines[0] - b.lines[0] || a.lines.length - b.lines.length);
    const seen = new Set();
    for (const { source, lines } of sorted) {
      const [low, high] = [lines[0], lines[lines.length - 1]];
      const members = new Set(lines);
      for (const line of lines) {
        const at = this.key([source, line]);
        if (!this.blockLines.has(at)) this.blockLines.set(at, []);
        this.blockLines.get(at).push(lines);
      }
      const extent = `${source} ${lines.join(",")}`;
      if (seen.has(extent)) continue;
      seen.add(extent);
      let column = ends.findIndex((end) => end[0] !== source || end[1] < low);
      if (column < 0) column = ends.length;
      if (column >= BLOCK_COLUMNS) continue;
      ends[column] = [source, high];
      this.columns = Math.max(this.columns, column + 1);
      for (let line = low; line <= high; line += 1) {
        const at = this.key([source, line]);
        if (!this.blocks.has(at)) this.blocks.set(at, []);
        const end = line === low ? " top" : line === high ? " bottom" : "";
        this.blocks.get(at)[column] = `bar${end}${members.has(line) ? " in" : ""}`;
      }
    }
  }

  /** The cells beside one line. */
  cells(source, line) {
    const at = this.key([source, line]);
    const mover = this.movers.get(at);
    const bars = this.blocks.get(at) || [];
    const cells = [];
    if (this.movers.size > 0) cells.push(mover ? moverMark(mover) : NO_MOVER.cloneNode());
    if (this.columns > 0) {
      this.noBars = this.noBars || el("span", { class: "bars" }, Array.from({ length: this.columns }, () => el("i")));
      const box = this.noBars.cloneNode(true);
      bars.forEach((bar, column) => box.children[column].setAttribute("class", bar));
      const extents = (this.blockLines.get(at) || []).map((lines) => `${lines[0]} to ${lines[lines.length - 1]}`);
      if (extents.length > 0) {
        const label = `${this.reduced ? "reducible block" : "one step"}: lines ${[...new Set(extents)].join("; ")}`;
        box.setAttribute("role", "img");
        box.setAttribute("aria-label", label);
        box.setAttribute("title", label);
      }
      cells.push(box);
    }
    if (this.dots > 0) {
      const dots = this.assertions(source, line).slice(0, this.dots);
      const box = el("span", { class: "dots", "aria-hidden": "true" }, dots.map(({ index }) => el("i", { class: threadClass(index) })));
      box.style.width = `${this.dots * 9 + 6}px`;
      cells.push(box);
    }
    return cells;
  }

  assertions(source, line) {
    return this.threads.get(this.key([source, line])) || [];
  }
}

/** What holds at a place, as a formula over several lines. */
function formula(cases) {
  if (cases.length === 0) return el("span", { class: "quiet" }, "never reached");
  const lines = cases.map((parts, index) =>
    el(
      "li",
      null,
      index > 0 ? el("span", { class: "or" }, "or ") : "",
      parts.map((part, number) => [number > 0 ? el("span", { class: "and" }, " ∧ ") : "", el("code", null, part)]),
    ),
  );
  return el("ul", { class: "formula" }, lines);
}

class ProofView {
  constructor(section, sources) {
    this.section = section;
    this.outline = section.outline;
    this.margins = new Margins(section.margin, section.outline);
    this.source = new SourceView(sources, (source, line) => this.margins.cells(source, line));
    this.pinned = new Map();
    this.card = el("div", { class: "card", role: "tooltip", id: freshId("card"), hidden: true });
    this.arcs = svg("svg", { class: "arcs", "aria-hidden": "true" });
    this.element = el(
      "div",
      { class: "proof" },
      el("div", { class: "proof-source" }, this.toolbar(), this.source.element, this.legend()),
      el(
        "div",
        { class: "proof-side" },
        section.counting ? new CountingView(section.counting, (at) => this.goTo(at)).element : null,
        this.outline ? this.threads() : this.withoutOutline(),
        this.outline ? this.interference() : null,
      ),
    );
  }

  shown() {
    if (this.isBuilt) return;
    this.isBuilt = true;
    this.source.show(this.section.source);
    for (const [line, row] of this.source.rows) this.prepare(line, row);
    this.source.box.append(this.arcs, this.card);
  }

  /** Makes a line with assertions answer to the mouse and to keys. */
  prepare(line, row) {
    const known = this.margins.assertions(this.source.index, line);
    if (known.length === 0) return;
    row.classList.add("asserted");
    const threads = [...new Set(known.map(({ thread }) => thread.name))].join(", ");
    row.setAttribute("tabindex", "0");
    row.setAttribute("role", "button");
    row.setAttribute("aria-pressed", "false");
    const mover = this.margins.reduced && this.margins.movers.get(this.margins.key([this.source.index, line]));
    const moves = mover ? `${MOVERS[mover][1]}, ` : "";
    row.setAttribute("aria-label", `Line ${line}, ${moves}assertions of ${threads}: ${row.querySelector("code").textContent.trim()}`);
    row.addEventListener("mouseenter", () => this.hover(line, row));
    row.addEventListener("mouseleave", () => this.leave());
    row.addEventListener("focus", () => row.matches(":focus-visible") && this.hover(line, row));
    row.addEventListener("blur", () => this.leave());
    row.addEventListener("click", () => this.toggle(line));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.toggle(line);
      else if (event.key === "Escape") this.leave();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.step(line, event.key === "ArrowDown" ? 1 : -1);
      else return;
      event.preventDefault();
    });
  }

  /** The next line with assertions. */
  step(line, direction) {
    const lines = [...this.source.rows].filter(([, row]) => row.classList.contains("asserted")).map(([number]) => number);
    const next = lines[lines.indexOf(line) + direction];
    if (next !== undefined) this.source.rows.get(next).focus();
  }

  hover(line, row) {
    this.mark(line);
    if (this.pinned.has(line)) return;
    this.card.replaceChildren(this.assertionList(line));
    this.card.hidden = false;
    const { box } = this.source;
    const top = this.source.topOf(row);
    const below = top + row.offsetHeight;
    const fits = below + this.card.offsetHeight <= box.scrollTop + box.clientHeight;
    this.card.style.top = `${fits ? below : Math.max(box.scrollTop, top - this.card.offsetHeight)}px`;
    row.setAttribute("aria-describedby", this.card.id);
  }

  leave() {
    this.card.hidden = true;
    this.mark(null);
  }

  assertionList(line) {
    const known = this.margins.assertions(this.source.index, line);
    const items = known.map(({ thread, index, point }) =>
      el(
        "div",
        { class: "assertion" },
        el("span", { class: `tag ${threadClass(index)}`, title: point.place }, thread.name),
        formula(point.cases),
        point.rank ? el("div", { class: "rank" }, "rank ", el("code", null, point.rank)) : null,
      ),
    );
    const disturbing = this.disturbing(line);
    const lines = [...new Set(disturbing.map(({ from }) => from[1]))];
    const about = [...new Set(disturbing.flatMap((pair) => pair.about))];
    const note = disturbing.length > 0 ? el("div", { class: "quiet" }, `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")} ${lines.length === 1 ? "changes" : "change"} ${about.join(", ")}`) : null;
    return el("div", { class: "assertion-list" }, items, note);
  }

  /** The lines that change what is asserted at a line. */
  disturbing(line) {
    const { index } = this.source;
    return this.outline.interference.filter(({ to, from }) => to[0] === index && to[1] === line && from[0] === index);
  }

  /** Shows what disturbs a line, and what belongs to the same step. */
  mark(line) {
    for (const row of this.source.box.querySelectorAll(".disturbs, .same-block")) row.classList.remove("disturbs", "same-block");
    this.arcs.replaceChildren();
    if (line === null) return;
    for (const lines of this.margins.blockLines.get(this.margins.key([this.source.index, line])) || [])
      for (const member of lines) if (member !== line) this.source.rows.get(member).classList.add("same-block");
    const target = this.source.rows.get(line);
    const middle = (row) => this.source.topOf(row) + row.offsetHeight / 2;
    this.arcs.setAttribute("height", this.source.box.scrollHeight);
    for (const { from } of this.disturbing(line)) {
      const row = this.source.rows.get(from[1]);
      if (!row || row === target) continue;
      row.classList.add("disturbs");
      const [start, end] = [middle(row), middle(target)];
      const depth = clamp(Math.abs(end - start) / 6, 5, 16);
      this.arcs.append(svg("path", { d: `M18 ${start} C${18 - depth} ${start} ${18 - depth} ${end} 18 ${end}` }), svg("circle", { cx: 18, cy: start, r: 2.5 }));
    }
  }

  toggle(line) {
    if (this.pinned.has(line)) this.unpin(line);
    else this.pin(line);
    this.card.hidden = true;
    this.mark(line);
  }

  pin(line) {
    const row = this.source.rows.get(line);
    const note = el("div", { class: "pinned" }, this.assertionList(line));
    row.before(note);
    row.setAttribute("aria-pressed", "true");
    this.pinned.set(line, note);
  }

  unpin(line) {
    this.pinned.get(line).remove();
    this.pinned.delete(line);
    this.source.rows.get(line).setAttribute("aria-pressed", "false");
  }

  toolbar() {
    if (!this.outline) return null;
    const all = () => {
      for (const [line, row] of this.source.rows)
        if (row.classList.contains("asserted") && !this.pinned.has(line)) this.pin(line);
    };
    const none = () => [...this.pinned.keys()].forEach((line) => this.unpin(line));
    return el(
      "div",
      { class: "controls" },
      el("span", { class: "quiet grow" }, "Point at a line to see what holds there; click it or press Enter to keep that."),
      el("button", { type: "button", class: "pin-all", onclick: all }, "Show all"),
      el("button", { type: "button", class: "pin-none", onclick: none }, "Hide all"),
    );
  }

  legend() {
    const entries = [];
    const add = (mark, text) => entries.push(el("div", null, el("dt", null, mark), el("dd", null, text)));
    if (this.margins.reduced) {
      add("R", "right mover: every step of the line can as well be done after the next step of any other thread; the proof rests on those that its blocks need");
      add("L", "left mover: every step of the line can as well be done before the last step of any other thread");
      add("B", "both mover: right and left");
      add("N", "not a mover: the step at which a block takes effect, or one outside of all blocks");
    } else if (this.margins.movers.size > 0) {
      add("○", "moves freely: every step of the line reads only what no other thread writes and changes only what no other thread and no property reads, so it commutes with all steps of the others");
      add("◐", "some step of the line depends on what other threads do, or waits for one; none does anything that they or the property can see");
      add("●", "some step of the line does something that other threads or the property can see");
    }
    if (this.margins.columns > 0)
      add(el("span", { class: "bars sample" }, el("i", { class: "bar top in" }), el("i", { class: "bar bottom in" })), this.margins.reduced ? "a reducible block: right movers, at most one step that is none, left movers; the proof takes it for one step" : "lines that one transition of the simplified program takes together, as one block; a block can also be one of several ways through its lines");
    if (this.outline) add(el("span", { class: "dots" }, el("i", { class: threadClass(0) }), el("i", { class: threadClass(1) })), "an assertion is known here, in the colour of its thread: it holds whenever the thread is about to do this line");
    if (entries.length === 0) return null;
    return el("details", { class: "legend", open: true }, el("summary", null, "What the margin says"), el("dl", null, entries));
  }

  threads() {
    const { threads, effects } = this.outline;
    const list = (title, numbers, nothing) => {
      const items = numbers.map((number) => el("li", null, el("code", null, effects[number])));
      const shown = items.length > 0 ? el("ul", { class: "effects" }, items) : el("p", { class: "quiet" }, nothing);
      return el("details", { open: items.length <= 6 }, el("summary", null, `${title} (${items.length})`), shown);
    };
    const cards = threads.map((thread, index) =>
      el(
        "article",
        { class: `thread-card ${threadClass(index)}` },
        el("h4", null, thread.name, thread.template ? el("span", { class: "quiet" }, " any number of them") : ""),
        list("relies on", thread.relies, "No other thread changes anything shared."),
        list("guarantees", thread.guarantees, "It changes nothing shared."),
        this.ranks(thread),
        el("details", { class: "flow-details" }, el("summary", null, `places (${thread.points.length})`), new FlowView(thread, index, (at) => this.goTo(at)).element),
      ),
    );
    const summary = this.section.modular
      ? "The proof is modular: each thread can be understood without the others."
      : this.section.counting
        ? "What is said here of single threads rests on how many of them stand where."
        : "Threads know about each other’s places and locals.";
    const ranks = this.outline.ranks ? el("p", { class: "ranks-summary" }, `Every thread has a rank: ${this.outline.ranks}.`) : null;
    return panel("Threads", { class: "threads" }, el("p", null, summary), ranks, cards);
  }

  /** How far a thread is from its end, place by place. */
  ranks(thread) {
    const ranked = thread.points.filter((point) => point.rank);
    if (ranked.length === 0) return null;
    const rows = ranked.map((point) => {
      const place = point.at ? el("button", { type: "button", class: "link", onclick: () => this.goTo(point.at) }, point.place) : point.place;
      return el("tr", null, el("th", { scope: "row" }, place), el("td", null, el("code", null, point.rank)));
    });
    return el("details", { class: "ranks", open: rows.length <= 12 }, el("summary", null, `ranks (${rows.length})`), el("table", null, el("tbody", null, rows)));
  }

  goTo(point) {
    const row = this.source.row(point);
    if (!row) return;
    row.scrollIntoView({ block: "center", behavior: reducedMotion() ? "auto" : "smooth" });
    row.focus({ preventScroll: true });
  }

  interference() {
    const { interference, omitted } = this.outline;
    const byLine = groupBy(interference, ({ from }) => `${from[0]} ${from[1]}`);
    const items = [...byLine.values()].map((pairs) => {
      const { from } = pairs[0];
      const about = [...new Set(pairs.flatMap((pair) => pair.about))];
      const link = (point) => el("button", { type: "button", class: "link", onclick: () => this.goTo(point) }, String(point[1]));
      return el("tr", null, el("td", null, link(from)), el("td", null, about.join(", ")), el("td", { class: "targets" }, pairs.map(({ to }) => link(to))));
    });
    if (items.length === 0)
      return panel("Interference", { class: "interference" }, el("p", null, "No step of one thread changes what an assertion of another one mentions."));
    return panel(
      "Interference",
      { class: "interference" },
      el("p", { class: "quiet" }, "Steps that change what assertions of other threads mention. The proof shows that all of these assertions survive."),
      el(
        "table",
        null,
        el("thead", null, el("tr", null, ["line", "changes", "mentioned at lines"].map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", null, items),
      ),
      omitted > 0 ? el("p", { class: "quiet" }, `${plural(omitted, "more pair")} left out.`) : null,
    );
  }

  withoutOutline() {
    return panel(
      "Why it holds",
      { class: "explored" },
      el("p", null, "All reachable states were visited, and none violates the property. Such a proof has no assertions that one could read."),
      this.section.counts.length > 0
        ? el("dl", { class: "numbers" }, this.section.counts.map(([name, count]) => el("div", null, el("dt", null, name), el("dd", null, count.toLocaleString("en")))))
        : null,
      el("p", { class: "quiet" }, "The engine ", el("code", null, "rely-guarantee"), " proves with assertions, where it can."),
    );
  }

  key() {
    return false;
  }
}

/** The places of a thread below each other, with arcs for its edges. */
class FlowView {
  constructor(thread, index, goTo) {
    this.thread = thread;
    this.goTo = goTo;
    this.height = 28;
    this.detail = el("div", { class: "flow-detail", "aria-live": "polite" });
    const rows = thread.points.map((point, number) => this.row(point, number, index));
    this.element = el("div", { class: "flow" }, el("div", { class: "flow-picture" }, this.picture(), el("ol", { class: "flow-rows" }, rows)), this.detail);
  }

  row(point, number, index) {
    const reached = point.cases.length > 0;
    const text = point.cases.map((parts) => parts.join(" ∧ ")).join(" or ");
    return el(
      "li",
      null,
      el(
        "button",
        { type: "button", class: reached ? threadClass(index) : "quiet", title: point.place, onclick: () => this.select(number) },
        el("b", null, point.place),
        el("span", { class: "quiet" }, reached ? ` ${cut(text, 120)}` : " never reached"),
      ),
    );
  }

  picture() {
    const { points, flow } = this.thread;
    const y = (number) => number * this.height + this.height / 2;
    const width = 56;
    const edges = [];
    const seen = new Set();
    for (const [from, to] of flow) {
      if (seen.has(`${from} ${to}`)) continue;
      seen.add(`${from} ${to}`);
      edges.push(this.arc(from, to, y, width - 8));
    }
    const nodes = points.map((point, number) => svg("circle", { cx: width - 8, cy: y(number), r: 4.5, class: point.cases.length > 0 ? "node" : "node unreached" }));
    return svg("svg", { class: "flow-arcs", width, height: points.length * this.height, "aria-hidden": "true" }, edges, nodes);
  }

  arc(from, to, y, x) {
    if (to === from + 1) return svg("path", { class: "edge", d: `M${x} ${y(from)} V${y(to)}` });
    if (to === from) return svg("path", { class: "edge", d: `M${x} ${y(from)} c-16 -10 -16 10 0 0` });
    const depth = clamp(Math.abs(to - from) * 8, 12, x - 4) * 1.33;
    const d = `M${x} ${y(from)} C${x - depth} ${y(from)} ${x - depth} ${y(to)} ${x} ${y(to)}`;
    const side = to > from ? -1 : 1;
    const head = `M${x - 6} ${y(to)} l-7 ${side * 2} m7 ${-side * 2} l-4 ${side * 6}`;
    return svg("g", { class: to < from ? "edge back" : "edge" }, svg("path", { d }), svg("path", { d: head }));
  }

  select(number) {
    const point = this.thread.points[number];
    const leaving = this.thread.flow.filter(([from]) => from === number);
    const edges = leaving.map(([, to, text]) =>
      el("li", null, el("code", null, text), " → ", el("button", { type: "button", class: "link", onclick: () => this.select(to) }, this.thread.points[to].place)),
    );
    this.detail.replaceChildren(
      el("h5", null, point.at ? el("button", { type: "button", class: "link", onclick: () => this.goTo(point.at) }, point.place) : point.place),
      formula(point.cases),
      edges.length > 0 ? el("ul", { class: "leaving" }, edges) : "",
    );
  }
}

const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

