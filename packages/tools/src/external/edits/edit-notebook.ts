import type { NewText } from './replace-texts.js';

interface NotebookEdit {
  readonly cell_id?: string | undefined;
  readonly cell_type?: 'code' | 'markdown' | undefined;
  readonly edit_mode: 'replace' | 'insert' | 'delete';
  readonly new_source: string;
}

/** The notebook as Claude Code writes it. It gives a new cell a random id, which is left out here. */
export function editNotebook(
  before: string,
  { cell_id, cell_type, edit_mode, new_source: source }: NotebookEdit,
): NewText {
  const notebook = readObject(before);
  const cells: unknown = notebook?.['cells'];
  if (!isList(cells)) return { why: 'unreadable' };
  const at = cell_id === undefined ? -1 : indexOf(cells, cell_id);
  const cell = cells[at];
  const outputs = (kind: unknown): object => (kind === 'code' ? { execution_count: null, outputs: [] } : {});
  if (edit_mode === 'insert' && cell_type === undefined) return { why: 'unclear' };
  if (!isObject(cell) && (edit_mode !== 'insert' || cell_id !== undefined)) return { why: 'no-match' };
  if (edit_mode === 'insert') cells.splice(at + 1, 0, { cell_type, source, metadata: {}, ...outputs(cell_type) });
  else if (edit_mode === 'delete') cells.splice(at, 1);
  else if (isObject(cell))
    Object.assign(cell, { source, ...outputs(cell['cell_type']) }, cell_type === undefined ? {} : { cell_type });
  return { text: JSON.stringify(notebook, null, 1) };
}

/** By its id or, if the notebook has no ids, by its position, as in `cell-3`. */
function indexOf(cells: readonly unknown[], id: string): number {
  const byId = cells.findIndex((cell) => isObject(cell) && cell['id'] === id);
  return byId === -1 ? Number(/^cell-(\d{1,6})$/.exec(id)?.[1] ?? -1) : byId;
}

/** Not through a schema, which would change the order of the keys. */
function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
