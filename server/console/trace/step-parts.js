/** The parts of a step that a run's list and a trace's page both show. */

import { foreign, h } from "../dom.js";
import { count, describeAction, seconds } from "../format.js";
import { t } from "../texts.js";
import { drawTarget } from "./target.js";

/** A screenshot with the target of the action drawn on it. */
export function pictureWithTarget(url, item, label) {
  return h("div.picture", {},
    h("img", {
      src: url, alt: label, loading: "lazy", width: item.size?.[0] ?? null, height: item.size?.[1] ?? null,
      onerror: (event) => event.target.replaceWith(h("p.muted.small", {}, t("The picture cannot be shown."))),
    }),
    drawTarget(item.action, item.size, item.element));
}

/** The action in words, with what the policy says of it and what became of it. */
export function actionLine(item) {
  return h("p.action-line", {},
    foreign(item.action ? describeAction(item.action) : t("no action"), "strong"),
    item.element?.label ? [" ", foreign(item.element.label, "span.muted")] : null,
    " ", policyBadge(item.policy), " ", outcomeBadge(item.outcome),
    item.policy?.reason ? h("span.small.muted.reason", {}, foreign(item.policy.reason)) : null);
}

function policyBadge(policy) {
  if (!policy || policy.level === "allow") return null;
  const look = policy.level === "deny" ? "bad" : "warn";
  return h(`span.badge.${look}`, {}, `${t(`level ${policy.level}`)}: ${t(`class ${policy.class}`)}`);
}

export function outcomeBadge(outcome) {
  if (!outcome) return null;
  const look = { ok: "good", failed: "bad", unknown: "bad", withheld: "warn" }[outcome.status] || "plain";
  return h(`span.badge.${look}`, {}, t(`outcome ${outcome.status}`));
}

/** What did not go as it should: unreadable replies, failed requests, a failed step or action. */
export function troubles(item) {
  const lines = [];
  for (const rejection of item.rejections) {
    lines.push([h("strong", {}, `${t("reply rejected")}: ${rejection.code} `), foreign(rejection.message),
      rejection.span ? [" ", foreign(rejection.span, "code")] : null]);
  }
  for (const attempt of item.failedRequests) {
    lines.push([h("strong", {}, `${t("request failed")}: `), foreign(attempt.outcome)]);
  }
  for (const [name, error] of [[t("step failed"), item.failure], [t("action failed"), failedOutcome(item.outcome)]]) {
    if (error) lines.push([h("strong", {}, `${name}: ${error.code || ""} `), foreign(error.message || "")]);
  }
  for (const repair of item.action?.meta?.repairs || []) lines.push([h("span.muted", {}, `${t("repaired")}: `), foreign(repair)]);
  for (const warning of item.action?.meta?.warnings || []) lines.push([h("span", {}, `${t("warning")}: `), foreign(warning)]);
  return lines.length ? h("ul.troubles", {}, lines.map((line) => h("li", {}, line))) : null;
}

function failedOutcome(outcome) {
  return outcome && ["failed", "unknown"].includes(outcome.status) ? outcome : null;
}

/** Time by stage as a bar, with the seconds beside it. */
export function stageTimes(item) {
  const times = item.times || {};
  const stages = [
    ["observe", times.observe],
    ["model", item.modelS],
    ["decide", times.decide !== undefined && item.modelS !== null ? Math.max(0, times.decide - item.modelS) : null],
    ["act", times.act],
  ].filter(([, value]) => typeof value === "number");
  if (!stages.length) return null;
  const whole = stages.reduce((sum, [, value]) => sum + value, 0) || 1;
  const bar = h("div.stages", { "aria-hidden": "true" }, stages.map(([name, value]) => {
    const piece = h(`span.stage-${name}`);
    piece.style.flexGrow = String(Math.max(value / whole, 0.004));
    return piece;
  }));
  const words = stages.map(([name, value]) => h("span", {}, h(`i.stage-${name}`, { "aria-hidden": "true" }), `${t(`stage ${name}`)} ${seconds(value)}`));
  return h("div.stage-times", {}, bar, h("p.small.muted.row", {}, words));
}

/** Tokens and requests of a step's model call. */
export function costLine(item) {
  const parts = [];
  if (item.usage?.prompt_tokens) {
    parts.push(t("{in} tokens in, {out} out", { in: count(item.usage.prompt_tokens), out: count(item.usage.completion_tokens ?? 0) }));
  }
  if (item.requests > 1) parts.push(t("{n} requests", { n: item.requests }));
  if (item.reply.finishReason && item.reply.finishReason !== "stop") parts.push(`finish_reason: ${item.reply.finishReason}`);
  return parts.length ? h("p.small.muted", {}, parts.join(" · ")) : null;
}

/** Thought and explanation, as the model wrote them. */
export function words(item) {
  const action = item.action || {};
  return [
    action.cot ? h("p.thought", {}, h("span.muted", {}, `${t("Thought")}: `), foreign(action.cot)) : null,
    action.explain ? h("p", {}, h("span.muted", {}, `${t("Explanation")}: `), foreign(action.explain)) : null,
  ];
}
