/** The last lines that a server printed. */
export interface ServerLog {
  /** Takes text in chunks of any size. */
  push(text: string): void;
  lines(): string[];
}

const MAX_LINES = 200;
const LONGEST_LINE = 1_000;

export function createServerLog(): ServerLog {
  const lines: string[] = [];
  let open = '';
  return {
    push(text) {
      const parts = `${open}${text}`.split(/\r\n|\r|\n/);
      open = (parts.pop() ?? '').slice(0, LONGEST_LINE);
      for (const part of parts.slice(-MAX_LINES)) if (part.trim() !== '') lines.push(part.slice(0, LONGEST_LINE));
      lines.splice(0, lines.length - MAX_LINES);
    },
    lines: () => (open.trim() === '' ? [...lines] : [...lines, open]),
  };
}
