// Small helpers. All text goes into the page as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element of the page. */
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of a picture. */
function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

let lastId = 0;
function freshId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many || one + "s"}`;

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** The class that gives something the colour of a thread. */
const threadClass = (thread) => `thread t${thread % 8}`;

/** Groups of a list by a key, in the order of first occurrence. */
function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

/** A part of the page with a heading. */
function panel(title, attributes, ...children) {
  const id = freshId("heading");
  const own = { ...attributes, class: `panel ${(attributes && attributes.class) || ""}`, "aria-labelledby": id };
  return el("section", own, el("h3", { id }, title), ...children);
}

/** Scrolls a box just as far as needed to show one of its children. */
function reveal(box, top, height, margin) {
  const room = margin || 0;
  if (top - room < box.scrollTop) box.scrollTop = Math.max(0, top - room);
  else if (top + height + room > box.scrollTop + box.clientHeight)
    box.scrollTop = top + height + room - box.clientHeight;
}

const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

/** Text in which `code` stands between backticks. */
const prose = (text) => text.split("`").map((part, index) => (index % 2 === 1 ? el("code", null, part) : part));

