/** Parses a call's arguments. Returns the text itself if it isn't valid JSON: a model's output may be truncated. */
export function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
