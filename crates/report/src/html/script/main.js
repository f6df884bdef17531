// The page: one result at a time, with a list of all of them.

const data = JSON.parse(document.getElementById("data").textContent);
/** The words of the text, with `error` for what is no program. */
const VERDICTS = { error: "not a program" };

const HOLDS = {
  assert: "No run violates an assertion.",
  deadlock: "No thread waits for ever.",
  memory: "No access leaves its memory or uses memory that was freed.",
  overflow: "No signed arithmetic leaves its type.",
  race: "No two conflicting accesses happen at once.",
  termination: "Every run ends.",
  "fair-termination": "Every fair run ends.",
};

/** The verdict as a name for its colour. */
const verdictClass = (verdict) => verdict.replaceAll(" ", "-");

class SectionView {
  constructor(section, index) {
    this.section = section;
    this.main = section.run ? new RunView(section, data.sources) : section.margin ? new ProofView(section, data.sources) : null;
    const history = section.history ? new HistoryView(section.history).elements() : [];
    this.element = el(
      "article",
      { class: `result ${verdictClass(section.verdict)}`, id: `result-${index + 1}`, "aria-label": `${section.file}, ${section.property || "input"}` },
      this.head(),
      this.why(),
      waitingPicture(section.arrows),
      this.main ? this.main.element : this.plainSource(),
      history.length > 0 ? el("div", { class: "history-grid" }, history) : null,
      this.facts(),
    );
  }

  head() {
    const { section } = this;
    const messages = section.errors.length > 0 ? section.errors : section.headline ? [violationText(section)] : [];
    const holds = section.verdict === "safe" ? el("p", { class: "headline" }, HOLDS[section.property]) : null;
    return el(
      "header",
      { class: "result-head" },
      el("h2", null, el("span", { class: "file" }, section.file), section.property ? el("span", { class: "property" }, section.property) : null),
      el("span", { class: `verdict ${verdictClass(section.verdict)}` }, VERDICTS[section.verdict] || section.verdict),
      holds,
      messages.map((message) => el("p", { class: "headline" }, prose(message))),
      section.advice ? el("p", { class: "advice" }, el("b", null, "What you could do: "), prose(section.advice)) : null,
      section.evidence ? el("p", { class: "quiet" }, prose(section.evidence)) : null,
    );
  }

  /** Why the verdict is what it is; sentences about a run lead to its steps. */
  why() {
    const { section } = this;
    if (section.why.length === 0) return null;
    const sentences = section.why.map((reason) => el("p", null, prose(reason.text), section.run ? this.stepLinks(reason.steps) : null));
    return panel("Why", { class: "why" }, sentences);
  }

  stepLinks(steps) {
    const { run } = this.section;
    const links = steps
      .map((step) => ({ step, edge: run.edges[run.steps[step].e], thread: run.threads[run.steps[step].t].name }))
      .filter(({ edge }) => edge.at !== null)
      .map(({ step, edge, thread }) =>
        el(
          "button",
          { type: "button", class: "link", "aria-label": `Go to line ${edge.at[1]} of ${thread} in the run`, onclick: () => this.main.goToStep(step) },
          `line ${edge.at[1]}`,
        ),
      );
    return links.length === 0 ? null : el("span", { class: "step-links quiet" }, " Show ", links.flatMap((link, index) => (index === 0 ? [link] : [", ", link])), ".");
  }

  /** The text itself, where there is nothing more to show about it. */
  plainSource() {
    const { section } = this;
    if (section.source === null) return null;
    this.view = new SourceView(data.sources);
    return el("div", { class: "plain-source" }, this.view.element);
  }

  facts() {
    const { section } = this;
    const entry = (name, value) => (value ? el("div", null, el("dt", null, name), el("dd", null, value)) : null);
    const counts = section.counts.map(([name, count]) => plural(count, name.replace(/s$/, ""), name)).join(", ");
    return panel(
      "About this result",
      { class: "about" },
      el(
        "dl",
        null,
        entry("engine", section.engine),
        entry("last reported", counts),
        entry("time", section.seconds === null ? null : `${section.seconds.toFixed(2)} s, the check of the evidence included`),
        entry("assumptions", section.assumptions.join(", ")),
        entry("trusted passes", section.trusted.join(", ")),
      ),
    );
  }

  shown() {
    if (this.main) this.main.shown();
    if (!this.view) return;
    this.view.show(this.section.source);
    const row = this.section.place === null ? null : this.view.rows.get(this.section.place);
    if (row) {
      row.classList.add("current", "violated");
      this.view.scrollTo(row);
    }
  }
}

const content = document.getElementById("content");
const contents = document.getElementById("contents");
const views = [];
let current = 0;

function showSection(index) {
  current = clamp(index, 0, data.sections.length - 1);
  if (data.sections.length === 0) return;
  if (!views[current]) views[current] = new SectionView(data.sections[current], current);
  content.replaceChildren(views[current].element);
  views[current].shown();
  for (const link of contents.querySelectorAll("a")) {
    if (Number(link.dataset.index) === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function sectionOfAddress() {
  const match = /^#result-(\d+)$/.exec(location.hash);
  return match ? Number(match[1]) - 1 : current;
}

function listSections() {
  if (data.sections.length < 2) return;
  const links = data.sections.map((section, index) =>
    el(
      "li",
      null,
      el(
        "a",
        { href: `#result-${index + 1}`, "data-index": index, title: section.file },
        el("span", { class: `dot ${verdictClass(section.verdict)}`, "aria-hidden": "true" }),
        el("span", { class: "file" }, section.file.split("/").pop()),
        el("span", { class: "quiet" }, ` ${section.property || "input"}: ${section.verdict}`),
      ),
    ),
  );
  contents.append(el("ul", null, links));
  contents.hidden = false;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const { target } = event;
  if (target.matches("input[type=search], select, textarea")) return;
  if (target.matches("input[type=range]") && event.key.length > 1) return;
  const view = views[current];
  if (view && view.main && view.main.key(event)) event.preventDefault();
});
window.addEventListener("hashchange", () => {
  if (/^#result-/.test(location.hash)) showSection(sectionOfAddress());
});

document.getElementById("version").textContent = data.rely;
listSections();
showSection(sectionOfAddress());
