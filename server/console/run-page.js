/** Runs: the tasks of the server, and one of them as it happens. */

import { address, follow, get, part, pause, post } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { ago, count, describeAction } from "./format.js";
import { askPerson, giveInput, inputBar } from "./live-phone.js";
import { language, t } from "./texts.js";
import { readTrace } from "./trace/reading.js";
import { actionLine, costLine, pictureWithTarget, stageTimes, troubles, words } from "./trace/step-parts.js";

const REFRESH_MS = 3000;
const STEPS_SHOWN = 40;
const LOOKS = { running: "busy", queued: "plain", waiting_reply: "warn", waiting_confirm: "warn", paused: "warn", taken_over: "warn" };

export function stateBadge(task) {
  const reason = task.stop_reason;
  if (task.state !== "done") return h(`span.badge.${LOOKS[task.state] || "plain"}`, {}, t(`state ${task.state}`));
  return h(`span.badge.${reason === "TASK_COMPLETED_SUCCESSFULLY" ? "good" : "bad"}`, {}, reason || t("state done"));
}

export async function showRuns(page) {
  page.retitle(t("Runs"));
  let shown = "";
  while (!page.signal.aborted) {
    const { tasks } = await get(address("/v1/tasks", { limit: 100 }));
    if (page.signal.aborted) return;
    const now = JSON.stringify([tasks.map((task) => [task.task_id, task.state, task.steps]), language()]);
    if (now !== shown) {
      shown = now;
      show(page.content,
        h("div.row.apart", {}, h("h1", {}, t("Runs")), h("a.button.main", { href: "#/new" }, t("New task"))),
        h("p.muted", {}, t("Tasks since the server's start, and unfinished ones of before. Earlier ones are under Sessions.")),
        tasks.length ? h("ul.cards", {}, tasks.map(runLine)) : h("p.card", {}, t("No task has run yet.")));
    }
    await pause(REFRESH_MS, page.signal);
  }
}

function runLine(task) {
  return h("li.card", {}, h("div.row.apart", {},
    h("a.grow", { href: `#/runs/${part(task.task_id)}` }, foreign(task.task)), stateBadge(task)),
  h("p.small.muted", {}, `${task.serial} · ${t("{n} steps", { n: task.steps })} · ${ago(task.created_at)}`),
  task.question ? h("p.notice.warn", {}, foreign(task.question)) : null);
}

export async function showRun(page, taskId) {
  const run = new Run(page, taskId);
  await run.open();
}

class Run {
  constructor(page, taskId) {
    Object.assign(this, { page, taskId, task: null, steps: [], events: [], seq: 0, isReading: false, isStale: false, cards: new Map() });
    this.path = `/v1/tasks/${part(taskId)}`;
  }

  async open() {
    const { page } = this;
    this.task = await get(this.path);
    if (page.signal.aborted) return;
    page.retitle(this.task.task);
    this.live = h("live-phone", { serial: this.task.serial });
    this.head = h("section.card.stack", { "aria-label": t("Task") });
    this.ask = h("div", { "aria-live": "assertive" });
    this.controls = h("div.controls.row", { role: "group", "aria-label": t("Hold the task") });
    this.hand = h("div");
    this.list = h("ol.steps", { "aria-label": t("Steps"), "aria-live": "polite" });
    show(page.content,
      h("div.run-view", {},
        h("div.run-phone", {}, h("section.card.live-card.stack", {}, this.live, this.hand)),
        h("div.stack.run-steps", {}, this.head, this.ask, this.controls, this.list)));
    await this.read(); // the card that asks for a yes shows the step that it is about
    this.showTask();
    await follow(this.taskId, 0, () => this.refresh(), page.signal);
    if (!page.signal.aborted) await this.refresh();
  }

