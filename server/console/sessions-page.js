/** Sessions: searched, paged, deleted, and two of them chosen to be compared. */

import { address, call, get, part } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { ago, count } from "./format.js";
import { askPerson } from "./live-phone.js";
import { t } from "./texts.js";

const PAGE = 50;
const FIELDS = ["q", "app", "task_type", "model", "state", "stop_reason", "since", "until"];
const REASONS = [
  "TASK_COMPLETED_SUCCESSFULLY", "TASK_ABORTED_BY_AGENT", "INFO_ACTION_NEEDS_REPLY", "MAX_STEPS_REACHED", "PARSE_FAILED",
  "MODEL_FAILED", "DEVICE_FAILED", "POLICY_DENIED", "LOOP_DETECTED", "STOPPED_BY_USER", "REPLY_TIMEOUT", "DEADLINE_REACHED",
  "COST_LIMIT_REACHED", "INTERRUPTED", "MANUAL_STOP_SCREEN_OFF",
];
const WAIT_MS = 250;

export async function showSessions(page) {
  page.retitle(t("Sessions"));
  const chosen = new Set();
  let offset = Number(page.query.get("offset")) || 0;
  const results = h("div", { "aria-live": "polite", "aria-label": t("Found"), role: "region" });
  const compare = h("button", { type: "button", id: "compare", disabled: true, onclick: () => {
    const [a, b] = chosen;
    location.hash = `#/compare?a=${part(a)}&b=${part(b)}`;
  } }, t("Compare two"));
  const remove = h("button", { type: "button", id: "delete", disabled: true, onclick: () => deleteChosen() }, t("Delete"));
  const form = searchForm(page.query);
  const tools = () => {
    compare.disabled = chosen.size !== 2;
    remove.disabled = chosen.size === 0;
  };
  let wait = 0;
  let asked = 0;

  const search = async () => {
    const number = ++asked;
    const wanted = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value.trim()]));
    history.replaceState(null, "", `#${address("/sessions", { ...wanted, offset: offset || "" })}`);
    try {
      const found = await get(address("/v1/sessions", { ...wanted, limit: PAGE, offset: offset || "" }));
      if (number !== asked || page.signal.aborted) return;
      show(results, found.sessions.length ? table(found.sessions, chosen, tools) : h("p.card", {}, t("Nothing found.")), pages(found.total));
    } catch (error) {
      if (!page.signal.aborted) page.fail(error, results);
    }
  };
  const pages = (total) => h("div.row.apart", {},
    h("p.muted.small", {}, t("{from}–{to} of {n}", { from: count(Math.min(offset + 1, total)), to: count(Math.min(offset + PAGE, total)), n: count(total) })),
    h("div.row", {},
      h("button", { type: "button", disabled: offset === 0, onclick: () => turn(-PAGE) }, t("Newer")),
      h("button", { type: "button", disabled: offset + PAGE >= total, onclick: () => turn(PAGE) }, t("Older"))));
  const turn = (by) => {
    offset = Math.max(0, offset + by);
    search();
  };
  const deleteChosen = async () => {
    if (!(await askPerson(t("Delete {n} sessions for good, with their pictures?", { n: chosen.size }), t("Delete")))) return;
    for (const id of [...chosen]) {
      try {
        await call("DELETE", `/v1/sessions/${part(id)}`);
        chosen.delete(id);
      } catch (error) {
        page.fail(error);
      }
    }
    tools();
    await search();
  };

  form.addEventListener("input", () => {
    offset = 0;
    clearTimeout(wait);
    wait = setTimeout(search, WAIT_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  show(page.content, h("div.row.apart", {}, h("h1", {}, t("Sessions")), h("div.row", {}, compare, remove)), form, results);
  await search();
}

function searchForm(query) {
  const field = (name, title, input) => {
    input.id = `search-${name}`;
    input.name = name;
    input.value = query.get(name) || "";
    return h("div", {}, h("label.small", { for: input.id }, title), input);
  };
  const text = () => h("input", { type: "search", autocomplete: "off" });
  const choice = (values, label = (value) => value) => h("select", {}, h("option", { value: "" }, t("any")), values.map((value) => h("option", { value }, label(value))));
  const withFilters = FIELDS.slice(1).some((name) => query.get(name));
  return h("form.card.stack.search", { role: "search" },
    field("q", t("Words of the task"), text()),
    h("details", { open: withFilters || innerWidth > 900 }, h("summary", {}, t("Filters")), h("div.fields", {},
      field("app", t("App"), text()), field("task_type", t("Dialect"), text()), field("model", t("Model"), text()),
      field("state", t("State"), choice(["open", "closed"], (value) => t(`session ${value}`))),
      field("stop_reason", t("Ended with"), choice(REASONS)),
      field("since", t("From"), h("input", { type: "date" })), field("until", t("To"), h("input", { type: "date" })))));
}

function table(sessions, chosen, changed) {
  return h("ul.cards.sessions", {}, sessions.map((session) => {
    const id = session.session_id;
    const box = h("input", { type: "checkbox", "aria-label": t("Choose {task}", { task: session.task }), ".checked": chosen.has(id), onchange: (event) => {
      if (event.target.checked) chosen.add(id);
      else chosen.delete(id);
      changed();
    } });
    const look = session.stop_reason === "TASK_COMPLETED_SUCCESSFULLY" ? "good" : session.stop_reason ? "bad" : "busy";
    return h("li.card.session", {}, box,
      h("div.grow", {}, h("a", { href: `#/sessions/${part(id)}` }, foreign(session.task || t("(no task)"))),
        h("p.small.muted.wrap", {}, [session.task_type, session.model_name, t("{n} steps", { n: session.steps })].filter(Boolean).join(" · "))),
      h("span.small.muted", {}, ago(session.updated_at)),
      h(`span.badge.${look}`, {}, session.stop_reason || t("session open")));
  }));
}
