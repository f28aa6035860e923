/** Everything about one step: prompt as sent, raw reply, device commands, events, sharing. */

import { foreign, h } from "../dom.js";
import { clock } from "../format.js";
import { t } from "../texts.js";
import { curlToAskAgain, curlToParse, testCaseOf } from "./share.js";
import { cutReply } from "./spans.js";
import { actionLine, costLine, outcomeBadge, stageTimes, troubles, words } from "./step-parts.js";

/**
 * The panels beside the pictures.
 *
 * @param {object} item One of `readTrace().items`.
 * @param {object} session The session's record.
 * @param {{origin: string|null, open: Set<string>}} options Where the API is (null: nowhere), and
 *   which panels are open; the set is kept up to date.
 */
export function stepDetail(item, session, { origin, open }) {
  const panel = (name, title, ...content) =>
    h("details.card", {
      open: open.has(name), "data-panel": name,
      ontoggle: (event) => (event.target.open ? open.add(name) : open.delete(name)),
    }, h("summary", {}, title), content);
  return [
    h("section.card", { "aria-label": t("Action") },
      actionLine(item), words(item), troubles(item), stageTimes(item), costLine(item), frames(item)),
    panel("reply", t("Raw reply"), rawReply(item)),
    panel("prompt", t("Prompt as sent"), promptAsSent(item.prompt())),
    panel("device", t("Device commands"), deviceCommands(item)),
    panel("events", t("Events of this step"), eventList(item.events)),
    panel("share", t("Hand on"), sharing(item, session, origin)),
  ];
}

/** In which frame the model spoke: the first thing to look at when a tap misses. */
function frames(item) {
  const meta = item.action?.meta;
  if (!meta && !item.size) return null;
  const rows = [
    [t("Dialect"), [meta?.dialect, meta?.variant].filter(Boolean).join(" · ")],
    [t("Coordinate space"), meta?.space],
    [t("Screenshot"), item.size ? `${item.size[0]} × ${item.size[1]} px` : ""],
    [t("Sent to the model"), item.sentSize ? `${item.sentSize[0]} × ${item.sentSize[1]} px` : ""],
    [t("App in front"), item.environment.foreground],
    [t("User's words"), item.environment.user_comment],
    [t("Result of the action before"), resultText(item.environment.last_result)],
  ].filter(([, value]) => value);
  return h("dl.facts.small", {}, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, foreign(value))]));
}

function resultText(result) {
  return typeof result === "string" || !result ? result : JSON.stringify(result);
}

/** The reply with the pieces marked that became fields, and a legend. */
export function rawReply(item) {
  const parts = item.rejections.map((rejection) => [
    h("h3", {}, `${t("Rejected")}: ${rejection.code}`),
    h("p.small", {}, foreign(rejection.message)),
    marked(cutReply(rejection.reply || "", null, null, rejection.span)),
  ]);
  const { content, reasoning, toolCalls, finishReason } = item.reply;
  if (reasoning) parts.push(h("h3", {}, t("Separate thought")), h("pre", { tabindex: "0" }, foreign(reasoning)));
  if (content || !parts.length) {
    const pieces = cutReply(content || "", item.action, item.sentSize);
    const fields = [...new Set(pieces.map((piece) => piece.field).filter(Boolean))];
    parts.push(
      h("h3", {}, t("Reply")),
      marked(pieces),
      fields.length ? h("p.row.small", { class: "row small legend" }, fields.map((field) => h("span", {}, h(`mark.span-${field}`, {}, t(`field ${field}`))))) : null,
    );
  }
  if (toolCalls) parts.push(h("h3", {}, t("Tool calls")), h("pre", { tabindex: "0" }, foreign(JSON.stringify(toolCalls, null, 2))));
  if (finishReason) parts.push(h("p.small.muted", {}, `finish_reason: ${finishReason}`));
  return parts;
}

function marked(pieces) {
  return h("pre.reply", { tabindex: "0" }, pieces.map((piece) =>
    piece.field ? h(`mark.span-${piece.field}`, { title: t(`field ${piece.field}`) }, foreign(piece.text)) : foreign(piece.text)));
}

