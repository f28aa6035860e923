/** The server's public API, as this page calls it. */

/** A refusal in the server's one shape. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message || `HTTP ${status}`);
    this.status = status;
    this.code = body?.code || "";
    this.details = body?.details || {};
  }
}

/** Send a request; gives the JSON of the answer. */
export async function call(method, path, body, headers = {}) {
  const request = { method, headers: { ...headers }, credentials: "same-origin" };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const response = await fetch(path, request);
  const text = await response.text();
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    // An answer that is not ours (a proxy's page): the status says enough.
  }
  if (!response.ok) {
    if (response.status === 401) dispatchEvent(new Event("signed-out"));
    throw new ApiError(response.status, data?.error);
  }
  return data;
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);

/** An address with its query; empty values are left out. */
export function address(path, query) {
  const pairs = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(pairs).toString();
  return text ? `${path}?${text}` : path;
}

export const part = encodeURIComponent;

/**
 * Follow a task's events until it ends or the signal says stop; after a break it goes on behind the
 * last one.
 */
export async function follow(taskId, after, onEvent, signal) {
  let last = after;
  while (!signal.aborted) {
    try {
      const response = await fetch(`/v1/tasks/${part(taskId)}/events?after=${last}`, { signal });
      if (!response.ok) throw new ApiError(response.status, (await response.json()).error);
      for await (const event of readEvents(response.body)) {
        last = event.id;
        onEvent(event);
        if (event.kind === "task_ended") return;
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status < 500)) return;
    }
    await pause(1000, signal);
  }
}

async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice(6));
    }
  }
}

/** Wait, at most until the signal. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
