export type ResultShape =
  | { kind: 'nothing' }
  | { kind: 'shell'; exitCode: number; stdout: string; stderr: string }
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'written'; path: string; created: boolean; bytes: number }
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
  return { kind: 'other', value: result };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
