/** New task: which phone, which model and dialect, within which limits; past tasks as templates. */

import { address, get, part, post } from "./api.js";
import { foreign, h, show } from "./dom.js";
import { t } from "./texts.js";

/** What a yes can be said to beforehand; the other classes are denied or left to the person. */
const CLASSES = ["send", "delete", "pay", "transfer", "order", "unknown"];
const TEMPLATES = 12;

export async function showNewTask(page) {
  page.retitle(t("New task"));
  const from = page.query.get("from");
  const [{ devices }, models, past, template] = await Promise.all([
    get("/v1/devices"), get("/v1/models"), get(address("/v1/sessions", { limit: 60 })), from ? readRequest(from) : null,
  ]);
  if (page.signal.aborted) return;
  const form = taskForm(devices, models);
  fill(form, template ?? { serial: page.query.get("serial") });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start(page, form);
  });
  show(page.content, h("h1", {}, t("New task")),
    h("div.task-view", {}, form, h("aside.card.stack", { "aria-label": t("Past tasks") },
      h("h2", {}, t("Past tasks")), pastTasks(past.sessions, form, page))));
  form.elements.task.focus();
}

function taskForm(devices, models) {
  const option = (value, title = value) => h("option", { value }, title);
  const field = (name, title, input, hint = "") => {
    input.id = `field-${name}`;
    input.name = name;
    return h("div", {}, h("label", { for: input.id }, title), input, hint ? h("p.hint", {}, hint) : null);
  };
  const number = (attributes) => h("input", { type: "number", step: "any", ...attributes });
  const pairs = models.providers.flatMap((provider) =>
    [...new Set([provider.default_model, ...provider.models])].filter(Boolean).map((model) => `${provider.name}/${model}`));
  const tags = [...new Set(devices.flatMap((device) => device.tags || []))];
  return h("form.card.stack", { "aria-label": t("New task") },
    field("task", t("What is to be done"), h("textarea", { required: true, maxlength: 20000, rows: 3, placeholder: t("Open Settings and switch Bluetooth off") })),
    h("div.fields", {},
      field("serial", t("Phone"), h("select", {}, option("", t("the only one that is ready")),
        devices.map((device) => option(device.serial, `${device.name || device.model || device.serial} · ${device.state === "device" ? t("ready") : device.state}`)),
        tags.map((tag) => option(`tag:${tag}`, `${t("any with the tag")} ${tag}`)))),
      field("model", t("Model"), h("select", {}, option("", t("the default")), pairs.map((pair) => option(pair)))),
      field("task_type", t("Dialect"), h("select", {}, option("", t("as the model needs it")), (models.task_types || []).map((name) => option(name))))),
    h("fieldset", {}, h("legend", {}, t("Limits")), h("div.fields", {},
      field("max_steps", t("Most steps"), number({ min: 1, max: 400, step: 1, value: 40 })),
      field("deadline_s", t("Most seconds"), number({ min: 1, placeholder: t("none") })),
      field("max_total_tokens", t("Most tokens"), number({ min: 1, step: 1, placeholder: t("none") })),
      field("max_cost", t("Most money"), number({ min: 0.0001, placeholder: t("none") })))),
    h("fieldset", {}, h("legend", {}, t("Policy")),
      h("p.hint", {}, t("The server asks before risky actions. Say yes beforehand to:")),
      h("div.row", {}, CLASSES.map((name) => h("label.check", {}, h("input", { type: "checkbox", name: "approve", value: name }), t(`class ${name}`)))),
      h("label.check", {}, h("input", { type: "checkbox", name: "scope" }), t("Ask before it leaves the apps that the task names")),
      h("div.fields", {}, field("apps_deny", t("Apps that it must not use"), h("input", { type: "text", placeholder: "com.example.bank" }), t("packages, with spaces between")))),
    h("fieldset", {}, h("legend", {}, t("Privacy and questions")), h("div.fields", {},
      field("privacy", t("Privacy"), h("select", {}, option("", t("as the server is set")), ["off", "standard", "strict"].map((level) => option(level, t(`privacy ${level}`))))),
      field("reply_mode", t("Questions"), h("select", {}, ["pass_to_client", "auto_reply", "no_reply"].map((mode) => option(mode, t(`reply ${mode}`))))),
      field("confirm_timeout_s", t("Seconds to wait for a yes"), number({ min: 1, max: 3600, value: 300 })))),
    h("div.row", {},
      h("label.check", {}, h("input", { type: "checkbox", name: "reset_environment" }), t("Begin at the home screen")),
      h("label.check", {}, h("input", { type: "checkbox", name: "reflush_app" }), t("Stop an app before opening it"))),
    h("div.row", {}, h("button.main", { type: "submit" }, t("Start"))),
    h("div.form-error", {}));
}

