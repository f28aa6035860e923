/** Which pieces of a raw reply became which field of the action. Pure. */

const TEXT_FIELDS = [
  ["cot", "thought"], ["explain", "explain"], ["summary", "summary"],
  ["value", "value"], ["return", "value"], ["key", "value"], ["direction", "value"],
];
const NAME_WITHIN = 16;
const VERBS = {
  CLICK: ["click", "tap", "left_click"], DOUBLE_CLICK: ["double_click", "double tap", "left_double"],
  LONGPRESS: ["longpress", "long_press", "long press"], TYPE: ["type", "input", "input_text"],
  SLIDE: ["slide", "swipe", "drag"], SCROLL: ["scroll", "swipe"],
  AWAKE: ["awake", "launch", "open_app", "open"], HOT_KEY: ["hot_key", "hotkey", "press", "key", "system_button"],
  BACK: ["back", "press_back", "navigate_back"], HOME: ["home", "press_home", "navigate_home"],
  WAIT: ["wait"], INFO: ["info", "ask", "interact", "call_user"], ANSWER: ["answer"],
  COMPLETE: ["complete", "finish", "finished", "terminate", "done"], ABORT: ["abort", "fail", "terminate", "impossible"],
  TAKE_OVER: ["take_over", "takeover"],
};
const NUMBERS = /-?\d+(?:\.\d+)?(?:\s*(?:,|\s|<[^<>]{1,20}>|\]\s*,?\s*\[|\)\s*,?\s*\()\s*-?\d+(?:\.\d+)?){1,3}/g;

/**
 * The reply cut into pieces.
 *
 * @param {string} text The raw reply.
 * @param {object|null} action The action that was read from it.
 * @param {number[]|null} sentSize Size of the picture that the model saw, in pixels.
 * @param {string} refused The piece that a rejection names.
 * @returns {{text: string, field: string|null}[]} All of the text, in order.
 */
export function cutReply(text, action, sentSize, refused = "") {
  const spans = [];
  const take = (start, length, field) => {
    if (start < 0 || length === 0) return false;
    if (spans.some((span) => start < span.end && span.start < start + length)) return false;
    spans.push({ start, end: start + length, field });
    return true;
  };
  if (refused) take(text.indexOf(refused), refused.length, "refused");
  if (action) {
    const texts = TEXT_FIELDS.map(([name, field]) => [action[name], field, name])
      .filter(([value]) => typeof value === "string" && value !== "")
      .sort((one, other) => other[0].length - one[0].length);
    for (const [value, field, name] of texts) {
      findText(text, value, name, (start, length) => take(start, length, field));
    }
    findPoints(text, action, sentSize, (start, length) => take(start, length, "point"));
    findVerb(text, action.action, (start, length) => take(start, length, "action"));
  }
  return pieces(text, spans);
}

/**
 * As it stands, or as JSON writes it. Of several places the one behind the field's own name; else the
 * last that is free, for thoughts name things first.
 */
function findText(text, value, name, take) {
  for (const written of [value, JSON.stringify(value).slice(1, -1)]) {
    const places = [];
    for (let start = text.indexOf(written); start >= 0; start = text.indexOf(written, start + 1)) places.unshift(start);
    const isNamed = (start) => text.slice(Math.max(0, start - NAME_WITHIN), start).toLowerCase().includes(name);
    for (const start of [...places.filter(isNamed), ...places]) if (take(start, written.length)) return;
  }
}

function findVerb(text, kind, take) {
  const lower = text.toLowerCase();
  for (const verb of [String(kind || "").toLowerCase(), ...(VERBS[kind] || [])]) {
    if (!verb) continue;
    const found = [...lower.matchAll(new RegExp(`(?<![a-z_])${verb.replace(/[^a-z_ ]/g, "")}(?![a-z_])`, "g"))];
    for (const match of found.reverse()) if (take(match.index, match[0].length)) return;
  }
}

/** Numbers that mean the action's point in one of the usual frames: 0-1000, pixels, 0-1. */
function findPoints(text, action, sentSize, take) {
  const wanted = [action.point, action.point1, action.point2].filter(Boolean);
  const frames = [[1, 1], [1000 / 999, 1000 / 999], [1000, 1000]];
  if (sentSize) frames.push([1000 / sentSize[0], 1000 / sentSize[1]]);
  for (const match of [...text.matchAll(NUMBERS)].reverse()) {
    const numbers = match[0].match(/-?\d+(?:\.\d+)?/g).map(Number);
    const centre = numbers.length === 4
      ? [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2] : numbers.slice(0, 2);
    const isHit = frames.some(([x, y]) => wanted.some((point) =>
      [centre, numbers.slice(0, 2), numbers.slice(2, 4)].some((pair) => pair.length === 2 &&
        Math.abs(pair[0] * x - point[0]) <= 1 && Math.abs(pair[1] * y - point[1]) <= 1)));
    if (isHit) take(match.index, match[0].length);
  }
}

function pieces(text, spans) {
  const cut = [];
  let position = 0;
  for (const span of spans.sort((one, other) => one.start - other.start)) {
    if (span.start > position) cut.push({ text: text.slice(position, span.start), field: null });
    cut.push({ text: text.slice(span.start, span.end), field: span.field });
    position = span.end;
  }
  if (position < text.length || !cut.length) cut.push({ text: text.slice(position), field: null });
  return cut;
}