  /** Read again; changes that come while it reads make it read once more. */
  async refresh() {
    this.isStale = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.isStale && !this.page.signal.aborted) {
        this.isStale = false;
        this.task = await get(this.path);
        await this.read();
        this.showTask();
      }
    } catch (error) {
      if (!this.page.signal.aborted) this.page.fail(error);
    } finally {
      this.isReading = false;
    }
  }

  async read() {
    const session = `/v1/sessions/${part(this.task.session_id)}`;
    const [{ steps }, { events }] = await Promise.all([
      get(address(`${session}/steps`, { start: this.steps.length + 1, limit: 100 })),
      get(address(`${session}/events`, { after_seq: this.seq })),
    ]);
    this.steps.push(...steps);
    this.events.push(...events);
    this.seq = events.at(-1)?.seq ?? this.seq;
    if (steps.length || events.length) this.showSteps();
  }

  showTask() {
    const { task } = this;
    const isOver = task.state === "done";
    show(this.head,
      h("div.row.apart", {}, foreign(task.task, "h1"), stateBadge(task)),
      h("p.small.muted.wrap", {}, `${task.serial} · ${t("{n} steps", { n: task.steps })}`,
        task.usage?.prompt_tokens ? ` · ${t("{in} tokens in, {out} out", { in: count(task.usage.prompt_tokens), out: count(task.usage.completion_tokens) })}` : "",
        " · ", h("a", { href: `#/sessions/${part(task.session_id)}` }, t("trace"))),
      isOver ? this.endWords() : null);
    this.showAsk();
    const button = (name, title, look = "") => h(`button${look}`, { type: "button", id: `do-${name}`, onclick: () => this.steer(name) }, title);
    show(this.controls, isOver
      ? [h("a.button", { href: `#/new?from=${part(task.session_id)}` }, t("Run it again")),
        ["INTERRUPTED", "DEVICE_FAILED", "MODEL_FAILED", "PARSE_FAILED"].includes(task.stop_reason) ? button("resume", t("Go on")) : null]
      : [task.state === "paused" ? button("resume", t("Go on")) : button("pause", t("Pause")),
        task.state === "taken_over" ? button("give_back", t("Give back"), ".main") : button("take_over", t("Take over")),
        button("stop", t("Stop"), ".danger")]);
    this.showHand();
  }

  /** A question that is being answered is not drawn anew: what was written stays. */
  showAsk() {
    const { task } = this;
    const mark = `${task.state}/${task.question ?? ""}/${task.confirm?.id ?? ""}/${language()}`;
    if (mark === this.askMark) return;
    this.askMark = mark;
    if (task.state === "waiting_confirm" && task.confirm) show(this.ask, this.confirmCard());
    else if (task.state === "waiting_reply" || (task.state === "taken_over" && task.question)) show(this.ask, this.questionBox());
    else show(this.ask);
  }

  endWords() {
    const result = this.task.result || {};
    return [
      result.message && result.message !== result.error?.message ? h("p.notice", {}, foreign(result.message)) : null,
      result.error ? h("p.notice.bad", {}, h("strong", {}, result.error.code), " ", foreign(result.error.message)) : null,
    ];
  }

  questionBox() {
    const { task } = this;
    const answer = h("input", { type: "text", id: "answer", name: "answer", autocomplete: "off", "aria-label": t("Your answer") });
    const isHandOver = task.state === "taken_over";
    return h("section.card.stack.asking", { role: "alertdialog", "aria-label": isHandOver ? t("The phone needs you") : t("The model asks") },
      h("h2", {}, isHandOver ? t("The phone needs you") : t("The model asks")),
      h("p", {}, foreign(task.question || "")),
      h("form.row", { onsubmit: (event) => {
        event.preventDefault();
        if (isHandOver) this.steer("give_back", { note: answer.value });
        else if (answer.value.trim()) this.steer("reply", { text: answer.value });
      } }, h("div.grow", {}, answer), h("button.main", { type: "submit" }, isHandOver ? t("Give back") : t("Answer"))));
  }

  confirmCard() {
    const { confirm, session_id: sessionId } = this.task;
    const number = confirm.step;
    const step = this.steps.find((one) => one.step === number);
    const item = { action: confirm.action, size: step?.environment?.size ?? null, element: step?.element ?? null };
    const decide = (approve) => this.steer("confirm", { approve, id: confirm.id });
    return h("section.card.stack.asking", { role: "alertdialog", "aria-label": t("May it do this?") },
      h("h2", {}, t("May it do this?")),
      h("div.confirm", {},
        number ? pictureWithTarget(`/v1/sessions/${part(sessionId)}/steps/${number}/image`, item, t("Screen before the action")) : null,
        h("div.stack", {},
          h("p", {}, foreign(describeAction(confirm.action), "strong")),
          confirm.action?.explain ? h("p", {}, h("span.muted", {}, `${t("The model says")}: `), foreign(confirm.action.explain)) : null,
          h("p", {}, h("span.badge.warn", {}, t(`class ${confirm.class}`)), " ", foreign(confirm.text)),
          h("div.row", {},
            h("button.danger", { type: "button", id: "approve", onclick: () => decide(true) }, t("Yes, do it")),
            h("button", { type: "button", id: "refuse", onclick: () => decide(false) }, t("No"))))));
  }

  showHand() {
    const isLent = ["taken_over", "paused"].includes(this.task.state);
    if (Boolean(this.live.onAction) === isLent && this.hand.childNodes.length) return;
    const give = async (action) => {
      try {
        const outcome = await giveInput(this.task.serial, action, null, askPerson);
        if (outcome?.status === "failed") this.page.say(foreign(`${outcome.code}: ${outcome.message}`));
      } catch (error) {
        this.page.fail(error);
      }
    };
    this.live.onAction = isLent ? give : null;
    this.live.inputsChanged();
    show(this.hand, isLent
      ? [h("p.small", {}, t("The phone is in your hand: click its picture, drag, type.")), inputBar(give)]
      : h("p.small.muted", {}, t("Take over to use the phone by hand.")));
  }

  showSteps() {
    const trace = readTrace({ session: { session_id: this.task.session_id }, steps: this.steps, events: this.events, texts: {} });
    const items = trace.items.slice(-STEPS_SHOWN).reverse();
    const wanted = items.map((item) => this.card(item));
    if (trace.items.length > STEPS_SHOWN) {
      wanted.push(h("li.card", {}, h("a", { href: `#/sessions/${part(this.task.session_id)}` }, t("Earlier steps are in the trace."))));
    }
    const notes = this.dialogueSoFar();
    wanted.unshift(...notes);
    this.list.replaceChildren(...wanted);
  }

  /** What was asked and answered last, while it is news. */
  dialogueSoFar() {
    const kinds = { question: "question", answer: "answer", give_back: "given back", confirm_answer: "confirmed", observe_retry: "looks again", device_changed: "device changed" };
    const last = this.events.filter((event) => event.kind in kinds).at(-1);
    if (!last) return [];
    const said = last.data.text ?? (last.kind === "confirm_answer" ? (last.data.approved ? t("yes") : t("no")) : last.data.error?.message ?? "");
    return [h("li.small.muted.wrap", {}, `${t(`event ${last.kind}`)}: `, foreign(said))];
  }

  /** The card of a step; it is made again only when something of it has changed. */
  card(item) {
    const mark = `${item.events.length}/${item.outcome?.status}/${Boolean(item.times)}/${language()}`;
    const known = this.cards.get(item.key);
    if (known?.dataset.mark === mark) return known;
    const link = `#/sessions/${part(this.task.session_id)}/steps/${part(item.key)}`;
    const card = h("li.card.step", { "data-mark": mark, "data-step": item.key },
      item.hasPicture ? h("a.shot", { href: link, "aria-label": `${t("Step")} ${item.number}` },
        pictureWithTarget(`/v1/sessions/${part(this.task.session_id)}/steps/${item.number}/image`, item, "")) : null,
      h("div.stack.tight", {},
        h("div.row.apart", {}, h("a", { href: link }, `${t("Step")} ${item.number}`), item.failure ? h("span.badge.bad", {}, t("failed")) : null),
        actionLine(item), words(item), troubles(item), stageTimes(item), costLine(item)));
    this.cards.set(item.key, card);
    return card;
  }

  async steer(name, body = name === "give_back" ? { note: "" } : undefined) {
    const wasOver = this.task.state === "done";
    try {
      this.task = await post(`${this.path}/${name}`, body);
      this.showTask();
      if (wasOver) await this.open(); // it runs on, and has new events
      else await this.refresh();
    } catch (error) {
      this.page.fail(error);
      await this.refresh();
    }
  }
}
