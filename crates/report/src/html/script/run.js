// A violation: lanes, one for each thread, through which one steps forward and back.

const ROW_HEIGHT = 30;
const LEAST_LANE = 132;
const MOST_VALUES = 250;

/** What is violated; that the file is this one goes without saying. */
function violationText(section) {
  const prefix = `${section.file}:${section.place}: `;
  return section.headline.startsWith(prefix) ? `line ${section.place}: ${section.headline.slice(prefix.length)}` : section.headline;
}

/** All that is known about a run at each of its steps. */
class RunModel {
  constructor(run) {
    this.run = run;
    this.lanes = run.threads.map((thread, index) => ({ ...thread, index })).filter((thread) => thread.moves);
    this.setDetail(false);
    this.owners = this.lockOwners();
  }

  /** Rows are statements, or with `detail` single steps. */
  setDetail(detail) {
    const { steps, starts } = this.run;
    const firsts = detail ? steps.map((_, index) => index) : starts;
    this.detail = detail;
    this.rows = firsts.map((first, index) => ({
      first,
      end: index + 1 < firsts.length ? firsts[index + 1] : steps.length,
    }));
  }

  /** Which thread owns which lock after each step; equal neighbours are the same object. */
  lockOwners() {
    const { cells, initial, steps } = this.run;
    const owner = (value) => (Number(value) > 0 ? Number(value) - 1 : null);
    let current = new Map();
    const apply = (writes) => {
      const taken = writes.filter(([cell]) => cells[cell].lock);
      if (taken.length === 0) return;
      current = new Map(current);
      for (const [cell, value] of taken) {
        if (owner(value) === null) current.delete(cell);
        else current.set(cell, owner(value));
      }
    };
    apply(initial);
    const all = [current];
    for (const step of steps) {
      apply(step.w);
      all.push(current);
    }
    return all;
  }

  /** How many steps are done when this many rows are. */
  stepsAt(position) {
    return position === 0 ? 0 : this.rows[position - 1].end;
  }

  edge(row) {
    return this.run.edges[this.run.steps[row.first].e];
  }

  /** The values before and after a row, the cells that it wrote, and where the threads stand. */
  state(position) {
    const { initial, steps, threads } = this.run;
    const values = new Map(initial);
    const at = threads.map((thread) => thread.at);
    const since = new Map();
    const before = new Map();
    const from = position === 0 ? 0 : this.rows[position - 1].first;
    for (let index = 0; index < this.stepsAt(position); index += 1) {
      for (const [cell, value] of steps[index].w) {
        if (index >= from && !before.has(cell)) before.set(cell, values.get(cell));
        values.set(cell, value);
        since.set(cell, index);
      }
      for (const [thread, point] of steps[index].a) at[thread] = point;
    }
    return { values, before, since, at };
  }

  /** `x = 1`, or of a row that writes nothing what it saw. */
  valuesText(row) {
    const written = new Map();
    const seen = new Map();
    for (let index = row.first; index < row.end; index += 1) {
      const step = this.run.steps[index];
      for (const [cell, value] of step.w) {
        const known = this.run.cells[cell];
        if (known.owner !== null && known.owner !== step.t) continue;
        if (this.isShown(known)) written.set(cell, value);
      }
      for (const [name, value] of step.r || []) if (this.detail || !name.startsWith("$")) seen.set(name, value);
    }
    if (written.size > 0)
      return [...written].map(([cell, value]) => `${this.run.cells[cell].name} = ${this.valueText(cell, value)}`).join(", ");
    return [...seen].map(([name, value]) => `${name} is ${value}`).join(", ");
  }

  isShown(cell) {
    return this.detail || !cell.hidden;
  }

  valueText(cell, value) {
    if (!this.run.cells[cell].lock) return value;
    const owner = Number(value) > 0 ? this.run.threads[Number(value) - 1] : null;
    return owner ? owner.name : "free";
  }
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
        [["→", "↓", "j"], " next, ", ["←", "↑", "k"], " back, ", ["Home"], " beginning, ", ["End"], " violation."].map((part) =>
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
    const detail = el("input", { type: "checkbox", onchange: () => this.setDetail(detail.checked) });
    return el(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "Stepping" },
      el("span", { class: "buttons" }, Object.values(this.buttons)),
      this.slider,
      this.counter,
      el("label", { class: "detail", title: "Every step of the intermediate program, with its operations" }, detail, " every step"),
    );
  }

  setDetail(detail) {
    const step = Math.max(0, this.model.stepsAt(this.position) - 1);
    const atStart = this.position === 0;
    this.model.setDetail(detail);
    this.lanes.layOut();
    if (atStart) this.go(0);
    else this.goToStep(step);
  }

  goToStep(step) {
    const index = this.model.rows.findIndex((row) => step < row.end);
    this.go(index < 0 ? this.model.rows.length : index + 1);
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
      for (const tag of marked.querySelectorAll(".stands")) tag.remove();
    }
    state.at.forEach((at, thread) => {
      const line = this.source.row(at);
      if (!line) return;
      line.classList.add("has-thread");
      const { name } = this.model.run.threads[thread];
      line.append(el("span", { class: `stands ${threadClass(thread)}`, title: `${name} stands here` }, name));
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
    if (!(event.key in moves)) return false;
    this.go(this.position + moves[event.key]);
    return true;
  }
}

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

