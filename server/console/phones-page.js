/** Phones: what each shows, who drives it, what the doctor says; and one phone in the hand. */

import { get, part, pause, post } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { askPerson, giveInput, inputBar } from "./live-phone.js";
import { language, t } from "./texts.js";

const REFRESH_MS = 5000;
const LEASE_S = 60;

export async function showPhones(page) {
  page.retitle(t("Phones"));
  const list = h("div.phone-grid");
  let shown = "";
  while (!page.signal.aborted) {
    const { devices } = await get("/v1/devices");
    if (page.signal.aborted) return;
    const now = JSON.stringify([devices, language()]);
    if (now !== shown) {
      if (!shown) show(page.content, h("h1", {}, t("Phones")), list);
      shown = now;
      update(list, devices);
    }
    await pause(REFRESH_MS, page.signal);
  }
}

/** Cards that stay keep their live picture. */
function update(list, devices) {
  const old = new Map([...list.children].map((card) => [card.dataset.serial, card]));
  list.replaceChildren(...(devices.length ? devices.map((device) => {
    const card = old.get(device.serial) ?? h("article.card.stack.phone", { "data-serial": device.serial });
    const wasReady = card.dataset.ready === "true";
    const isReady = device.state === "device";
    if (!card.childNodes.length || wasReady !== isReady) {
      show(card, h("div.facts-of-phone.stack"),
        isReady ? h("a", { href: phoneAddress(device), "aria-label": t("Open {serial}", { serial: device.serial }) }, h("live-phone", { serial: device.serial })) : null);
    }
    card.dataset.ready = String(isReady);
    show(card.querySelector(".facts-of-phone"), phoneFacts(device));
    return card;
  }) : [noPhone()]));
}

const phoneAddress = (device) => `#/phones/${part(device.serial)}`;

function phoneFacts(device) {
  const isReady = device.state === "device";
  const marks = [...(device.name || device.model ? [device.serial] : []), ...(device.tags ?? [])];
  return [
    h("div.row.apart", {},
      h("h2", {}, h("a", { href: phoneAddress(device) }, foreign(device.name || device.model || device.serial))),
      h(`span.badge.${isReady ? "good" : "bad"}`, {}, isReady ? t("ready") : device.state)),
    marks.length ? h("p.small.muted.wrap", {}, marks.join(" · ")) : null,
    device.hint ? h("p.notice.warn.small", {}, foreign(device.hint)) : null,
    h("p.small", {}, holderWords(device.lease)),
  ];
}

export function holderWords(lease) {
  if (!lease) return t("Nobody drives it.");
  if (lease.kind === "task") return [t("Driven by a task:"), " ", h("a", { href: `#/runs/${part(lease.holder)}` }, t("watch it"))];
  return [t("Held by"), " ", foreign(lease.holder)];
}

function noPhone() {
  return h("section.card.stack", {},
    h("h2", {}, t("No phone is connected")),
    h("p", {}, t("Switch on USB debugging and plug one in, or run one of these:")),
    h("pre", {}, "localserver doctor\nlocalserver connect HOST:PORT\nlocalserver phone"));
}

export async function showPhone(page, serial) {
  page.retitle(serial);
  const live = h("live-phone", { serial });
  const hand = h("section.card.stack", { "aria-label": t("In your hand") });
  const facts = h("section.card.stack", { "aria-label": t("State") });
  const doctor = h("section.card.stack", {},
    h("h2", {}, t("Doctor")), h("p.small.muted", {}, t("Looks at everything between this machine and the phone; changes nothing.")),
    h("div", {}, h("button", { type: "button", onclick: () => examine(page, serial, findings) }, t("Examine"))));
  const findings = h("div", { role: "status" });
  doctor.append(findings);
  show(page.content, h("div.row.apart", {}, h("h1", {}, foreign(serial)),
    h("a.button", { href: `#/new?serial=${part(serial)}` }, t("New task on this phone"))),
  h("div.phone-view", {}, h("section.card.live-card", {}, live), h("div.stack", {}, hand, facts, doctor)));
  const holding = new Holding(page, serial, live, hand);
  holding.show();
  page.signal.addEventListener("abort", () => holding.giveBack());
  while (!page.signal.aborted) {
    try {
      showState(facts, await get(`/v1/devices/${part(serial)}`));
    } catch (error) {
      if (!page.signal.aborted) page.fail(error, facts);
    }
    await pause(REFRESH_MS, page.signal);
  }
}

