// The rows of a run: a lane for each thread, and arrows from what threads write to those who read it.

const ROW_HEIGHT = 30;
const LEAST_LANE = 132;

/** The table of steps. Only the rows that can be seen exist. */
class LanesView {
  constructor(model, go) {
    this.model = model;
    this.go = go;
    this.selected = 0;
    this.id = freshId("row");
    this.weights = this.laneWeights();
    this.head = el("div", { class: "lanes-head", "aria-hidden": "true" });
    this.body = el("div", { class: "lanes-body", role: "presentation" });
    this.box = el(
      "div",
      { class: "lanes", role: "listbox", tabindex: "0", "aria-label": "Steps of the run", onscroll: () => this.draw() },
      this.head,
      this.body,
    );
    this.element = el("div", { class: "lanes-frame" }, this.box);
    new ResizeObserver(() => this.layOut()).observe(this.box);
  }

  /** Lanes share the width by the length of what stands in them. */
  laneWeights() {
    const { steps, edges } = this.model.run;
    const longest = new Map();
    const note = (thread, text) => longest.set(thread, Math.max(longest.get(thread) || 0, text.length));
    for (const step of steps) note(step.t, edges[step.e].text);
    for (const { thread, text } of this.model.run.race) note(thread, text);
    return this.model.lanes.map((lane) => clamp(Math.max(longest.get(lane.index) || 0, lane.name.length) + 3, 16, 28));
  }

  layOut() {
    const { lanes } = this.model;
    const width = this.box.clientWidth;
    if (width === 0) return;
    this.wide = (width - 60) / lanes.length >= LEAST_LANE;
    this.withValues = this.wide && width - 60 - lanes.length * LEAST_LANE >= 150;
    const columns = this.wide
      ? `3.2rem ${this.weights.map((weight) => `minmax(0, ${weight}fr)`).join(" ")}${this.withValues ? " minmax(0, 22fr)" : ""}`
      : `3rem ${Math.min(lanes.length, 12) * 13 + 4}px minmax(0, 1fr)`;
    this.box.style.setProperty("--columns", columns);
    this.box.classList.toggle("rail", !this.wide);
    const names = lanes.map((lane) => el("span", { class: threadClass(lane.index), title: lane.name }, lane.name));
    this.head.replaceChildren(
      el("span", { class: "quiet" }, "line"),
      ...(this.wide ? names : [el("span"), el("span", { class: "names" }, names)]),
      ...(this.withValues ? [el("span", { class: "quiet" }, "values")] : []),
    );
    const races = this.model.run.race.length > 0 ? 1 : 0;
    this.body.style.height = `${(this.model.rows.length + 1 + races) * ROW_HEIGHT}px`;
    this.drawn = null;
    this.draw();
  }

