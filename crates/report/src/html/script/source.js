// The source: lines with numbers, colours for its words, and room for marks in the margin.

const LINES_PER_CHUNK = 100;
const MOST_COLOURED_LINES = 6000;
const WORDS = new Set(
  ("auto break case char const continue default do double else enum extern float for goto if inline int long " +
    "register return short signed sizeof static struct switch typedef union unsigned void volatile while bool " +
    "_Bool _Atomic thread_local var thread local mutex lock unlock atomic await invariant never ensures requires " +
    "assert assume true false spawn join template process proc choose havoc skip any terminates at and or not " +
    "pthread_t pthread_mutex_t pthread_cond_t NULL").split(" "),
);
const TOKEN = /\/\*|\/\/.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\w.]*|[A-Za-z_]\w*|#\s*[a-z]+/g;

/** The words of a line in colours; tells whether a comment goes on in the next line. */
function colourLine(text, inComment, into) {
  const put = (kind, part) => {
    if (part) into.append(kind ? el("span", { class: kind }, part) : part);
  };
  let at = 0;
  if (inComment) {
    const end = text.indexOf("*/");
    if (end < 0) {
      put("c", text);
      return true;
    }
    put("c", text.slice(0, end + 2));
    at = end + 2;
  }
  TOKEN.lastIndex = at;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const token = match[0];
    if (token === "/*") {
      put("", text.slice(at, match.index));
      const end = text.indexOf("*/", match.index + 2);
      put("c", end < 0 ? text.slice(match.index) : text.slice(match.index, end + 2));
      if (end < 0) return true;
      at = end + 2;
      TOKEN.lastIndex = at;
      continue;
    }
    let kind = "";
    if (token.startsWith("//")) kind = "c";
    else if (token[0] === '"' || token[0] === "'") kind = "s";
    else if (token[0] === "#") kind = "k";
    else if (/\d/.test(token[0])) kind = "n";
    else if (WORDS.has(token)) kind = "k";
    if (kind) {
      put("", text.slice(at, match.index));
      put(kind, token);
      at = match.index + token.length;
    }
  }
  put("", text.slice(at));
  return false;
}

/** A view of one source. `margins` makes the cells beside the code of a line. */
class SourceView {
  constructor(sources, margins) {
    this.sources = sources;
    this.margins = margins || (() => []);
    this.index = null;
    this.rows = new Map();
    this.name = el("span", { class: "file-name" });
    this.box = el("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source" });
    this.element = el("div", { class: "source-frame" }, this.name, this.box);
  }

  /** Shows a source, unless it is shown already. */
  show(index) {
    if (index === null || index === undefined || index === this.index) return;
    this.index = index;
    const source = this.sources[index];
    this.rows.clear();
    this.name.textContent = source.name;
    this.box.setAttribute("aria-label", `Source of ${source.name}`);
    this.box.replaceChildren();
    const coloured = source.parts.reduce((sum, part) => sum + part.lines.length, 0) <= MOST_COLOURED_LINES;
    let next = 1;
    for (const part of source.parts) {
      if (part.first > next) this.gap(part.first - next);
      this.part(part, coloured);
      next = part.first + part.lines.length;
    }
    if (next <= source.total) this.gap(source.total - next + 1);
  }

  gap(count) {
    this.box.append(el("div", { class: "gap quiet" }, `${plural(count, "line")} left out`));
  }

  part(part, coloured) {
    let inComment = false;
    for (let start = 0; start < part.lines.length; start += LINES_PER_CHUNK) {
      const lines = part.lines.slice(start, start + LINES_PER_CHUNK);
      const chunk = el("div", { class: "chunk" });
      chunk.style.containIntrinsicSize = `auto ${lines.length * 1.5}em`;
      lines.forEach((text, offset) => {
        const line = part.first + start + offset;
        const code = el("code");
        if (coloured) inComment = colourLine(text, inComment, code);
        else code.append(text);
        const row = el(
          "div",
          { class: "line", "data-line": line },
          el("span", { class: "no", "aria-hidden": "true" }, String(line)),
          this.margins(this.index, line),
          code,
        );
        this.rows.set(line, row);
        chunk.append(row);
      });
      this.box.append(chunk);
    }
  }

  row(spot) {
    return spot && spot[0] === this.index ? this.rows.get(spot[1]) : undefined;
  }

  /** Scrolls to a line, if the view scrolls by itself. */
  scrollTo(row) {
    if (row) reveal(this.box, row.offsetTop, row.offsetHeight, this.box.clientHeight / 4);
  }
}

