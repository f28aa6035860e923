/** Two runs side by side: the same step of each in one row. */

import { address, get, part } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { describeAction, moment } from "./format.js";
import { t } from "./texts.js";
import { picturesOf } from "./trace-page.js";
import { readTrace } from "./trace/reading.js";
import { actionLine, pictureWithTarget, troubles, words } from "./trace/step-parts.js";

export async function showCompare(page) {
  page.retitle(t("Compare"));
  const ids = [page.query.get("a"), page.query.get("b")];
  if (!ids[1]) {
    await chooseOther(page, ids[0]);
    return;
  }
  const traces = await Promise.all(ids.map((id) => get(`/v1/sessions/${part(id)}/trace`)));
  if (page.signal.aborted) return;
  const sides = traces.map((trace, place) => ({ ...readTrace(trace), id: ids[place], pictures: picturesOf(ids[place]) }));
  const length = Math.max(...sides.map((side) => side.items.length));
  const first = [...Array(length).keys()].find((place) => !isSame(sides, place));
  show(page.content,
    h("h1", {}, t("Compare")),
    h("p", {}, first === undefined ? t("Every step is the same.") : t("They part at step {n}.", { n: first + 1 })),
    h("div.compare", {},
      sides.map((side) => h("section.card", {}, h("h2", {}, h("a", { href: `#/sessions/${part(side.id)}` }, foreign(side.session.task))),
        h("p.small.muted.wrap", {}, [side.session.task_type, side.session.model_config?.model_name, side.session.stop_reason, t("{n} steps", { n: side.items.length })].filter(Boolean).join(" · ")))),
      [...Array(length).keys()].map((place) => sides.map((side) => cell(side, place, isSame(sides, place))))));
}

/** The same in what is done; a few thousandths beside each other is the same place. */
function isSame(sides, place) {
  const [one, other] = sides.map((side) => side.items[place]?.action);
  if (!one || !other) return false;
  const near = (name) => (!one[name] && !other[name]) || (one[name] && other[name] && one[name].every((value, axis) => Math.abs(value - other[name][axis]) <= 20));
  return one.action === other.action && one.value === other.value && one.key === other.key && one.direction === other.direction &&
    ["point", "point1", "point2"].every(near);
}

function cell(side, place, same) {
  const item = side.items[place];
  if (!item) return h("section.card.muted", {}, t("ended before"));
  return h(`section.card.step${same ? "" : ".differs"}`, {},
    item.hasPicture ? h("a.shot", { href: `#/sessions/${part(side.id)}/steps/${part(item.key)}`, "aria-label": `${t("Step")} ${item.number}: ${describeAction(item.action)}` },
      pictureWithTarget(side.pictures.thumbnail(item.number), item, "")) : null,
    h("div", {}, h("p.small.muted", {}, `${t("Step")} ${item.number}`, same ? "" : ` · ${t("differs")}`), actionLine(item), words(item), troubles(item)));
}

async function chooseOther(page, id) {
  const session = await get(`/v1/sessions/${part(id)}`);
  const { sessions } = await get(address("/v1/sessions", { q: session.task, limit: 50 }));
  if (page.signal.aborted) return;
  const others = sessions.filter((one) => one.session_id !== id);
  show(page.content, h("h1", {}, t("Compare with…")), foreign(session.task, "p"),
    others.length ? h("ul.cards", {}, others.map((one) => h("li.card.row.apart", {},
      h("a", { href: `#/compare?a=${part(id)}&b=${part(one.session_id)}` }, foreign(one.task)),
      h("span.small.muted", {}, `${moment(one.created_at)} · ${one.stop_reason || t("session open")}`))))
      : h("p.card", {}, t("There is no other run of this task. Choose two under Sessions.")));
}
