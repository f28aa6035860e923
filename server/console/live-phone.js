/**
 * `<live-phone>`: what a phone shows now; with `inputs` set, mouse, finger and keys go to the phone.
 *
 * It watches only while it can be seen, and asks for the next picture when this one is drawn.
 */

import { part, post } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { t } from "./texts.js";

const DRAG_LEAST = 12;
const LONG_MS = 600;
const RETRY_MS = 2000;
const TYPED_MS = 300;

export class LivePhone extends HTMLElement {
  /** Called with an action when the person gives one; null: looking only. */
  onAction = null;

  #socket = null;
  #facts = null;
  #image = h("img", { alt: "", draggable: "false" });
  #note = h("p.small.muted", { role: "status" });
  #seen = false;
  #timer = 0;
  #given = Promise.resolve();
  #typed = "";
  #typing = 0;
  #observer = new IntersectionObserver(([entry]) => this.#setSeen(entry.isIntersecting));
  #onHide = () => this.#update();

  connectedCallback() {
    const screen = h("div.screen", {
      onpointerdown: (event) => this.#press(event), onkeydown: (event) => this.#key(event),
      "aria-label": t("Live picture of {serial}", { serial: this.serial }), role: "application",
    }, this.#image);
    show(this, screen, this.#note);
    this.#note.textContent = t("Waiting for the first picture…");
    this.inputsChanged();
    this.#observer.observe(this);
    document.addEventListener("visibilitychange", this.#onHide);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#onHide);
    this.#seen = false;
    this.#update();
  }

  get serial() {
    return this.getAttribute("serial") || "";
  }

  /** The person may, or may no more, give input. */
  inputsChanged() {
    const screen = this.querySelector(".screen");
    if (!screen) return;
    if (this.onAction) screen.setAttribute("tabindex", "0");
    else screen.removeAttribute("tabindex");
    screen.classList.toggle("held", Boolean(this.onAction));
  }

  #setSeen(seen) {
    this.#seen = seen;
    this.#update();
  }

  #update() {
    const wanted = this.#seen && this.isConnected && !document.hidden;
    if (wanted && !this.#socket) this.#watch();
    if (!wanted && this.#socket) {
      this.#socket.close();
      this.#socket = null;
    }
    if (!wanted) clearTimeout(this.#timer);
  }

  #watch() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/v1/devices/${part(this.serial)}/live`);
    socket.binaryType = "blob";
    this.#socket = socket;
    socket.onopen = () => socket.send("next");
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.#tell(JSON.parse(data), socket) : this.#draw(data, socket));
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#note.textContent = event.reason ? `${t("No picture")}: ${event.reason}` : t("No picture; trying again…");
      this.#timer = setTimeout(() => this.#update(), RETRY_MS);
    };
  }

  #tell(facts, socket) {
    this.#facts = facts;
    if (facts.error) {
      show(this.#note, h("strong", {}, facts.error.code), " ", foreign(facts.error.message));
      socket.send("next");
    } else this.#note.textContent = facts.black ? t("The screen is black: {why}", { why: facts.black }) : "";
  }

  async #draw(blob, socket) {
    const old = this.#image.src;
    const url = URL.createObjectURL(blob);
    this.#image.src = url;
    this.#image.width = this.#facts.width_px;
    this.#image.height = this.#facts.height_px;
    this.dataset.frame = this.#facts.number;
    try {
      await this.#image.decode();
    } catch {
      // A newer picture took its place meanwhile.
    }
    if (old) URL.revokeObjectURL(old);
    if (socket.readyState === WebSocket.OPEN) socket.send("next");
  }

  #press(event) {
    if (!this.onAction || event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.focus();
    const begun = { at: Date.now(), from: this.#point(event) };
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const done = (end) => {
      target.removeEventListener("pointerup", done);
      target.removeEventListener("pointercancel", done);
      if (end.type === "pointercancel") return;
      const to = this.#point(end);
      const far = Math.hypot(to[0] - begun.from[0], to[1] - begun.from[1]);
      if (far >= DRAG_LEAST) this.#give({ action: "SLIDE", point1: begun.from, point2: to });
      else this.#give({ action: Date.now() - begun.at >= LONG_MS ? "LONGPRESS" : "CLICK", point: begun.from });
    };
    target.addEventListener("pointerup", done);
    target.addEventListener("pointercancel", done);
  }

  #point(event) {
    const box = this.#image.getBoundingClientRect();
    const share = (value, start, length) => Math.round(Math.min(1, Math.max(0, (value - start) / length)) * 1000);
    return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)];
  }

  #key(event) {
    if (!this.onAction || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { Enter: "ENTER", Backspace: "DELETE", ArrowUp: "DPAD_UP", ArrowDown: "DPAD_DOWN", ArrowLeft: "DPAD_LEFT", ArrowRight: "DPAD_RIGHT" };
    if (event.key === "Escape") this.#give({ action: "BACK" });
    else if (event.key in keys) this.#give({ action: "HOT_KEY", key: keys[event.key] });
    else if ([...event.key].length === 1) this.#type(event.key);
    else return; // Tab leaves the picture, as everywhere
    event.preventDefault();
  }

  /** Letters that follow each other fast are one input. */
  #type(letter) {
    this.#typed += letter;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#give(null), TYPED_MS);
  }

  /** One input after the other, in the order of the hand. */
  #give(action) {
    clearTimeout(this.#typing);
    const typed = this.#typed ? { action: "TYPE", value: this.#typed } : null;
    this.#typed = "";
    for (const one of [typed, action]) {
      if (one) this.#given = this.#given.then(() => this.onAction?.(one));
    }
  }
}

customElements.define("live-phone", LivePhone);

/**
 * Give a phone one input; an input that needs a yes is asked for, and given again with it.
 *
 * @param {(question: string) => Promise<boolean>} ask
 */
export async function giveInput(serial, action, leaseId, ask) {
  const path = `/v1/devices/${part(serial)}/actions`;
  const body = { action, ...(leaseId ? { lease_id: leaseId } : {}) };
  try {
    return await post(path, body);
  } catch (error) {
    if (error.code !== "policy.denied" || error.details.level !== "confirm") throw error;
    if (!(await ask(error.message))) return null;
    return post(path, { ...body, approve: true });
  }
}

/** Keys and text beside the picture, for those who hold the phone. */
export function inputBar(give) {
  const text = h("input", { type: "text", "aria-label": t("Text to type"), placeholder: t("Text to type"), autocomplete: "off" });
  const key = (name, title, action) => h("button", { type: "button", "data-key": name, onclick: () => give(action) }, title);
  return h("div.stack.input-bar", {},
    h("div.row", {},
      key("BACK", t("Back"), { action: "BACK" }), key("HOME", t("Home"), { action: "HOME" }),
      key("RECENT", t("Recent apps"), { action: "HOT_KEY", key: "RECENT" }), key("ENTER", t("Enter"), { action: "HOT_KEY", key: "ENTER" })),
    h("form.row", { onsubmit: (event) => {
      event.preventDefault();
      if (text.value) give({ action: "TYPE", value: text.value });
      text.value = "";
    } }, h("div.grow", {}, text), h("button", { type: "submit" }, t("Type"))));
}

/** Ask yes or no in a dialog. */
export function askPerson(question, yes = t("Do it"), ...more) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { onclose: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
      h("form.stack", { method: "dialog" }, h("p", {}, foreign(question)), more,
        h("div.row", {}, h("button.danger", { value: "yes" }, yes), h("button", { value: "no", autofocus: true }, t("Cancel")))));
    document.body.append(dialog);
    dialog.showModal();
  });
}
