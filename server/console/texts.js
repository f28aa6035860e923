/** The page's words in English and Chinese. A key is the English text, or a group and a name. */

import { ENGLISH } from "./texts-en.js";
import { CHINESE } from "./texts-zh.js";

let chosen = null;

/** `en` or `zh`: what the person chose, else what the browser asks for. */
export function language() {
  chosen ??= stored() ?? (navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en");
  return chosen;
}

export function setLanguage(name) {
  chosen = name === "zh" ? "zh" : "en";
  try {
    localStorage.setItem("language", chosen);
  } catch {
    // A page from disk may have no storage: the choice then holds until it is closed.
  }
}

function stored() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

/** A text in the person's language; `{name}` is replaced by the value of that name. */
export function t(key, values = {}) {
  const one = values.n === 1 ? ENGLISH[`${key}|1`] : undefined;
  const text = (language() === "zh" ? CHINESE[key] : one) ?? ENGLISH[key] ?? key.replace(/^(event|class|level) /, "").replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
