// The source: lines with numbers, colours for its words, and room for marks in the margin.

const LINES_PER_CHUNK = 100;
const WORDS = new Set(
  ("auto break case char const continue default do double else enum extern float for goto if inline int long " +
    "register return short signed sizeof static struct switch typedef union unsigned void volatile while bool " +
    "_Bool _Atomic thread_local var thread local mutex lock unlock atomic await invariant never ensures requires " +
    "assert assume true false spawn join template process proc choose havoc skip any terminates at and or not " +
    "forall exists in start const where with " +
    "pthread_t pthread_mutex_t pthread_cond_t NULL").split(" "),
);
const TOKEN = /\/\*|\/\/.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d\w*(?:\.\d\w*)?|[A-Za-z_]\w*|#\s*[a-z]+/g;

/** Whether a comment goes on behind a line. */
function commentAfter(text, inComment) {
  if (!text.includes(inComment ? "*/" : "/*")) return inComment;
  return eachToken(text, inComment, () => {});
}

/** Puts the words of a line into an element, in colours. */
function colourLine(text, inComment, into) {
  into.textContent = "";
  eachToken(text, inComment, (kind, part) => {
    if (!part) return;
    if (!kind) return into.append(part);
    const word = document.createElement("span");
    word.className = kind;
    word.textContent = part;
    into.append(word);
  });
}

/** Calls `put` with the parts of a line and their kinds; tells whether a comment goes on behind it. */
function eachToken(text, inComment, put) {
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

/** A line without its text. */
const LINE = el("div", { class: "line" }, el("span", { class: "no", "aria-hidden": "true" }), el("code"));

/** A view of one source. `margins` makes the cells beside the code of a line. */
class SourceView {
  constructor(sources, margins) {
    this.sources = sources;
    this.margins = margins || (() => []);
    this.index = null;
    this.rows = new Map();
    // Colours come when a part of the text can be seen.
    this.pending = new Map();
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && this.colour(entry.target)), {
      rootMargin: "400px",
    });
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
    this.pending.clear();
    this.observer.disconnect();
    this.name.textContent = source.name;
    this.box.setAttribute("aria-label", `Source of ${source.name}`);
    this.box.replaceChildren();
    let next = 1;
    for (const part of source.parts) {
      if (part.first > next) this.gap(part.first - next);
      this.part(part);
      next = part.first + part.lines.length;
    }
    if (next <= source.total) this.gap(source.total - next + 1);
  }

  gap(count) {
    this.box.append(el("div", { class: "gap quiet" }, `${plural(count, "line")} left out`));
  }

  part(part) {
    let inComment = false;
    for (let start = 0; start < part.lines.length; start += LINES_PER_CHUNK) {
      const lines = part.lines.slice(start, start + LINES_PER_CHUNK);
      const chunk = el("div", { class: "chunk" });
      chunk.style.containIntrinsicSize = `auto ${lines.length * 1.55}em`;
      lines.forEach((text, offset) => chunk.append(this.line(part.first + start + offset, text)));
      this.box.append(chunk);
      this.pending.set(chunk, { lines, first: part.first + start, inComment });
      this.observer.observe(chunk);
      inComment = lines.reduce((inside, text) => commentAfter(text, inside), inComment);
    }
  }

  line(number, text) {
    const row = LINE.cloneNode(true);
    row.dataset.line = number;
    row.firstChild.textContent = number;
    row.lastChild.textContent = text;
    row.lastChild.before(...this.margins(this.index, number));
    this.rows.set(number, row);
    return row;
  }

  colour(chunk) {
    this.observer.unobserve(chunk);
    const { lines, first, inComment } = this.pending.get(chunk) || { lines: [] };
    this.pending.delete(chunk);
    lines.reduce((inside, text, offset) => {
      colourLine(text, inside, this.rows.get(first + offset).querySelector("code"));
      return commentAfter(text, inside);
    }, inComment);
  }

  row(point) {
    return point && point[0] === this.index ? this.rows.get(point[1]) : undefined;
  }

  /** Where a line is inside of the box, scrolled as it may be. */
  topOf(row) {
    return row.getBoundingClientRect().top - this.box.getBoundingClientRect().top + this.box.scrollTop;
  }

  /** Scrolls to a line, if the view scrolls by itself. */
  scrollTo(row) {
    if (row) reveal(this.box, this.topOf(row), row.offsetHeight, this.box.clientHeight / 4);
  }
}

