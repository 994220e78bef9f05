/** Parses a call's arguments. Returns the text itself if it isn't JSON: a model's output may be cut off. */
export function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
