/** The trace of one session. */

import { get, part } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { t } from "./texts.js";
import { traceHead } from "./trace/session-trace.js";

/** Where the pictures of a session are. */
export function picturesOf(sessionId) {
  const steps = `/v1/sessions/${part(sessionId)}/steps`;
  const files = `/v1/sessions/${part(sessionId)}/pictures`;
  return { file: (name) => `${files}/${part(name)}`, image: (step) => `${steps}/${step}/image`, thumbnail: (step) => `${steps}/${step}/thumbnail` };
}

export async function showTrace(page, sessionId, step) {
  const trace = await get(`/v1/sessions/${part(sessionId)}/trace`);
  if (page.signal.aborted) return;
  page.retitle(trace.session.task);
  trace.session.model = trace.events.find((event) => event.kind === "reply")?.data?.model;
  const view = document.createElement("session-trace");
  Object.assign(view, { trace, step: step || "", origin: location.origin, pictures: picturesOf(sessionId) });
  view.addEventListener("step", (event) => {
    history.replaceState(null, "", `#/sessions/${part(sessionId)}/steps/${part(event.detail)}`);
  });
  const replay = h("div", { "aria-live": "polite" });
  show(page.content,
    traceHead(trace.session,
      h("button", { type: "button", id: "replay", onclick: () => tellReplay(page, sessionId, replay) }, t("Read again with today's parser")),
      h("a.button", { href: `/v1/sessions/${part(sessionId)}/export?format=html`, download: `${sessionId}.html` }, t("Download as one file")),
      h("a.button", { href: `#/new?from=${part(sessionId)}` }, t("Run it again")),
      h("a.button", { href: `#/compare?a=${part(sessionId)}` }, t("Compare with…"))),
    replay, view);
}

/** What the parsers of this release read in the recorded replies. */
async function tellReplay(page, sessionId, place) {
  show(place, h("p.muted", {}, t("Loading…")));
  try {
    const read = await get(`/v1/sessions/${part(sessionId)}/replay`);
    show(place, h("section.card", { "aria-label": t("Read again") },
      h("p", {}, t("{same} replies are read as then, {changed} differently, {not_read} could not be tried.", read)),
      h("ul", {}, read.replies.map((reply) => h("li", {}, changes(sessionId, reply))))));
  } catch (error) {
    page.fail(error, place);
  }
}

function changes(sessionId, reply) {
  const fields = Object.entries(reply.changes ?? {}).map(([name, { before, now }]) =>
    `${name}: ${JSON.stringify(before)} → ${JSON.stringify(now)}`);
  return [
    h("a", { href: `#/sessions/${part(sessionId)}/steps/${part(reply.step)}` }, `${t("Step")} ${reply.step}`), " ",
    foreign(reply.why || fields.join(" · ")),
  ];
}
