/** Numbers and moments as people read them. */

import { language, t } from "./texts.js";

export function seconds(value) {
  if (value === null || value === undefined) return "–";
  return value < 10 ? `${value.toFixed(2)} s` : `${value.toFixed(1)} s`;
}

export function count(value) {
  return value === null || value === undefined ? "–" : new Intl.NumberFormat(language()).format(value);
}

/** A moment of the log (UTC) in the viewer's own time. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return String(text ?? "");
  return date.toLocaleString(language(), { dateStyle: "medium", timeStyle: "medium" });
}

/** The hour, with milliseconds: for lines that follow each other fast. */
export function clock(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return String(text ?? "");
  const time = date.toLocaleTimeString(language(), { hour12: false });
  return `${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

export function ago(text) {
  const passed = (Date.now() - new Date(text).getTime()) / 1000;
  if (!(passed >= 0)) return moment(text);
  if (passed < 60) return t("just now");
  if (passed < 3600) return t("{n} min ago", { n: Math.floor(passed / 60) });
  if (passed < 86400) return t("{n} h ago", { n: Math.floor(passed / 3600) });
  return moment(text);
}

/** What an action does, in a few words: its kind and what belongs to it. */
export function describeAction(action) {
  if (!action) return "–";
  const parts = [action.action];
  if (action.point) parts.push(pair(action.point));
  if (action.point1) parts.push(`${pair(action.point1)} → ${pair(action.point2)}`);
  if (action.element) parts.push(`#${action.element.index}`);
  if (action.direction) parts.push(action.direction);
  if (action.key) parts.push(action.key);
  for (const name of ["value", "return"]) {
    if (action[name] !== undefined && action[name] !== "") parts.push(`“${action[name]}”`);
  }
  return parts.join(" ");
}

function pair(point) {
  return point ? `(${point.map((value) => Math.round(value)).join(", ")})` : "";
}
