/** The page's frame: which view is shown, in which language and theme, and what has gone wrong. */

import { ApiError } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { showCompare } from "./compare-page.js";
import { showNewTask } from "./new-task-page.js";
import { showPhone, showPhones } from "./phones-page.js";
import { showRun, showRuns } from "./run-page.js";
import { showSessions } from "./sessions-page.js";
import { showTrace } from "./trace-page.js";
import { language, setLanguage, t } from "./texts.js";

const ROUTES = [
  [/^\/phones$/, showPhones, "phones"],
  [/^\/phones\/([^/]+)$/, showPhone, "phones"],
  [/^\/new$/, showNewTask, "new"],
  [/^\/runs$/, showRuns, "runs"],
  [/^\/runs\/([^/]+)$/, showRun, "runs"],
  [/^\/sessions$/, showSessions, "sessions"],
  [/^\/sessions\/([^/]+)(?:\/steps\/([^/]+))?$/, showTrace, "sessions"],
  [/^\/compare$/, showCompare, "sessions"],
];
const FIRST = "#/phones";

const content = h("main", { id: "content", tabindex: "-1" });
const messages = h("div", { id: "messages", role: "status", "aria-live": "polite" });
let leaving = new AbortController();
let shownPath = "";

function start() {
  document.documentElement.lang = language();
  document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
  document.body.replaceChildren(
    h("a.skip", { href: "#content", onclick: (event) => { event.preventDefault(); content.focus(); } }, t("Skip to the content")),
    top(), content, messages);
  shownPath = "";
  route();
}

function top() {
  const link = (place, title) => h("a", { href: `#/${place}`, "data-place": place }, title);
  return h("header.top", {},
    h("a.name", { href: FIRST }, h("img", { src: "/console/icon.svg", alt: "", width: 22, height: 22 }), "LocalServer"),
    h("nav", { "aria-label": t("Main") },
      link("phones", t("Phones")), link("new", t("New task")), link("runs", t("Runs")), link("sessions", t("Sessions"))),
    h("div.row.tools", {},
      h("button.quiet", { type: "button", id: "theme", onclick: turnTheme, title: t("Light or dark") }, h("span", { "aria-hidden": "true" }, "◐"), h("span.hidden-label", {}, t("Light or dark"))),
      h("button.quiet", { type: "button", id: "language", lang: language() === "zh" ? "en" : "zh",
        onclick: () => { setLanguage(language() === "zh" ? "en" : "zh"); start(); } }, language() === "zh" ? "English" : "中文")));
}

function turnTheme() {
  const isDark = getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark" ||
    (!localStorage.getItem("theme") && matchMedia("(prefers-color-scheme: dark)").matches);
  localStorage.setItem("theme", isDark ? "light" : "dark");
  document.documentElement.dataset.theme = localStorage.getItem("theme");
}

/** Show the view of the address; a view that stays (another step of a trace) is told instead. */
function route() {
  const [path, query] = (location.hash || FIRST).slice(1).split("?");
  for (const [pattern, view, place] of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const parts = match.slice(1).map((part) => part && decodeURIComponent(part));
    const same = `${view.name}/${parts[0] ?? ""}`;
    const trace = content.querySelector("session-trace");
    if (same === shownPath && view === showTrace && trace) {
      trace.goTo(parts[1]);
      return;
    }
    leaving.abort();
    leaving = new AbortController();
    const isNew = shownPath !== "";
    shownPath = same;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.place === place) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const page = { content, signal: leaving.signal, query: new URLSearchParams(query), say, fail, retitle };
    show(content, h("p.muted", {}, t("Loading…")));
    if (isNew) content.focus({ preventScroll: true });
    view(page, ...parts).catch((error) => page.signal.aborted || fail(error, content));
    return;
  }
  location.replace(FIRST);
}

function retitle(title) {
  document.title = title ? `${title} · LocalServer` : "LocalServer";
}

/** Tell something for a while. */
function say(...words) {
  const card = h("div.card", {}, ...words);
  messages.append(card);
  setTimeout(() => card.remove(), 6000);
}

/** Tell what went wrong: in `place`, or where messages are. */
function fail(error, place = null) {
  if (error instanceof ApiError && error.status === 401) {
    show(content, signIn());
    return;
  }
  const words = error instanceof ApiError
    ? [h("strong", {}, error.code || t("Error")), h("p", {}, foreign(error.message))]
    : [h("strong", {}, t("The server cannot be reached.")), h("p", {}, foreign(error?.message || error))];
  if (!(error instanceof ApiError)) console.error(error);
  if (place) show(place, h("div.notice.bad", { role: "alert" }, words));
  else say(h("div.notice.bad", {}, words));
}

function signIn() {
  return h("section.card.stack", {},
    h("h1", {}, t("Sign in")),
    h("p", {}, t("This browser is not signed in. The server lets it in by a link that works once:")),
    h("ol", {},
      h("li", {}, t("open the link that `localserver serve` printed at its start,")),
      h("li", {}, t("or run this in a terminal on the server's machine, and open the address it prints:"),
        h("pre", {}, `curl -s -X POST ${location.origin}/v1/login_links -H "Authorization: Bearer $(cat ~/.localserver/token)" -H 'Content-Type: application/json' -d '{}' | sed 's|.*"path":"\\([^"]*\\)".*|${location.origin}\\1|'`))),
    h("div", {}, h("button.main", { type: "button", onclick: () => { shownPath = ""; route(); } }, t("I am signed in: try again"))));
}

addEventListener("hashchange", route);
addEventListener("signed-out", () => fail(new ApiError(401, {})));
start();