function read(form) {
  const value = (name) => form.elements[name].value.trim();
  const body = { task: value("task"), max_steps: Number(value("max_steps")), reply_mode: value("reply_mode"), confirm_timeout_s: Number(value("confirm_timeout_s")) };
  if (value("serial").startsWith("tag:")) body.tag = value("serial").slice(4);
  else if (value("serial")) body.serial = value("serial");
  if (value("model")) {
    const [provider, ...name] = value("model").split("/");
    body.model_config = { model_provider: provider, model_name: name.join("/") };
  }
  for (const name of ["task_type", "privacy"]) if (value(name)) body[name] = value(name);
  for (const name of ["deadline_s", "max_total_tokens", "max_cost"]) if (value(name)) body[name] = Number(value(name));
  for (const name of ["reset_environment", "reflush_app"]) body[name] = form.elements[name].checked;
  const policy = {};
  const approve = [...form.elements.approve].filter((box) => box.checked).map((box) => box.value);
  if (approve.length) policy.approve = approve;
  if (form.elements.scope.checked) policy.scope = "apps";
  const deny = value("apps_deny").split(/[\s,]+/).filter(Boolean);
  if (deny.length) policy.apps = { deny };
  if (Object.keys(policy).length) body.policy = policy;
  return body;
}

/** Fill the form from an earlier task's request, as its log has it. */
function fill(form, request) {
  const options = request.options || {};
  const policy = options.policy || {};
  const put = (name, value) => {
    if (value !== null && value !== undefined) form.elements[name].value = value;
  };
  put("task", request.task);
  put("serial", request.tag ? `tag:${request.tag}` : request.serial);
  put("task_type", options.task_type);
  const model = options.model_config;
  if (model?.model_provider && model?.model_name) put("model", `${model.model_provider}/${model.model_name}`);
  for (const name of ["deadline_s", "max_total_tokens", "max_cost"]) put(name, request[name]);
  for (const name of ["max_steps", "reply_mode", "confirm_timeout_s", "privacy"]) put(name, options[name]);
  for (const name of ["reset_environment", "reflush_app"]) form.elements[name].checked = Boolean(options[name]);
  const approved = new Set([...(options.approve || []), ...(policy.approve || [])]);
  for (const box of form.elements.approve) box.checked = approved.has(box.value);
  form.elements.scope.checked = policy.scope === "apps";
  put("apps_deny", (policy.apps?.deny || []).join(" "));
  for (const select of form.querySelectorAll("select")) if (select.selectedIndex < 0) select.selectedIndex = 0;
}

/** What an earlier session's task was started with; a session without a task gives its words. */
async function readRequest(sessionId) {
  const [session, { events }] = await Promise.all([get(`/v1/sessions/${part(sessionId)}`), get(`/v1/sessions/${part(sessionId)}/events`)]);
  const started = events.find((event) => event.kind === "task_started");
  return started?.data?.request ?? { task: session.task, options: { task_type: session.task_type, model_config: session.model_config } };
}

function pastTasks(sessions, form, page) {
  const seen = new Map();
  for (const session of sessions) if (!seen.has(session.task)) seen.set(session.task, session);
  const found = [...seen.values()].slice(0, TEMPLATES);
  if (!found.length) return h("p.muted", {}, t("None yet."));
  return h("ul.templates", {}, found.map((session) => h("li", {}, h("button.quiet", {
    type: "button",
    onclick: async () => {
      try {
        fill(form, await readRequest(session.session_id));
        form.elements.task.focus();
      } catch (error) {
        page.fail(error);
      }
    },
  }, foreign(session.task)))));
}

async function start(page, form) {
  const place = form.querySelector(".form-error");
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  show(place);
  try {
    const task = await post("/v1/tasks", read(form));
    location.hash = `#/runs/${part(task.task_id)}`;
  } catch (error) {
    page.fail(error, place);
  } finally {
    button.disabled = false;
  }
}
