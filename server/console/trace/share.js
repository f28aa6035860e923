/** A step as something to hand on: a command, or a case for the parsers' tests. Pure. */

/** One word for a POSIX shell, whatever it holds. */
export function quote(text) {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}

/** The reply of a step as `POST /v1/parse` and `localserver parse --jsonl` take it. */
export function caseOf(item, session) {
  const meta = item.action?.meta || {};
  const made = {
    id: `${String(session.session_id || "session").slice(0, 8)}-${item.key}`,
    dialect: meta.dialect || session.task_type,
  };
  if (meta.variant) made.variant = meta.variant;
  if (item.size) made.screen = item.size;
  if (item.sentSize) made.sent_image = item.sentSize;
  if (item.element?.count) made.elements = item.element.count;
  const { content, reasoning, toolCalls, finishReason } = item.reply;
  if (reasoning || toolCalls) {
    made.message = { content, reasoning_content: reasoning || null, tool_calls: toolCalls, finish_reason: finishReason };
  } else made.raw = content;
  return made;
}

/** A line of `dialect_cases.jsonl`: the reply and what was read from it. */
export function testCaseOf(item, session) {
  return JSON.stringify({ ...caseOf(item, session), expect: expectationOf(item), why: `recorded: ${session.task || ""}` });
}

function expectationOf(item) {
  const action = item.action;
  if (!action) return { error: item.rejections.at(-1)?.code || item.failure?.code || "" };
  const expect = { action: action.action };
  for (const name of ["point", "point1", "point2", "direction", "finger", "key", "return"]) {
    if (action[name] !== undefined) expect[name] = action[name];
  }
  if (action.element) expect.element = action.element.index;
  const names = { AWAKE: "app", WAIT: "seconds" };
  if (action.value !== undefined) expect[names[action.action] || "text"] = action.value;
  return expect;
}

/** A command that has the reply of a step read again. */
export function curlToParse(item, session, origin) {
  return [
    `curl -s ${quote(`${origin}/v1/parse`)}`,
    `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(caseOf(item, session)))}`,
  ].join(" \\\n  ");
}

/** Commands that put the same screenshot to the model once more, in a session of its own. */
export function curlToAskAgain(item, session, origin) {
  const opening = { task: session.task, task_type: session.task_type, model_config: session.model_config };
  const token = `-H "Authorization: Bearer $TOKEN"`;
  const file = `step_${String(item.number).padStart(4, "0")}.png`;
  const form = [`-F screenshot=@${file}`];
  const seen = item.environment;
  for (const [name, value] of [["query", seen.user_comment], ["foreground", seen.foreground], ["last_result", seen.last_result]]) {
    if (typeof value === "string" && value) form.push(`--form-string ${quote(`${name}=${value}`)}`);
  }
  return [
    `curl -s ${quote(`${origin}/v1/sessions/${session.session_id}/steps/${item.number}/image`)} ${token} -o ${file}`,
    `SESSION=$(curl -s ${quote(`${origin}/get_session`)} ${token} -H 'Content-Type: application/json' \\`,
    `  -d ${quote(JSON.stringify(opening))} | sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${quote(`${origin}/v1/sessions/`)}"$SESSION"/steps ${token} \\`,
    `  ${form.join(" ")}`,
  ].join("\n");
}
