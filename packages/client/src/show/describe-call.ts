/** The parts of a call that a card shows, by kind of tool. */
export type CallShape =
  | { kind: 'shell'; command: string; parameters: readonly string[] }
  | { kind: 'write'; path: string; content: string }
  | { kind: 'edit'; path: string; before: string; after: string }
  | { kind: 'fields'; fields: readonly { name: string; text: string }[] }
  | { kind: 'text'; text: string };

export function describeCall(toolName: string, args: unknown): CallShape {
  if (typeof args === 'string') return { kind: 'text', text: args };
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { kind: 'text', text: asText(args) };
  const record: Readonly<Record<string, unknown>> = { ...args };
  const { command, parameters, path, content, oldText, newText } = record;
  const only = (...names: readonly string[]): boolean => Object.keys(record).every((name) => names.includes(name));
  // If there is an unknown field, show the plain list: no argument may be hidden.
  if (toolName === 'shell_cmd' && typeof command === 'string' && only('command', 'parameters')) {
    if (parameters === undefined) return { kind: 'shell', command, parameters: [] };
    if (isStrings(parameters)) return { kind: 'shell', command, parameters };
  }
  if (toolName === 'write_file' && typeof path === 'string' && typeof content === 'string' && only('path', 'content'))
    return { kind: 'write', path, content };
  if (
    toolName === 'edit_file' &&
    typeof path === 'string' &&
    typeof oldText === 'string' &&
    typeof newText === 'string' &&
    only('path', 'oldText', 'newText')
  )
    return { kind: 'edit', path, before: oldText, after: newText };
  return { kind: 'fields', fields: Object.entries(record).map(([name, value]) => ({ name, text: asText(value) })) };
}

/** One line that identifies a call in a list. */
export function callLine(toolName: string, args: unknown): string {
  const shape = describeCall(toolName, args);
  switch (shape.kind) {
    case 'shell':
      return firstLine([shape.command, ...shape.parameters.map((word) => JSON.stringify(word))].join(' '));
    case 'write':
    case 'edit':
      return firstLine(shape.path);
    case 'text':
      return firstLine(shape.text);
    case 'fields':
      return firstLine(shape.fields.map(({ name, text }) => `${name}: ${text.slice(0, LONGEST_LINE * 4)}`).join(', '));
  }
}

/** Like `callLine`, with the tool's name, for places that don't show it otherwise. A command needs no tool name. */
export function namedCallLine(toolName: string, args: unknown): string {
  const line = callLine(toolName, args);
  return describeCall(toolName, args).kind === 'shell' ? line : `${toolName} ${line}`.trim();
}

const LONGEST_LINE = 240;

function firstLine(text: string): string {
  const lines = text.slice(0, LONGEST_LINE * 4).split('\n');
  const line = lines.find((each) => each.trim() !== '') ?? '';
  const cut = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
  return cut.length < text.trim().length ? `${cut.trimEnd()} …` : cut;
}

export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