function promptAsSent(messages) {
  if (!messages.length) return h("p.muted", {}, t("The log has no prompt for this."));
  return messages.map((message) => [
    h("h3", {}, message.role || ""),
    (Array.isArray(message.content) ? message.content : [{ type: "text", text: message.content }]).map((part) =>
      part?.type === "image_url"
        ? h("p.picture-part", {}, "🖼 ", foreign(part.image_url?.url))
        : h("pre", { tabindex: "0" }, foreign(part?.text ?? JSON.stringify(part)))),
  ]);
}

function deviceCommands(item) {
  const lines = item.events.filter((event) => ["device_intent", "device_outcome", "observe_retry"].includes(event.kind));
  if (!lines.length) return h("p.muted", {}, t("Nothing was sent to the phone in this step."));
  return h("ol.commands", {}, lines.map((event) => h("li", {},
    h("span.mono.muted", {}, clock(event.timestamp)), " ",
    event.kind === "device_outcome" ? outcomeBadge(event.data) : h("span.badge.plain", {}, t(`event ${event.kind}`)), " ",
    foreign(commandText(event), "code"),
    sentCommands(event.data))));
}

/** What adb was told for the action, and its answers; early logs do not have them. */
function sentCommands({ commands, commands_left_out: leftOut }) {
  if (!Array.isArray(commands)) return null;
  return h("ol.sent", {}, commands.map((one) => h("li", {},
    foreign(`$ ${one.command}`, "code"), " ",
    h(`span.small.${one.error || one.exit_code ? "danger-text" : "muted"}`, {}, foreign(one.error || `exit ${one.exit_code}`),
      ` · ${one.took_s} s · ${t("{n} bytes", { n: one.output_bytes ?? 0 })}`),
    one.output ? foreign(one.output, "pre") : null)),
  leftOut ? h("li.small.muted", {}, t("… and {n} more", { n: leftOut })) : null);
}

function commandText(event) {
  const { step, status, task_id, event_id, commands, commands_left_out, ...facts } = event.data;
  if (event.kind === "device_intent") {
    const { cot, explain, summary, ...action } = facts.action || {};
    return JSON.stringify(action);
  }
  return Object.keys(facts).length ? JSON.stringify(facts) : status || "";
}

/** Events, one line each; the whole of one opens on demand. */
export function eventList(events) {
  if (!events.length) return h("p.muted", {}, t("No events."));
  return h("ol.events", {}, events.map((event) => {
    const facts = h("pre");
    return h("li", {}, h("details", {
      ontoggle: () => facts.childNodes.length || facts.append(foreign(JSON.stringify(event.data, null, 2))),
    }, h("summary", {}, h("span.mono.muted", {}, clock(event.timestamp)), " ", h("strong", {}, t(`event ${event.kind}`)), " ", foreign(gist(event), "span.muted")), facts));
  }));
}

function gist(event) {
  const data = event.data || {};
  const said = data.text || data.message || data.error?.message || data.stop_reason || data.state || data.status || "";
  return String(typeof said === "object" ? JSON.stringify(said) : said).slice(0, 140);
}

function sharing(item, session, origin) {
  const offers = [];
  if (item.action || item.rejections.length) offers.push([t("Copy as test case"), () => testCaseOf(item, session), "test-case"]);
  if (origin) {
    offers.push([t("Copy curl: read this reply again"), () => curlToParse(item, session, origin), "curl-parse"]);
    if (item.hasPicture) offers.push([t("Copy curl: ask the model again"), () => curlToAskAgain(item, session, origin), "curl-ask"]);
    offers.push([t("Copy link to this step"), () => `${origin}/#/sessions/${session.session_id}/steps/${item.key}`, "link"]);
  }
  const said = h("p.small", { role: "status" });
  const shown = h("pre", { hidden: true, tabindex: "0" });
  const buttons = offers.map(([title, make, name]) => h("button", {
    type: "button", "data-copy": name,
    onclick: async () => {
      shown.hidden = false;
      shown.textContent = make();
      try {
        await navigator.clipboard.writeText(shown.textContent);
        said.textContent = t("Copied.");
      } catch {
        said.textContent = t("Select and copy it here:");
      }
    },
  }, title));
  return [h("p.row", {}, buttons), said, shown];
}
