/** The beginning and the end of a text too long to handle; the engine cuts what the model gets once more (T13). */
export function capText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)];
  return `${head}\n[${text.length - 2 * half} characters were left out here.]\n${tail}`;
}
