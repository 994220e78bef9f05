import { CountersignError } from '@countersign/protocol';
import { startScriptedModel, type ModelScript, type ScriptedModel, type ServedRequest } from '@countersign/providers';
import { LineCounter, parseDocument, type Document } from 'yaml';

export interface StartModelOptions {
  /** Name and content of the script, in YAML or JSON. */
  file: { name: string; text: string };
  port?: number;
  host?: string;
  onRequest?: (served: ServedRequest) => void;
}

/** `countersign model`: starts the scripted model from a file. An error in the script names the line (MODEL6.3). */
export async function startModel({ file, ...options }: StartModelOptions): Promise<ScriptedModel> {
  const lines = new LineCounter();
  const document = parseDocument(file.text, { schema: 'core', prettyErrors: false, lineCounter: lines });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const { line } = lines.linePos(problem.pos[0]);
    throw new CountersignError('invalid', `${file.name}: ${problem.message} (line ${line})`, { cause: problem });
  }
  try {
    // The scripted model validates it.
    return await startScriptedModel({ ...options, script: document.toJS() as ModelScript, name: file.name });
  } catch (cause) {
    if (!(cause instanceof CountersignError) || cause.field === undefined) throw cause;
    const line = lineOf(document, cause.field.split('.'), lines);
    throw new CountersignError('invalid', `${cause.message} (line ${line})`, { field: cause.field, cause });
  }
}

/** The line of a field, or of its parent if the field is missing. */
function lineOf(document: Document, path: readonly string[], lines: LineCounter): number {
  const node: unknown = document.getIn(path, true);
  const range = typeof node === 'object' && node !== null ? (Reflect.get(node, 'range') as unknown) : undefined;
  if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line;
  return path.length === 0 ? 1 : lineOf(document, path.slice(0, -1), lines);
}
