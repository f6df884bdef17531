// A violation: lanes, one for each thread, through which one steps forward and back.

/** What is violated; that the file is this one goes without saying. */
function violationText(section) {
  const prefix = `${section.file}:${section.place}: `;
  return section.headline.startsWith(prefix) ? `line ${section.place}: ${section.headline.slice(prefix.length)}` : section.headline;
}

class RunView {
  constructor(section, sources) {
    this.section = section;
    this.model = new RunModel(section.run);
    this.source = new SourceView(sources);
    this.position = this.model.rows.length;
    this.lanes = new LanesView(this.model, (position) => this.go(position));
    this.values = new ValuesView(this.model, (step) => this.goToStep(step));
    this.element = el(
      "div",
      { class: "run" },
      this.controls(),
      el("div", { class: "run-panes" }, this.lanes.element, this.values.element, this.source.element),
      el(
        "p",
        { class: "quiet keys" },
        "Keys: ",
        [
          ["→", "↓", "j"], " next, ", ["←", "↑", "k"], " back, ", ["Home"], " beginning, ", ["End"], " violation, ",
          ["n"], " next write to what this step touches, ", ["p"], " the one before, ", ["r"], " where it reads from.",
        ].map((part) =>
          Array.isArray(part) ? part.map((key) => el("kbd", null, key)) : part,
        ),
      ),
    );
  }

  /** What needs the page around it to have its size. */
  shown() {
    this.source.show(this.section.source);
    this.lanes.layOut();
    this.go(this.position);
  }

  controls() {
    const button = (label, shape, target) =>
      el(
        "button",
        { type: "button", "aria-label": label, title: label, onclick: () => this.go(target()) },
        svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: shape })),
      );
    this.buttons = {
      first: button("Beginning", "M3 3h2v10H3zM13 3v10L6 8z", () => 0),
      back: button("Step back", "M11.5 3v10L4 8z", () => this.position - 1),
      next: button("Step forward", "M4.5 3v10L12 8z", () => this.position + 1),
      last: button("Violation", "M11 3h2v10h-2zM3 3v10l7-5z", () => this.model.rows.length),
    };
    this.slider = el("input", {
      type: "range",
      min: "0",
      "aria-label": "Position in the run",
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.counter = el("span", { class: "counter", role: "status", "aria-live": "polite" });
    const levels = [["essential", "what matters"], ["statements", "statements"], ["steps", "every step"]];
    const options = levels.map(([value, name]) => el("option", { value, selected: value === this.model.level }, name));
    const detail = el("select", { onchange: () => this.setDetail(detail.value) }, options);
    return el(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "Stepping" },
      el("span", { class: "buttons" }, Object.values(this.buttons)),
      this.slider,
      this.counter,
      el("label", { class: "detail", title: "What matters to other threads, all statements, or every step of the intermediate program" }, "show ", detail),
    );
  }

  setDetail(level) {
    const step = Math.max(0, this.model.stepsAt(this.position) - 1);
    const atStart = this.position === 0;
    this.model.setDetail(level);
    this.lanes.layOut();
    if (atStart) this.go(0);
    else this.goToStep(step);
  }

  goToStep(step) {
    this.go(this.model.positionOf(step));
  }

  go(position) {
    const { model } = this;
    const last = model.rows.length;
    this.position = clamp(position, 0, last);
    const row = this.position > 0 ? model.rows[this.position - 1] : null;
    this.slider.max = String(last);
    this.slider.value = String(this.position);
    this.buttons.first.disabled = this.buttons.back.disabled = this.position === 0;
    this.buttons.last.disabled = this.buttons.next.disabled = this.position === last;
    this.counter.textContent = row ? `${this.position.toLocaleString("en")} of ${last.toLocaleString("en")}` : "beginning";
    this.slider.setAttribute("aria-valuetext", this.counter.textContent);
    const state = model.state(this.position);
    this.lanes.select(this.position);
    this.values.show(this.position, row, state, this.isLast() ? this.section : null);
    this.showLines(row, state);
  }

  isLast() {
    return this.position === this.model.rows.length;
  }

  /** Marks the line of the step, and where each thread stands. */
  showLines(row, state) {
    const point = row ? this.model.edge(row).at : null;
    if (point) this.source.show(point[0]);
    for (const marked of this.source.box.querySelectorAll(".current, .has-thread, .violated")) {
      marked.className = "line";
      for (const tags of marked.querySelectorAll(".tags")) tags.remove();
    }
    state.at.forEach((at, thread) => {
      const line = this.source.row(at);
      if (!line) return;
      line.classList.add("has-thread");
      const { name } = this.model.run.threads[thread];
      let tags = line.querySelector(".tags");
      if (!tags) line.append((tags = el("span", { class: "tags" })));
      tags.append(el("span", { class: `stands ${threadClass(thread)}`, title: `${name} stands here` }, name));
      tags.classList.toggle("many", tags.children.length > 2);
    });
    const current = this.source.row(point);
    if (!current) return;
    const thread = this.model.run.steps[row.first].t;
    current.classList.add("current", ...threadClass(thread).split(" "));
    if (this.isLast()) this.markViolation(current);
    this.source.scrollTo(current);
  }

  /** The last statement is what goes wrong, unless two accesses race that nobody has made yet. */
  markViolation(current) {
    const { race } = this.model.run;
    const lines = race.length > 0 ? race.map(({ at }) => this.source.row(at)).filter(Boolean) : [current];
    for (const line of lines) line.classList.add("violated");
  }

  key(event) {
    const moves = {
      ArrowRight: 1, ArrowDown: 1, j: 1,
      ArrowLeft: -1, ArrowUp: -1, k: -1,
      Home: -Infinity, End: Infinity,
    };
    if (event.key in moves) this.go(this.position + moves[event.key]);
    else if ("npr".includes(event.key) && event.key.length === 1) this.follow(event.key);
    else return false;
    return true;
  }

  /** Goes to another write of what the step touches, or to the write from which it reads. */
  follow(key) {
    const row = this.position > 0 ? this.model.rows[this.position - 1] : null;
    if (!row) return;
    const origins = this.model.origins(row);
    const other = origins.find(({ from, to }) => this.model.run.steps[from].t !== this.model.run.steps[to].t) || origins[0];
    const step = key === "r" ? other && other.from : this.model.otherWrite(row, key === "n");
    if (step !== undefined && step !== null) this.goToStep(step);
  }
}
