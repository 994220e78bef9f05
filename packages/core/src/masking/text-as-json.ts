/** The value of a call's arguments. What is not JSON is the text it is: a model may break off in the middle. */
export function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