  select(position) {
    this.selected = position;
    const top = position * ROW_HEIGHT;
    reveal(this.box, top, ROW_HEIGHT + this.head.offsetHeight, ROW_HEIGHT);
    this.drawn = null;
    this.draw();
    this.box.setAttribute("aria-activedescendant", `${this.id}-${position}`);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW_HEIGHT) - 8);
    const count = Math.ceil(this.box.clientHeight / ROW_HEIGHT) + 16;
    const last = Math.min(this.model.rows.length, first + count);
    const key = `${first} ${last}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const rows = [];
    for (let position = first; position <= last; position += 1) rows.push(this.row(position));
    if (last === this.model.rows.length && this.model.run.race.length > 0) rows.push(this.raceRow());
    this.body.replaceChildren(...rows);
    this.body.append(this.arrows(first, last));
  }

  /** Arrows from writes to the rows that read what other threads have written; strong at the row that is selected. */
  arrows(first, last) {
    const { model } = this;
    const picture = svg("svg", { class: "flows", "aria-hidden": "true" });
    picture.style.height = this.body.style.height;
    const sample = this.body.querySelector(".row");
    const lanes = sample ? [...sample.querySelectorAll(".lane")] : [];
    const middle = this.wide ? 10 : 6;
    const at = (thread) => {
      const lane = lanes[model.lanes.findIndex(({ index }) => index === thread)];
      return lane ? lane.getBoundingClientRect().left - this.body.getBoundingClientRect().left + middle : null;
    };
    const height = (position) => (position + 0.5) * ROW_HEIGHT;
    for (let position = Math.max(1, first); position <= last; position += 1) {
      for (const { name, value, from, to } of model.origins(model.rows[position - 1])) {
        const [writer, reader] = [model.run.steps[from].t, model.run.steps[to].t];
        const [x, end] = [at(writer), at(reader)];
        if (writer === reader || x === null || end === null) continue;
        const chosen = position === this.selected || model.positionOf(from) === this.selected;
        const [top, bottom] = [height(model.positionOf(from)), height(position)];
        const side = end > x ? -8 : 8;
        const tip = `M${end + side} ${bottom - 4}L${end + side / 4} ${bottom}L${end + side} ${bottom + 4}`;
        const told = `${model.run.threads[reader].name} reads ${name} = ${value} from ${model.run.threads[writer].name}`;
        picture.append(
          svg(
            "g",
            { class: `flow ${threadClass(writer)}${chosen ? " chosen" : ""}` },
            svg("title", null, told),
            svg("path", { d: `M${x} ${top}C${x} ${(top + bottom) / 2} ${end + 3 * side} ${bottom} ${end + side / 2} ${bottom}` }),
            svg("path", { d: tip }),
          ),
        );
      }
    }
    return picture;
  }

  row(position) {
    const row = position > 0 ? this.model.rows[position - 1] : null;
    const thread = row ? this.model.run.steps[row.first].t : null;
    const classes = ["row"];
    if (position === this.selected) classes.push("selected");
    if (position > this.selected) classes.push("later");
    if (row && position === this.model.rows.length) classes.push("last");
    const element = el("div", {
      class: classes.join(" "),
      id: `${this.id}-${position}`,
      role: "option",
      "aria-selected": String(position === this.selected),
      "aria-posinset": position + 1,
      "aria-setsize": this.model.rows.length + 1,
      "aria-label": this.label(position, row, thread),
      "data-position": position,
      onclick: () => this.go(position),
    });
    element.style.top = `${position * ROW_HEIGHT}px`;
    const edge = row ? this.model.edge(row) : null;
    const text = row ? (this.model.detail ? edge.ops : edge.text) : "";
    const owners = this.model.owners[this.model.stepsAt(position)];
    const holders = new Set(owners.values());
    element.append(el("span", { class: "no" }, row ? (edge.at ? String(edge.at[1]) : "") : "start"));
    if (this.wide) {
      // A statement may reach over the lanes to the right of its own: in this row they are empty.
      const { lanes } = this.model;
      lanes.forEach((lane, index) => {
        const cell = this.cell(lane.index, thread, holders);
        cell.style.gridColumn = String(index + 2);
        element.append(cell);
        if (lane.index !== thread) return;
        const words = el("span", { class: `text ${threadClass(thread)}`, title: text }, el("span", null, text));
        words.style.gridColumn = `${index + 2} / ${lanes.length + 2}`;
        element.append(words);
      });
      if (this.withValues) element.append(el("span", { class: "values" }, row ? this.model.valuesText(row) : ""));
    } else {
      const rails = this.model.lanes.slice(0, 12).map((lane) => this.cell(lane.index, thread, holders));
      const values = row ? this.model.valuesText(row) : "";
      element.append(
        el("span", { class: "rails" }, rails),
        el("span", { class: `what ${thread === null ? "quiet" : threadClass(thread)}` }, text, values && el("small", null, ` ${values}`)),
      );
    }
    return element;
  }

  /** Both accesses of a data race, side by side below the steps. */
  raceRow() {
    const { lanes, run, rows, owners } = this.model;
    const holders = new Set(owners[run.steps.length].values());
    const isLast = this.selected === rows.length;
    const element = el("div", {
      class: `row race${isLast ? " selected last" : " later"}`,
      role: "presentation",
      onclick: () => this.go(rows.length),
    });
    element.style.top = `${(rows.length + 1) * ROW_HEIGHT}px`;
    element.append(el("span", { class: "no" }, "race"));
    const racing = (lane) => run.race.find(({ thread }) => thread === lane.index);
    const cells = (this.wide ? lanes : lanes.slice(0, 12)).map((lane) => this.cell(lane.index, racing(lane) ? lane.index : null, holders));
    if (!this.wide) {
      const told = run.race.map(({ thread, text }) => el("span", { class: threadClass(thread) }, `${text} `));
      element.append(el("span", { class: "rails" }, cells), el("span", { class: "what" }, told));
      return element;
    }
    lanes.forEach((lane, index) => {
      cells[index].style.gridColumn = String(index + 2);
      element.append(cells[index]);
      const access = racing(lane);
      if (!access) return;
      const words = el("span", { class: `text ${threadClass(lane.index)}`, title: access.told }, el("span", null, access.text));
      words.style.gridColumn = String(index + 2);
      element.append(words);
    });
    return element;
  }

  cell(lane, thread, holders) {
    return el("span", { class: `lane ${threadClass(lane)}${lane === thread ? " moves" : ""}${holders.has(lane) ? " holds" : ""}` });
  }

  label(position, row, thread) {
    if (!row) return "Beginning";
    const edge = this.model.edge(row);
    const values = this.model.valuesText(row);
    const where = edge.at ? `, line ${edge.at[1]}` : "";
    return `${position}: ${this.model.run.threads[thread].name}${where}: ${edge.text}${values ? "; " + values : ""}`;
  }
}
