// How the engine got there: rounds of refinement as curves, the final trees as pictures.

const NODE_WIDTH = 132;
const NODE_HEIGHT = 36;
const GAP_X = 34;
const GAP_Y = 10;
const FIRST_NODES = 40;
const MOST_LISTED_ROUNDS = 200;

class HistoryView {
  constructor(history) {
    this.history = history;
    this.rounds = [];
  }

  elements() {
    const parts = [];
    if (this.history.rounds.length > 0) parts.push(this.roundsPanel());
    if (this.history.trees.length > 0) parts.push(this.treesPanel());
    return parts;
  }

  roundsPanel() {
    const { rounds } = this.history;
    const names = rounds[0].counts.map(([name]) => name).filter((name) => !/^iterations?$/.test(name));
    const charts = names.map((name) => this.chart(name));
    const items = rounds.slice(0, MOST_LISTED_ROUNDS).map((round, index) => {
      const found = round.found.map((text) => el("li", null, el("code", null, text)));
      const item = el(
        "li",
        null,
        el("details", null, el("summary", null, el("b", null, `Round ${index + 1}`), ` ${round.headline}`), found.length > 0 ? el("ul", null, found) : el("p", { class: "quiet" }, "nothing new")),
      );
      this.rounds.push(item);
      return item;
    });
    const more = rounds.length - items.length;
    return panel(
      "Refinement",
      { class: "history" },
      el("p", { class: "quiet" }, `${plural(rounds.length, "round")}. In each, the engine looked for a violation in its picture of the program; a false one made the picture finer.`),
      charts.length > 0 ? el("div", { class: "charts" }, charts) : null,
      el("ol", { class: "rounds" }, items),
      more > 0 ? el("p", { class: "quiet" }, `and ${plural(more, "more round")}`) : null,
    );
  }

  /** One count over the rounds. */
  chart(name) {
    const values = this.history.rounds.map((round) => {
      const known = round.counts.find(([other]) => other === name);
      return known ? known[1] : 0;
    });
    const [width, height, left, bottom, top] = [320, 150, 44, 22, 10];
    const high = Math.max(1, ...values);
    const x = (index) => left + (values.length === 1 ? 0.5 : index / (values.length - 1)) * (width - left - 12);
    const y = (value) => height - bottom - (value / high) * (height - bottom - top);
    const grid = [0, high / 2, high].map((value) => [
      svg("line", { class: "grid", x1: left, x2: width - 12, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, Number.isInteger(value) ? value.toLocaleString("en") : ""),
    ]);
    const dots = values.map((value, index) =>
      svg("circle", { cx: x(index), cy: y(value), r: values.length > 60 ? 2 : 4, onclick: () => this.openRound(index) }, svg("title", null, `round ${index + 1}: ${plural(value, name, name)}`)),
    );
    const line = svg("polyline", { points: values.map((value, index) => `${x(index)},${y(value)}`).join(" ") });
    const label = `${name} per round: from ${values[0].toLocaleString("en")} to ${values[values.length - 1].toLocaleString("en")} in ${plural(values.length, "round")}`;
    return el(
      "figure",
      null,
      el("figcaption", null, name),
      svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
        grid,
        line,
        dots,
        svg("text", { x: x(0), y: height - 6, "text-anchor": values.length === 1 ? "middle" : "start" }, values.length === 1 ? "round 1" : "1"),
        values.length > 1 ? svg("text", { x: x(values.length - 1), y: height - 6, "text-anchor": "end" }, `round ${values.length}`) : null,
      ),
    );
  }

  openRound(index) {
    const item = this.rounds[index];
    if (!item) return;
    item.firstElementChild.open = true;
    item.scrollIntoView({ block: "nearest" });
    item.querySelector("summary").focus();
  }

  treesPanel() {
    const { trees } = this.history;
    const holder = el("div");
    const show = (index) => {
      tabs.forEach((tab, number) => tab.setAttribute("aria-pressed", String(number === index)));
      holder.replaceChildren(new TreeView(trees[index]).element);
    };
    const tabs = trees.map((tree, index) => el("button", { type: "button", "aria-pressed": "false", onclick: () => show(index) }, tree.title, el("span", { class: "quiet" }, ` ${tree.total}`)));
    show(0);
    return panel(
      "Abstract reachability",
      { class: "trees" },
      el("p", { class: "quiet" }, "What the engine knows about each thread in the end: a node is a place together with what is known there. Dashed steps are made by other threads. A dotted node says nothing new. Click + and − to fold; in the picture, arrow keys move and fold."),
      el("div", { class: "tabs", role: "group", "aria-label": "Threads" }, tabs),
      holder,
    );
  }
}

