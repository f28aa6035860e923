/**
 * Elements from data. Texts only ever become text nodes: nothing here reads HTML.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element: `h("button.main", {onclick: go, "aria-label": "Go"}, "Go")`.
 *
 * Attributes that are null, undefined or false are left out; `on...` are listeners; `.name` sets a
 * property. Children are strings, numbers, nodes, or lists of them; empty ones are left out.
 */
export function h(spec, attributes = {}, ...children) {
  const [name, ...classes] = spec.split(".");
  return fill(document.createElement(name || "div"), classes, attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), [], attributes, children);
}

function fill(element, classes, attributes, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === "") continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Put other children into an element; what had the focus keeps it where its `id` is still there. */
export function show(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren();
  append(element, children);
  if (focused) document.getElementById(focused)?.focus();
}

/** A foreign text that cannot turn round the words beside it. */
export function foreign(text, spec = "bdi") {
  return h(spec, {}, visible(text));
}

/** Characters that steer a terminal or the direction of writing, made visible. */
export function visible(text) {
  return String(text ?? "").replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
