/**
 * `<session-trace>`: a session to look through, step by step.
 *
 * It is made from one JSON document and the addresses of pictures, and fetches nothing else, so that
 * it also works in a single file from disk:
 *
 *     const view = document.createElement("session-trace");
 *     view.trace = document;                                    // GET /v1/sessions/{id}/trace
 *     view.pictures = {image: (n) => url, thumbnail: (n) => url};
 *     view.pictures.file = (name) => url;                       // of tries that failed; may be missing
 *     view.origin = null;                                       // where the API is; null: nowhere
 *     view.step = "3";                                          // which step to begin with
 *     view.addEventListener("step", (event) => event.detail);   // the step that is shown now
 */

import { foreign, h, show } from "../dom.js";
import { describeAction, moment } from "../format.js";
import { t } from "../texts.js";
import { shareOfChange } from "./difference.js";
import { readTrace } from "./reading.js";
import { eventList, stepDetail } from "./step-detail.js";
import { pictureWithTarget } from "./step-parts.js";

export class SessionTrace extends HTMLElement {
  trace = null;
  pictures = { image: () => "", thumbnail: () => "" };
  origin = null;
  step = "";

  #view = null;
  #place = -1;
  #mode = "pictures";
  #open = new Set(["reply"]);
  #parts = null;
  #onKeyDown = (event) => this.#onKey(event);

  connectedCallback() {
    if (!this.trace) return;
    this.#view = readTrace(this.trace);
    this.#build();
    const place = this.#view.items.findIndex((item) => item.key === String(this.step));
    this.#choose(Math.max(0, place), { silent: true });
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#onKeyDown);
  }