/** A tree from left to right; what is below a folded node is hidden. */
class TreeView {
  constructor(tree) {
    this.tree = tree;
    this.children = tree.nodes.map(() => []);
    this.roots = [];
    tree.nodes.forEach((node, index) => (node.p === null ? this.roots : this.children[node.p]).push(index));
    this.depth = tree.nodes.map(() => 0);
    tree.nodes.forEach((node, index) => {
      if (node.p !== null) this.depth[index] = this.depth[node.p] + 1;
    });
    this.folded = this.initiallyFolded();
    this.selected = this.roots[0];
    this.id = freshId("node");
    this.threads = [...new Set(tree.nodes.map((node) => node.by).filter((by) => by))];
    this.picture = svg("svg", { class: "tree", tabindex: "0", role: "tree", "aria-label": `Tree of ${tree.title}`, onkeydown: (event) => this.key(event) });
    this.detail = el("div", { class: "node-detail", "aria-live": "polite" });
    const cutOff = tree.total - tree.nodes.length;
    this.box = el("div", { class: "tree-box" }, this.picture);
    this.element = el("div", null, this.box, this.detail, cutOff > 0 ? el("p", { class: "quiet" }, `${plural(cutOff, "more node")} left out`) : null);
    this.draw();
  }

  /** Breadth first, until the picture is full. */
  initiallyFolded() {
    const folded = new Set();
    const queue = [...this.roots];
    let visible = queue.length;
    for (let at = 0; at < queue.length; at += 1) {
      const children = this.children[queue[at]];
      if (children.length === 0) continue;
      if (visible + children.length > FIRST_NODES) folded.add(queue[at]);
      else {
        visible += children.length;
        queue.push(...children);
      }
    }
    return folded;
  }

  /** The visible nodes in the order of the picture, without recursion: trees can be deep. */
  visible() {
    const order = [];
    const stack = [...this.roots].reverse();
    while (stack.length > 0) {
      const node = stack.pop();
      order.push(node);
      if (!this.folded.has(node)) stack.push(...[...this.children[node]].reverse());
    }
    return order;
  }

  draw() {
    const order = this.visible();
    const row = new Map();
    let leaves = 0;
    for (const node of [...order].reverse()) {
      const below = this.folded.has(node) ? [] : this.children[node];
      if (below.length === 0) {
        row.set(node, leaves);
        leaves += 1;
      } else row.set(node, (row.get(below[0]) + row.get(below[below.length - 1])) / 2);
    }
    // Leaves were counted from the bottom.
    const y = (node) => (leaves - 1 - row.get(node)) * (NODE_HEIGHT + GAP_Y) + 4;
    const x = (node) => this.depth[node] * (NODE_WIDTH + GAP_X) + 4;
    const deepest = order.reduce((most, node) => Math.max(most, this.depth[node]), 0);
    this.picture.setAttribute("width", (deepest + 1) * (NODE_WIDTH + GAP_X) + 8);
    this.picture.setAttribute("height", leaves * (NODE_HEIGHT + GAP_Y) + 8);
    this.order = order;
    this.position = { x, y };
    this.picture.replaceChildren(...order.map((node) => this.link(node, x, y)).filter((link) => link), ...order.map((node) => this.node(node, x(node), y(node))));
    this.select(this.selected);
  }

  link(node, x, y) {
    const { p, by } = this.tree.nodes[node];
    if (p === null) return null;
    const [startX, startY, endX, endY] = [x(p) + NODE_WIDTH, y(p) + NODE_HEIGHT / 2, x(node), y(node) + NODE_HEIGHT / 2];
    const middle = (startX + endX) / 2;
    return svg("path", { class: by ? "link-line by-other" : "link-line", d: `M${startX} ${startY} C${middle} ${startY} ${middle} ${endY} ${endX} ${endY}` });
  }

