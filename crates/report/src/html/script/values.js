// The values of variables at one step of a run.

const MOST_VALUES = 250;

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
        this.originLinks(row),
      );
    }
    if (violation) this.message.append(this.failure(violation));
    this.fillBody();
  }

  /** From where the values come that the step reads; a click goes there. */
  originLinks(row) {
    const { run } = this.model;
    const links = this.model.origins(row).map(({ name, value, from }) => {
      const thread = run.threads[run.steps[from].t].name;
      const { at } = run.edges[run.steps[from].e];
      const place = at ? `${thread}, line ${at[1]}` : thread;
      const link = el("button", { type: "button", class: "link", "aria-label": `Go to where ${thread} wrote ${name}`, onclick: () => this.goToStep(from) }, place);
      return el("li", null, el("code", null, name), ` is ${value}, from `, link);
    });
    return links.length > 0 ? el("ul", { class: "origins" }, links) : "";
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