  /** Show another step; unknown ones change nothing. */
  goTo(key) {
    const place = this.#view?.items.findIndex((item) => item.key === String(key)) ?? -1;
    if (place >= 0 && place !== this.#place) this.#choose(place, { silent: true });
  }

  #build() {
    const { items, events } = this.#view;
    if (!items.length) {
      show(this, h("p.card", {}, t("Nothing was asked in this session.")), this.#timeline(events));
      return;
    }
    const last = items.length - 1;
    const slider = h("input", {
      type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": t("Step"),
      oninput: (event) => this.#choose(Number(event.target.value)),
    });
    const strip = h("div.strip", { role: "listbox", "aria-label": t("Steps") }, items.map((item, place) => this.#tile(item, place)));
    const heading = h("h2.step-heading", { "aria-live": "polite" });
    const move = (by) => h("button", {
      type: "button", "aria-label": by < 0 ? t("Previous step") : t("Next step"),
      onclick: () => this.#choose(this.#place + by),
    }, by < 0 ? "←" : "→");
    const modes = [["pictures", t("Before and after")], ["difference", t("Difference")]].map(([mode, title]) =>
      h("button", { type: "button", "data-mode": mode, onclick: () => this.#setMode(mode) }, title));
    const changed = h("span.small.muted", { role: "status" });
    const pictures = h("div.pictures");
    const detail = h("div.stack.detail");
    this.#loadWhatIsSeen(strip);
    this.#parts = { slider, strip, heading, modes, changed, pictures, detail };
    show(this,
      h("section.card.scrubber", { "aria-label": t("Steps") }, strip,
        h("div.row", {}, move(-1), h("div.grow", {}, slider), move(1))),
      h("div.step-view", {},
        h("section.card.seen", { "aria-label": t("Pictures") }, heading, h("div.row", {}, modes, changed), pictures),
        detail),
      this.#timeline(events));
    document.addEventListener("keydown", this.#onKeyDown);
  }

  /** Thumbnails are fetched when they come near: a browser's own way would fetch the whole strip. */
  #loadWhatIsSeen(strip) {
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        target.src = this.pictures.thumbnail(target.dataset.step);
        observer.unobserve(target);
      }
    }, { root: strip, rootMargin: "0px 600px" });
    strip.querySelectorAll("img").forEach((image) => observer.observe(image));
  }

  #tile(item, place) {
    const label = `${t("Step")} ${item.number}: ${item.action ? describeAction(item.action) : t("failed")}`;
    return h("button.tile", {
      type: "button", role: "option", tabindex: "-1", title: label, "aria-label": label,
      class: `tile${item.failure || item.rejections.length || item.outcome?.status === "failed" ? " trouble" : ""}`,
      onclick: () => this.#choose(place),
    },
    item.hasPicture ? h("img", { "data-step": item.number, alt: "", width: 54, height: 120 }) : h("span.no-picture", {}, "!"),
    h("span.number", {}, item.failure ? `${item.number} ✕` : item.number));
  }

  /** Keys that nothing else takes: pressed in this view, or nowhere in particular. */
  #onKey(event) {
    if (!this.contains(event.target) && !event.target.matches("body, main")) return;
    if (event.target.closest("input, textarea, select, pre, details") || event.altKey || event.ctrlKey || event.metaKey) return;
    const places = { ArrowLeft: this.#place - 1, ArrowRight: this.#place + 1, Home: 0, End: this.#view.items.length - 1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    this.#choose(places[event.key]);
    if (event.target.closest(".strip")) this.#parts.strip.children[this.#place].focus();
  }

  #choose(wanted, { silent = false } = {}) {
    const { items, session } = this.#view;
    if (!items.length) return;
    const place = Math.min(Math.max(wanted, 0), items.length - 1);
    const { slider, strip, heading, detail } = this.#parts;
    const old = strip.children[this.#place];
    old?.setAttribute("tabindex", "-1");
    old?.removeAttribute("aria-selected");
    this.#place = place;
    const item = items[place];
    const tile = strip.children[place];
    tile.setAttribute("tabindex", "0");
    tile.setAttribute("aria-selected", "true");
    strip.scrollLeft = tile.offsetLeft - strip.clientWidth / 2 + tile.clientWidth / 2;
    slider.value = String(place);
    slider.setAttribute("aria-valuetext", `${t("Step")} ${item.number}`);
    show(heading, t("Step {n} of {all}", { n: item.number, all: items.at(-1).number }), item.failure ? [" ", h("span.badge.bad", {}, t("failed"))] : null);
    this.#showPictures();
    show(detail, stepDetail(item, session, { origin: this.origin, open: this.#open }));
    if (!silent) this.dispatchEvent(new CustomEvent("step", { detail: item.key }));
  }

  #setMode(mode) {
    this.#mode = mode;
    this.#showPictures();
  }

  #showPictures() {
    const { items } = this.#view;
    const item = items[this.#place];
    const next = items.slice(this.#place + 1).find((one) => one.hasPicture);
    const { pictures, modes, changed } = this.#parts;
    modes.forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.#mode));
      button.disabled = !next || !item.hasPicture; // there are no two pictures
    });
    changed.textContent = "";
    if (!item.hasPicture) {
      const file = item.file && this.pictures.file?.(item.file);
      show(pictures, file
        ? h("figure", {}, h("div.picture", {}, h("img", { src: file, alt: t("What the model saw") })), h("figcaption", {}, t("What the model saw")))
        : h("p.muted", {}, t("This try was not answered; its picture is kept in the session's folder.")));
      return;
    }
    const before = this.pictures.image(item.number);
    const after = next && this.pictures.image(next.number);
    if (after) this.#tellChange(item, before, after);
    const first = h("figure", {}, pictureWithTarget(before, item, t("Screen before the action")), h("figcaption", {}, t("Before")));
    if (!after) {
      show(pictures, first, h("p.muted", {}, t("There is no later picture.")));
    } else if (this.#mode === "difference") {
      show(pictures, first, h("figure", {},
        h("div.picture.difference", {}, h("img", { src: before, alt: "" }), h("img.over", { src: after, alt: t("What differs is bright") })),
        h("figcaption", {}, t("What differs is bright"))));
    } else {
      show(pictures, first, h("figure", {}, h("div.picture", {}, h("img", { src: after, alt: t("Screen after the action") })), h("figcaption", {}, t("After"))));
    }
  }

  async #tellChange(item, before, after) {
    const share = await shareOfChange(before, after);
    if (share === null || this.#view.items[this.#place] !== item) return;
    const percent = share < 0.0005 ? "0" : (share * 100).toFixed(share < 0.1 ? 1 : 0);
    this.#parts.changed.textContent = t("{n} % of the screen changed", { n: percent });
  }

  #timeline(events) {
    const list = h("div");
    return h("details.card", {
      "data-panel": "timeline",
      ontoggle: () => list.childNodes.length || show(list, eventList(events)),
    }, h("summary", {}, t("All events ({n})", { n: events.length })), list);
  }
}

customElements.define("session-trace", SessionTrace);

/** What heads a trace: the task, why it ended, with which model. */
export function traceHead(session, ...tools) {
  return h("section.card.stack", {},
    h("div.row.apart", {}, foreign(session.task || t("(no task)"), "h1"), h("div.row", {}, tools)),
    h("dl.facts.small.in-line", {}, [
      [t("Ended with"), session.stop_reason ?? t("still open")],
      [t("Dialect"), session.task_type],
      [t("Model"), session.model_config?.model_name ?? session.model],
      [t("Begun"), moment(session.created_at)],
      [t("Session"), session.session_id],
      [t("Damage"), session.damage ? t("The log is damaged at line {n}: what was there is missing here; `localserver verify` says more.", { n: session.damage.line }) : ""],
    ].filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, foreign(value))))));
}
