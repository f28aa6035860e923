/** What an action aims at, drawn over the screenshot. Pure. */

import { svg } from "../dom.js";

/**
 * An overlay in pixels of the screenshot; null where the action has no place.
 *
 * @param {object|null} action Points in 0-1000 of the upright screenshot.
 * @param {number[]} size Width and height of the screenshot in pixels.
 * @param {object|null} element The numbered element that the action names, bounds in 0-1000.
 */
export function drawTarget(action, size, element = null) {
  if (!action || !size) return null;
  const [width, height] = size;
  const place = (point) => [(point[0] * width) / 1000, (point[1] * height) / 1000];
  const thick = Math.max(width, height) / 170;
  const parts = [];
  if (element?.bounds) {
    const [left, top] = place(element.bounds);
    const [right, bottom] = place(element.bounds.slice(2));
    parts.push(...twice("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: thick * 2 }, thick));
  }
  if (action.point1 && action.point2) parts.push(...arrow(place(action.point1), place(action.point2), thick));
  else if (action.point && (action.direction || action.finger)) {
    parts.push(...arrow(place(action.point), moved(place(action.point), action.finger, width, height), thick));
  } else if (action.point) parts.push(...ring(place(action.point), thick, action.action));
  else if (element?.bounds) {
    const [left, top, right, bottom] = element.bounds;
    parts.push(...ring(place([(left + right) / 2, (top + bottom) / 2]), thick, action.action));
  }
  if (!parts.length) return null;
  return svg("svg", { class: "target", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, parts);
}

function ring([x, y], thick, kind) {
  const radius = thick * 6;
  const parts = [...twice("circle", { cx: x, cy: y, r: radius }, thick), dot(x, y, thick)];
  if (kind === "DOUBLE_CLICK" || kind === "LONGPRESS") {
    parts.push(...twice("circle", { cx: x, cy: y, r: radius * 1.6 }, thick));
  }
  return parts;
}

function arrow([x1, y1], [x2, y2], thick) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const wing = (turn) => [x2 - thick * 6 * Math.cos(angle + turn), y2 - thick * 6 * Math.sin(angle + turn)];
  const [left, right] = [wing(0.5), wing(-0.5)];
  const d = `M${x1} ${y1}L${x2} ${y2}M${left}L${x2} ${y2}L${right}`;
  return [...twice("path", { d }, thick), dot(x1, y1, thick * 1.5)];
}

function moved([x, y], finger, width, height) {
  const far = 0.25;
  const steps = { up: [0, -far], down: [0, far], left: [-far, 0], right: [far, 0] };
  const [dx, dy] = steps[finger] || [0, 0];
  return [x + dx * width, y + dy * height];
}

/** A shape seen on light and on dark screens: a white edge below the red line. */
function twice(name, attributes, thick) {
  return [
    svg(name, { ...attributes, class: "edge", "stroke-width": thick * 2.2 }),
    svg(name, { ...attributes, class: "line", "stroke-width": thick }),
  ];
}

function dot(x, y, radius) {
  return svg("circle", { cx: x, cy: y, r: radius, class: "dot" });
}