function showState(place, state) {
  const yesNo = (value) => (value === null || value === undefined ? "–" : value ? t("yes") : t("no"));
  const rows = [
    [t("Kind of phone"), [state.manufacturer, state.model].filter(Boolean).join(" ")], [t("Android"), state.android_release], [t("Screen"), `${state.width_px} × ${state.height_px} px`],
    [t("Awake"), yesNo(state.awake)], [t("Locked"), yesNo(state.locked)],
    [t("Battery"), state.battery_percent === null || state.battery_percent === undefined ? "" : `${state.battery_percent} %`],
  ].filter(([, value]) => value);
  show(place, h("h2", {}, t("State")),
    h("dl.facts", {}, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, foreign(value))])),
    h("p", {}, holderWords(state.lease)));
}

async function examine(page, serial, place) {
  show(place, h("p.muted", {}, t("Looking…")));
  try {
    const { findings } = await get(`/v1/devices/${part(serial)}/doctor`);
    show(place, h("ul.findings", {}, findings.map((finding) => h("li", {},
      h(`span.badge.${finding.ok ? "good" : finding.optional ? "warn" : "bad"}`, {}, finding.ok ? t("fine") : finding.optional ? t("could be better") : t("must be mended")),
      " ", h("strong", {}, finding.check), " ", foreign(finding.message),
      finding.remedy ? h("p.small", {}, "→ ", foreign(finding.remedy)) : null))));
  } catch (error) {
    page.fail(error, place);
  }
}

/** The viewer's lease of one phone: taken, kept alive, given back when the page is left. */
class Holding {
  constructor(page, serial, live, place) {
    Object.assign(this, { page, serial, live, place, lease: null, timer: 0 });
  }

  show() {
    const path = `/v1/devices/${part(this.serial)}/lease`;
    if (!this.lease) {
      show(this.place, h("h2", {}, t("In your hand")),
        h("p.small.muted", {}, t("Take the phone to tap, drag, type and press keys on its picture. Tasks wait meanwhile.")),
        h("div", {}, h("button.main", { type: "button", id: "take", onclick: () => this.#take(path) }, t("Take the phone"))));
    } else {
      show(this.place, h("h2", {}, t("In your hand")),
        h("p.small.muted", {}, t("Click to tap, hold for a long press, drag to swipe; keys go to the phone while its picture has the focus (Esc is Back).")),
        inputBar((action) => this.give(action)),
        h("div", {}, h("button", { type: "button", id: "take", onclick: () => this.giveBack() }, t("Give it back"))));
    }
    this.live.onAction = this.lease ? (action) => this.give(action) : null;
    this.live.inputsChanged();
  }

  async #take(path) {
    try {
      this.lease = await post(path, { holder: t("console"), lasts_s: LEASE_S });
      this.timer = setInterval(() => this.#renew(path), (LEASE_S * 1000) / 3);
    } catch (error) {
      this.page.fail(error);
    }
    this.show();
  }

  async #renew(path) {
    try {
      await post(path, { holder: t("console"), lasts_s: LEASE_S, lease_id: this.lease.lease_id });
    } catch (error) {
      this.#forget();
      this.page.fail(error);
    }
  }

  async give(action) {
    try {
      const outcome = await giveInput(this.serial, action, this.lease?.lease_id, askPerson);
      if (outcome && outcome.status === "failed") this.page.say(foreign(`${outcome.code}: ${outcome.message}`));
    } catch (error) {
      this.page.fail(error);
    }
  }

  async giveBack() {
    const lease = this.lease;
    if (!lease) return;
    this.#forget();
    try {
      await post(`/v1/devices/${part(this.serial)}/lease/release`, { lease_id: lease.lease_id });
    } catch {
      // It has run out already: the phone is free either way.
    }
  }

  #forget() {
    clearInterval(this.timer);
    this.lease = null;
    this.show();
  }
}
