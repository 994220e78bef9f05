/** Keeps the start and the end of a very long text. The engine truncates the text for the model again (TURN13). */
export function capText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)];
  return `${head}\n[${text.length - 2 * half} characters were left out here.]\n${tail}`;
}
