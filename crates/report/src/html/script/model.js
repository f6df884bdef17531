// What is known about a run: its rows, the values and the locks at each of its steps, and who reads what others write.

/** Of runs with more rows, only what matters is shown at first. */
const LONG_RUN = 40;

/** All that is known about a run at each of its steps. */
class RunModel {
  constructor(run) {
    this.run = run;
    this.lanes = run.threads.map((thread, index) => ({ ...thread, index })).filter((thread) => thread.moves);
    this.matters = new Set(run.essential);
    this.setDetail(run.starts.length > LONG_RUN ? "essential" : "statements");
    this.owners = this.lockOwners();
    this.writes = this.stepsThatWrite();
  }

  /** Rows are statements, `essential` ones or all, or single steps. */
  setDetail(level) {
    const { steps, starts } = this.run;
    this.detail = level === "steps";
    this.level = level;
    const firsts = this.detail ? steps.map((_, index) => index) : starts;
    const rows = firsts.map((first, index) => ({
      first,
      end: index + 1 < firsts.length ? firsts[index + 1] : steps.length,
    }));
    this.rows = level === "essential" ? this.folded(rows) : rows;
  }

  /** One row instead of those that do not matter and follow each other in a thread. */
  folded(rows) {
    const thread = (row) => this.run.steps[row.first].t;
    const matters = (row) => {
      for (let step = row.first; step < row.end; step += 1) if (this.matters.has(step)) return true;
      return false;
    };
    const groups = [];
    for (const row of rows) {
      const last = groups[groups.length - 1];
      const fits = last && !last.matters && !matters(row) && thread(last.rows[0]) === thread(row);
      if (fits) last.rows.push(row);
      else groups.push({ matters: matters(row), rows: [row] });
    }
    return groups.map((group) =>
      group.rows.length === 1
        ? group.rows[0]
        : { first: group.rows[0].first, end: group.rows[group.rows.length - 1].end, count: group.rows.length },
    );
  }

  /** For each cell the steps that write it, in order. */
  stepsThatWrite() {
    const found = new Map();
    this.run.steps.forEach((step, index) => {
      for (const [cell] of step.w) {
        if (!found.has(cell)) found.set(cell, []);
        found.get(cell).push(index);
      }
    });
    return found;
  }

  /** What a row reads that other rows have written: which variable, its value, and both steps. */
  origins(row) {
    const shared = new Map();
    this.run.cells.forEach((cell, index) => {
      if (cell.owner === null && this.isShown(cell)) shared.set(cell.name, index);
    });
    const found = new Map();
    for (let to = row.first; to < row.end; to += 1) {
      for (const [name, value] of this.run.steps[to].r || []) {
        const cell = shared.get(name);
        const from = (this.writes.get(cell) || []).filter((step) => step < to).pop();
        if (from !== undefined && from < row.first && !found.has(cell)) found.set(cell, { cell, name, value, from, to });
      }
    }
    return [...found.values()];
  }

  /** The row in which a step is, counted from one. */
  positionOf(step) {
    const index = this.rows.findIndex((row) => step < row.end);
    return index < 0 ? this.rows.length : index + 1;
  }

  /** The next or the last step before, seen from a row, that writes a shared variable which the row touches. */
  otherWrite(row, isNext) {
    const cells = new Set(this.origins(row).map(({ cell }) => cell));
    for (let step = row.first; step < row.end; step += 1)
      for (const [cell] of this.run.steps[step].w) if (this.run.cells[cell].owner === null && this.isShown(this.run.cells[cell])) cells.add(cell);
    const steps = [...cells].flatMap((cell) => this.writes.get(cell) || []);
    const behind = steps.filter((step) => (isNext ? step >= row.end : step < row.first));
    if (behind.length === 0) return null;
    return isNext ? Math.min(...behind) : Math.max(...behind);
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

  /** What stands in a row; one that stands for many has no line. */
  edge(row) {
    if (row.count) return { at: null, text: `⋮ ${plural(row.count, "statement")}`, ops: "" };
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
    if (row.count) return "";
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
