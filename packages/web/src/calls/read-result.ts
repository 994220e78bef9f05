import { callWords } from '../words/calls.js';

export type ResultShape =
  | { kind: 'empty' }
  | { kind: 'shell'; exitCode: number; stdout: string; stderr: string; note: string }
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'written'; path: string; created: boolean; bytes: number }
  | { kind: 'file'; path: string; size: number; lines: string; content: string; note: string }
  | { kind: 'list'; path: string; entries: readonly string[]; note: string }
  | { kind: 'text'; text: string }
  | { kind: 'other'; value: unknown };

/** Finds the best way to show a result. JSON in a string is parsed. */
export function readResult(result: unknown): ResultShape {
  if (result === undefined || result === null || result === '') return { kind: 'empty' };
  if (typeof result === 'string') {
    const parsed = result.startsWith('{') && result.length < 1_000_000 ? parse(result) : undefined;
    return parsed === undefined ? { kind: 'text', text: result } : readResult(parsed);
  }
  if (typeof result !== 'object') return { kind: 'other', value: result };
  const record: Fields = { ...result };
  return (
    readShell(record) ??
    readDiff(record) ??
    readWritten(record) ??
    readFile(record) ??
    readList(record) ?? { kind: 'other', value: result }
  );
}

// The tool chooses these keys, and the model reads all of them: a result with any other key is shown unchanged.

type Fields = Readonly<Record<string, unknown>>;

function readShell({ exitCode, stdout, stderr, note = '', ...more }: Fields): ResultShape | undefined {
  if (typeof exitCode !== 'number' || typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  if (typeof note !== 'string' || Object.keys(more).length > 0) return undefined;
  return { kind: 'shell', exitCode, stdout, stderr, note };
}

function readDiff({ path, diff, ...more }: Fields): ResultShape | undefined {
  if (typeof path !== 'string' || typeof diff !== 'string' || Object.keys(more).length > 0) return undefined;
  const [head = '', hasPlaces] = diff.split(/^@@/m, 2);
  const names = new Set(['', '--- /dev/null', `--- ${path}`, `--- a/${path}`, `+++ ${path}`, `+++ b/${path}`]);
  // The head of a diff is not shown.
  const isPlain = hasPlaces === undefined || head.split('\n').every((line) => names.has(line));
  return isPlain ? { kind: 'diff', path, diff } : undefined;
}

function readWritten({ path, created, bytes, ...more }: Fields): ResultShape | undefined {
  if (typeof path !== 'string' || typeof created !== 'boolean' || typeof bytes !== 'number') return undefined;
  return Object.keys(more).length > 0 ? undefined : { kind: 'written', path, created, bytes };
}

function readFile({ path, size, firstLine, lastLine, content, note = '', ...more }: Fields): ResultShape | undefined {
  if (typeof path !== 'string' || typeof size !== 'number' || typeof content !== 'string') return undefined;
  if (typeof note !== 'string' || Object.keys(more).length > 0) return undefined;
  if (firstLine === undefined && lastLine === undefined) return { kind: 'file', path, size, lines: '', content, note };
  if (typeof firstLine !== 'number' || typeof lastLine !== 'number') return undefined;
  const lines = callWords.lineRange(firstLine, lastLine);
  return { kind: 'file', path, size, lines, content, note };
}

function readList({ path, entries, note = '', ...more }: Fields): ResultShape | undefined {
  if (typeof path !== 'string' || typeof note !== 'string' || Object.keys(more).length > 0) return undefined;
  // A name with a line break would look like two names.
  return Array.isArray(entries) && entries.every((entry) => typeof entry === 'string' && !entry.includes('\n'))
    ? { kind: 'list', path, entries, note }
    : undefined;
}

/** Also undefined if an object has a duplicate key: parsing keeps only the last one, while a model reads both. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const colons = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;
    return typeof value === 'object' && value !== null && countKeys(value) === colons ? value : undefined;
  } catch {
    return undefined;
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, each) => sum + countKeys(each), own);
}