  /** Places without a name of their own are known by their line. */
  place(node) {
    return node.at && /^location \d+$/.test(node.place) ? `line ${node.at[1]}` : node.place;
  }

  node(index, x, y) {
    const node = this.tree.nodes[index];
    const children = this.children[index].length;
    const folded = this.folded.has(index);
    const place = this.place(node);
    const step = node.by ? `${node.by}: ${node.step}` : node.step;
    const group = svg(
      "g",
      {
        id: `${this.id}-${index}`,
        class: `tree-node${node.covered ? " covered" : ""}${node.by ? " by-other" : ""}`,
        role: "treeitem",
        "aria-level": this.depth[index] + 1,
        "aria-expanded": children > 0 ? String(!folded) : null,
        "aria-label": `${place}, after ${step}${node.facts.length > 0 ? ": " + node.facts.join(", ") : ""}`,
        transform: `translate(${x} ${y})`,
        onclick: () => this.select(index),
      },
      svg("rect", { width: NODE_WIDTH, height: NODE_HEIGHT, rx: 7 }),
      svg("text", { x: 9, y: 15, class: "place" }, cut(place, 16)),
      svg("text", { x: 9, y: 29, class: "step" }, cut(step, 17)),
    );
    if (children > 0) group.append(this.handle(index, folded));
    return group;
  }

  handle(index, folded) {
    const toggle = (event) => {
      event.stopPropagation();
      this.selected = index;
      this.toggle(index);
    };
    return svg(
      "g",
      { class: "handle", onclick: toggle, transform: `translate(${NODE_WIDTH} ${NODE_HEIGHT / 2})` },
      svg("circle", { r: 9 }),
      svg("text", { y: 4.5, "text-anchor": "middle" }, folded ? "+" : "−"),
    );
  }

  toggle(index) {
    if (this.children[index].length === 0) return;
    if (this.folded.has(index)) this.folded.delete(index);
    else this.folded.add(index);
    this.draw();
  }

  select(index) {
    if (index === undefined) return;
    this.selected = index;
    const node = this.tree.nodes[index];
    for (const element of this.picture.querySelectorAll(".selected")) element.classList.remove("selected");
    const element = this.picture.querySelector(`#${this.id}-${index}`);
    if (element) element.classList.add("selected");
    this.picture.setAttribute("aria-activedescendant", `${this.id}-${index}`);
    const facts = node.facts.map((fact) => el("li", null, el("code", null, fact)));
    this.detail.replaceChildren(
      el("h4", null, this.place(node), node.at && this.place(node) === node.place ? el("span", { class: "quiet" }, ` line ${node.at[1]}`) : ""),
      el("p", null, node.by ? `after a step of ${node.by}: ` : "after ", el("code", null, node.step)),
      facts.length > 0 ? el("ul", { class: "facts" }, facts) : el("p", { class: "quiet" }, "nothing is known"),
      node.covered ? el("p", { class: "quiet" }, "another node says as much, so nothing follows from this one") : "",
    );
  }

  key(event) {
    const at = this.order.indexOf(this.selected);
    const below = this.children[this.selected];
    const { p } = this.tree.nodes[this.selected];
    let target = null;
    if (event.key === "ArrowDown") target = this.order[at + 1];
    else if (event.key === "ArrowUp") target = this.order[at - 1];
    else if (event.key === "Home") [target] = this.order;
    else if (event.key === "End") target = this.order[this.order.length - 1];
    else if (event.key === "Enter" || event.key === " ") this.toggle(this.selected);
    else if (event.key === "ArrowRight" && this.folded.has(this.selected)) this.toggle(this.selected);
    else if (event.key === "ArrowRight") [target] = below;
    else if (event.key === "ArrowLeft" && below.length > 0 && !this.folded.has(this.selected)) this.toggle(this.selected);
    else if (event.key === "ArrowLeft") target = p;
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (target === null || target === undefined) return;
    this.select(target);
    reveal(this.box, this.position.y(target), NODE_HEIGHT, 20);
    const x = this.position.x(target);
    if (x < this.box.scrollLeft || x + NODE_WIDTH > this.box.scrollLeft + this.box.clientWidth) this.box.scrollLeft = x - 20;
  }
}

