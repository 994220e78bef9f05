export type ResultShape =
  | { kind: 'nothing' }
  | { kind: 'shell'; exitCode: number; stdout: string; stderr: string }
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'written'; path: string; created: boolean; bytes: number }
  | { kind: 'file'; size: number; lines: string; content: string; note: string }
  | { kind: 'list'; entries: readonly string[]; note: string }
  | { kind: 'text'; text: string }
  | { kind: 'other'; value: unknown };

/** Finds the form in which a result is best read. One that is JSON in a string is read as what it says. */
export function readResult(result: unknown): ResultShape {
  if (result === undefined || result === null || result === '') return { kind: 'nothing' };
  if (typeof result === 'string') {
    const parsed = result.startsWith('{') && result.length < 1_000_000 ? parse(result) : undefined;
    return parsed === undefined ? { kind: 'text', text: result } : readResult(parsed);
  }
  if (typeof result !== 'object') return { kind: 'other', value: result };
  const record: Readonly<Record<string, unknown>> = { ...result };
  const { exitCode, stdout, stderr, path, diff, created, bytes } = record;
  if (
    typeof exitCode === 'number' &&
    typeof stdout === 'string' &&
    typeof stderr === 'string' &&
    Object.keys(record).length <= 4
  )
    return { kind: 'shell', exitCode, stdout, stderr };
  if (typeof path === 'string' && typeof diff === 'string' && Object.keys(record).length === 2)
    return { kind: 'diff', path, diff };
  if (
    typeof path === 'string' &&
    typeof created === 'boolean' &&
    typeof bytes === 'number' &&
    Object.keys(record).length === 3
  )
    return { kind: 'written', path, created, bytes };
  return readFile(record) ?? readList(record) ?? { kind: 'other', value: result };
}

/** Only what has no other keys: what is not shown would be hidden. */
function readFile(record: Readonly<Record<string, unknown>>): ResultShape | undefined {
  const { path, size, firstLine, lastLine, content, note = '', ...more } = record;
  if (typeof path !== 'string' || typeof size !== 'number' || typeof content !== 'string') return undefined;
  if (typeof note !== 'string' || Object.keys(more).length > 0) return undefined;
  if (firstLine === undefined && lastLine === undefined) return { kind: 'file', size, lines: '', content, note };
  if (typeof firstLine !== 'number' || typeof lastLine !== 'number') return undefined;
  const lines = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine} to ${lastLine}`;
  return { kind: 'file', size, lines, content, note };
}

function readList(record: Readonly<Record<string, unknown>>): ResultShape | undefined {
  const { path, entries, note = '', ...more } = record;
  if (typeof path !== 'string' || typeof note !== 'string' || Object.keys(more).length > 0) return undefined;
  return Array.isArray(entries) && entries.every((entry) => typeof entry === 'string')
    ? { kind: 'list', entries, note }
    : undefined;
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
