/**
 * A trace document made ready to be shown. Pure: the same document always gives the same view.
 *
 * The document is what `GET /v1/sessions/{id}/trace` answers.
 */

/**
 * All that happened, in order: answered steps, and steps that failed (they have no number of their
 * own: the next try takes it).
 *
 * @returns {{session: object, items: object[], events: object[]}}
 */
export function readTrace(trace) {
  const texts = trace.texts || {};
  const tries = groupByTry(trace.events || []);
  const taken = new Set();
  const items = [];
  for (const step of trace.steps || []) {
    const own = tries.filter((one) => one.step === step.step);
    own.forEach((one) => taken.add(one));
    own.slice(0, -1).forEach((one, place) => items.push(failedItem(one, place)));
    items.push(stepItem(step, own.at(-1), texts));
  }
  let place = 0;
  for (const one of tries) {
    if (!taken.has(one) && one.failure) items.push(failedItem(one, place++));
  }
  return { session: trace.session || {}, items, events: trace.events || [] };
}

/** The events of each try of a step, from `step_started` on; what follows it belongs to it. */
function groupByTry(events) {
  const tries = [];
  const openTry = (step) => {
    const one = { step, events: [], replies: [], rejections: [], failure: null };
    tries.push(one);
    return one;
  };
  for (const event of events) {
    const data = event.data || {};
    const step = data.step ?? data.global_step_idx;
    if (typeof step !== "number") continue;
    let one = tries.findLast((found) => found.step === step);
    if (!one || (event.kind === "step_started" && (one.failure || one.isAnswered))) one = openTry(step);
    one.events.push(event);
    if (event.kind === "reply") one.replies.push(data);
    if (event.kind === "rejection") {
      one.rejections.push({ ...data, reply: one.replies.at(-1)?.content ?? "" });
    }
    if (event.kind === "step_failed") one.failure = data;
    if (event.kind === "task_step") one.isAnswered = true;
    if (event.kind === "device_outcome") one.outcome = data;
    if (event.kind === "task_step") one.report = data;
    if (event.kind === "policy_decision") one.policy = data; // once the screen was read
  }
  return tries;
}

function stepItem(step, happened, texts) {
  const report = happened?.report;
  const action = step.action || {};
  return {
    key: String(step.step),
    number: step.step,
    hasPicture: true,
    at: step.timestamp,
    action,
    size: step.environment?.size ?? null,
    environment: step.environment || {},
    sentSize: step.sent_size ?? null,
    element: step.element ?? null,
    prompt: () => unfold(step.asked_messages, texts),
    reply: {
      content: step.model_response ?? "",
      reasoning: step.reasoning ?? "",
      toolCalls: step.tool_calls ?? null,
      finishReason: step.finish_reason ?? null,
      requestId: step.request_id ?? null,
    },
    usage: step.usage ?? null,
    modelS: step.llm_cost?.llm_time ?? null,
    times: report?.times_s ?? null,
    requests: step.attempts ?? 1,
    rejections: happened?.rejections ?? [],
    failedRequests: (happened?.replies ?? []).flatMap((reply) => failedAttempts(reply.attempts)),
    policy: happened?.policy ?? step.policy ?? null,
    outcome: report?.outcome ?? happened?.outcome ?? null,
    events: happened?.events ?? [],
    failure: null,
  };
}

function failedItem(one, place) {
  const reply = one.replies.at(-1);
  return {
    key: `${one.step}f${place + 1}`,
    number: one.step,
    hasPicture: false,
    file: (one.failure?.images ?? []).find((name) => /\.(png|jpeg|webp)$/.test(name)) ?? null,
    at: one.events[0]?.timestamp,
    action: null,
    size: null,
    environment: {},
    sentSize: null,
    element: null,
    prompt: () => [],
    reply: {
      content: reply?.content ?? "",
      reasoning: reply?.reasoning ?? "",
      toolCalls: reply?.tool_calls ?? null,
      finishReason: reply?.finish_reason ?? null,
      requestId: reply?.request_id ?? null,
    },
    usage: reply?.usage ?? null,
    modelS: null,
    times: null,
    requests: reply?.attempts?.length ?? one.failure?.attempts?.length ?? 0,
    rejections: one.rejections,
    failedRequests: failedAttempts(one.failure?.attempts ?? reply?.attempts),
    policy: null,
    outcome: null,
    events: one.events,
    failure: one.failure?.error ?? { code: "", message: "" },
  };
}

function failedAttempts(attempts) {
  return (attempts ?? []).filter((attempt) => attempt.outcome !== "ok");
}

/** The prompt with its long texts put back; a text that is gone stays a reference. */
function unfold(messages, texts) {
  const part = (one) =>
    one && typeof one === "object" && one.text_ref in texts
      ? { type: "text", text: texts[one.text_ref] }
      : one;
  return (Array.isArray(messages) ? messages : []).map((message) => {
    const content = message.content;
    if (Array.isArray(content)) return { ...message, content: content.map(part) };
    if (content && typeof content === "object" && content.text_ref in texts) {
      return { ...message, content: texts[content.text_ref] };
    }
    return message;
  });
}
