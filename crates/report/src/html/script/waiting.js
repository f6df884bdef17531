// Who waits for whom: threads in a ring, and an arrow from each that waits to the one that it waits for.

const RING = { node: 120, height: 34, row: 96, arrow: 9 };

/** Whom nobody will help has an arrow to nowhere. */
const NOBODY = "nobody";

/** The picture of some arrows, if there are any. */
function waitingPicture(arrows) {
  if (arrows.length === 0) return null;
  const names = waitingOrder(arrows);
  const radius = Math.max(RING.row, (names.length * RING.node) / 4);
  const width = 2 * radius + 2 * RING.node;
  const height = names.length === 1 ? 3 * RING.height : 2 * radius + 2 * RING.height;
  const middle = { x: width / 2, y: height / 2 };
  const place = (index) => {
    const angle = (2 * Math.PI * index) / names.length - Math.PI / 2;
    const around = names.length === 1 ? 0 : radius;
    return { x: middle.x + around * Math.cos(angle), y: middle.y + around * Math.sin(angle) };
  };
  const places = new Map(names.map((name, index) => [name, place(index)]));
  const told = arrows.map((arrow) => `${arrow.thread} waits for ${arrow.what}${arrow.whom ? `, which is up to ${arrow.whom}` : ""}`).join("; ");
  const picture = svg(
    "svg",
    { class: "waiting-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told, style: `max-width: ${width}px` },
    svg("defs", null, svg("marker", { id: "waits-for", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M 0 0 L 10 5 L 0 10 z", fill: "currentColor" }))),
    arrows.map((arrow) => waitingArrow(arrow, places)),
    names.map((name) => waitingNode(name, places.get(name))),
  );
  return panel("Who waits for whom", { class: "waiting" }, picture);
}

/** All threads, each in front of the one that it waits for, so that a cycle is a ring. */
function waitingOrder(arrows) {
  const names = [];
  const add = (name) => {
    if (names.includes(name)) return;
    names.push(name);
    const next = arrows.find((arrow) => arrow.thread === name);
    if (next) add(next.whom || NOBODY);
  };
  arrows.forEach((arrow) => add(arrow.thread));
  return names;
}

function waitingNode(name, { x, y }) {
  const box = { x: x - RING.node / 2, y: y - RING.height / 2, width: RING.node, height: RING.height, rx: 6, fill: "none", stroke: name === NOBODY ? "none" : "currentColor" };
  return svg("g", null, svg("rect", box), svg("text", { x, y: y + 5, "text-anchor": "middle", fill: "currentColor" }, name === NOBODY ? "nobody will do it" : name));
}

/** A line from the edge of one box to the edge of the other, with what is waited for beside its middle. */
function waitingArrow(arrow, places) {
  const from = places.get(arrow.thread);
  const to = places.get(arrow.whom || NOBODY);
  if (from === to) {
    const right = from.x + RING.node / 2;
    const path = `M ${right} ${from.y - 8} c 40 -24 40 40 0 16`;
    return svg("g", null, svg("path", { d: path, fill: "none", stroke: "currentColor", "marker-end": "url(#waits-for)" }), svg("text", { x: right + 34, y: from.y + 5, fill: "currentColor" }, arrow.what));
  }
  // Two that wait for each other have an arrow on each side.
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const side = { x: (-(to.y - from.y) / length) * RING.arrow, y: ((to.x - from.x) / length) * RING.arrow };
  const start = boxEdge(from, to);
  const end = boxEdge(to, from);
  // Nearer to who waits, so that what two arrows between the same boxes say is not in one place.
  const label = { x: start.x + 0.35 * (end.x - start.x) + 2 * side.x, y: start.y + 0.35 * (end.y - start.y) + 2 * side.y };
  const line = { x1: start.x + side.x, y1: start.y + side.y, x2: end.x + side.x, y2: end.y + side.y, stroke: "currentColor", "marker-end": "url(#waits-for)" };
  const what = arrow.whom && arrow.what === `the end of ${arrow.whom}` ? "its end" : arrow.what;
  const anchor = side.x > 1 ? "start" : side.x < -1 ? "end" : "middle";
  return svg("g", null, svg("line", line), svg("text", { x: label.x, y: label.y + 4, "text-anchor": anchor, fill: "currentColor" }, what));
}

/** Where the way from the middle of one box to another one leaves it. */
function boxEdge(from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const scale = Math.min(RING.node / 2 / Math.max(Math.abs(dx), 0.1), RING.height / 2 / Math.max(Math.abs(dy), 0.1));
  return { x: from.x + dx * scale, y: from.y + dy * scale };
}