/** The values at one step: those that it changed stand out. */
class ValuesView {
  constructor(model, goToStep) {
    this.model = model;
    this.goToStep = goToStep;
    this.wanted = "";
    this.title = el("h3");
    this.message = el("div", { class: "step-text" });
    this.body = el("div");
    this.filter = el("input", {
      type: "search",
      placeholder: "filter variables",
      "aria-label": "Filter variables by name",
      oninput: () => {
        this.wanted = this.filter.value.toLowerCase();
        this.fillBody();
      },
    });
    this.filter.hidden = model.run.cells.length <= 24;
    this.element = el("div", { class: "values-frame", role: "region", "aria-label": "Values after the step" }, this.title, this.message, this.filter, this.body);
  }

  show(position, row, state, violation) {
    this.state = state;
    this.position = position;
    this.owners = this.model.owners[this.model.stepsAt(position)];
    const thread = row ? this.model.run.steps[row.first].t : null;
    this.title.textContent = row ? `After step ${position.toLocaleString("en")}` : "At the beginning";
    this.message.replaceChildren();
    if (row) {
      const edge = this.model.edge(row);
      this.message.append(
        el("span", { class: `tag ${threadClass(thread)}` }, this.model.run.threads[thread].name),
        el("code", null, edge.text),
        this.model.detail ? el("code", { class: "quiet" }, edge.ops) : "",
      );
    }
    if (violation) this.message.append(this.failure(violation));
    this.fillBody();
  }

  failure(section) {
    const waiting = section.waiting.map((wait) =>
      el("li", null, `${wait.thread} waits${wait.line ? ` at line ${wait.line}` : ""}: `, el("code", null, wait.statement)),
    );
    const racing = this.model.run.race.map(({ told }) => el("li", null, prose(told)));
    const list = [...waiting, ...racing];
    return el("div", { class: "failure" }, prose(violationText(section)), list.length > 0 ? el("ul", null, list) : null);
  }

  fillBody() {
    const { run } = this.model;
    const shown = [...this.state.values.keys()].filter((cell) => {
      const known = run.cells[cell];
      return this.model.isShown(known) && !known.lock && known.name.toLowerCase().includes(this.wanted);
    });
    shown.sort((left, right) => left - right);
    const groups = groupBy(shown, (cell) => run.cells[cell].owner);
    const owners = [null, ...run.threads.keys()].filter((owner) => groups.has(owner));
    let room = MOST_VALUES;
    const tables = owners.map((owner) => {
      const cells = groups.get(owner);
      // What changed is always shown.
      const kept = cells.filter((cell, index) => index < room || this.state.before.has(cell));
      room = Math.max(0, room - kept.length);
      return this.table(owner, kept, cells.length - kept.length);
    });
    this.body.replaceChildren(...this.locks(), ...tables);
  }

  locks() {
    const { cells, threads } = this.model.run;
    const known = [...this.state.values.keys()].filter((cell) => cells[cell].lock);
    if (known.length === 0) return [];
    const rows = known.slice(0, 60).map((cell) => {
      const owner = this.owners.get(cell);
      const changed = this.state.before.has(cell);
      const held = owner === undefined ? el("span", { class: "quiet" }, "free") : ["held by ", el("span", { class: `tag ${threadClass(owner)}` }, threads[owner].name)];
      return el("tr", { class: changed ? "changed" : null }, el("th", { scope: "row" }, cells[cell].name), el("td", null, held));
    });
    return [el("table", { class: "values locks" }, el("caption", null, "Locks"), el("tbody", null, rows))];
  }

  table(owner, cells, more) {
    const { run } = this.model;
    const title = owner === null ? "Shared" : run.threads[owner].name;
    const at = owner === null ? null : this.state.at[owner];
    const caption = el("caption", { class: owner === null ? null : threadClass(owner) }, title, at ? el("span", { class: "quiet" }, ` at line ${at[1]}`) : "");
    const rows = cells.map((cell) => this.valueRow(cell));
    if (more > 0) rows.push(el("tr", null, el("td", { class: "quiet", colspan: "2" }, `and ${plural(more, "more", "more")}: use the filter`)));
    return el("table", { class: "values" }, caption, el("tbody", null, rows));
  }

  valueRow(cell) {
    const { before, values, since } = this.state;
    const now = values.get(cell);
    const old = before.get(cell);
    let [kind, value] = [null, now];
    if (before.has(cell) && old === now) [kind, value] = ["written", [now, el("span", { class: "quiet" }, " written, as before")]];
    else if (before.has(cell)) [kind, value] = ["changed", old === undefined ? now : [el("s", null, old), " → ", el("b", null, now)]];
    const name = this.model.run.cells[cell].name;
    const step = since.get(cell);
    const label =
      step === undefined
        ? name
        : el("button", { type: "button", class: "link", title: `Go to the step that wrote ${name} last`, onclick: () => this.goToStep(step) }, name);
    return el("tr", { class: kind }, el("th", { scope: "row" }, label, this.nextButton(cell, name)), el("td", null, value));
  }

  /** Leads to the next step that writes the variable, and stays under the finger. */
  nextButton(cell, name) {
    const steps = this.model.run.steps;
    const from = this.model.stepsAt(this.position);
    const next = steps.findIndex((step, index) => index >= from && step.w.some(([written]) => written === cell));
    if (next < 0) return "";
    const follow = () => {
      this.goToStep(next);
      const again = this.body.querySelector(`[data-next="${cell}"]`);
      if (again) again.focus();
    };
    return el(
      "button",
      { type: "button", class: "next-write", "data-next": cell, "aria-label": `Next write to ${name}`, title: `Next write to ${name}`, onclick: follow },
      svg("svg", { viewBox: "0 0 16 16", width: 12, height: 12, "aria-hidden": "true" }, svg("path", { d: "M4.5 3v10L12 8z" })),
    );
  }
}

