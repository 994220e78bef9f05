import { isRecord } from '../shared/records.js';

/** A call that is still being streamed. */
export interface CallDraft {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** Adds a chunk of a call, however the server splits calls. */
export function addToolDelta(calls: CallDraft[], delta: object): void {
  const { index, id, function: asked }: Record<string, unknown> = { ...delta };
  const { name, arguments: args }: Record<string, unknown> = isRecord(asked) ? asked : {};
  const draft = draftFor(calls, typeof index === 'number' ? index : undefined, textOf(id), textOf(name));
  if (draft.id === '') draft.id = textOf(id);
  if (draft.name === '') draft.name = textOf(name);
  draft.arguments += isRecord(args) ? JSON.stringify(args) : textOf(args);
}

function draftFor(calls: CallDraft[], index: number | undefined, id: string, name: string): CallDraft {
  // Servers without indexes start each call with its name.
  const found =
    index === undefined ? (name === '' ? calls.at(-1) : undefined) : calls.findLast((call) => call.index === index);
  // Some servers give every parallel call index 0. A different id means another call; merging them would corrupt both.
  const isAnother = found !== undefined && id !== '' && name !== '' && found.id !== '' && found.id !== id;
  if (found !== undefined && !isAnother) return found;
  const draft: CallDraft = { index, id: '', name: '', arguments: '' };
  calls.push(draft);
  return draft;
}

/** Merges the chunks of OpenRouter's encrypted reasoning by index. */
export function addDetails(details: Record<string, unknown>[], more: unknown): void {
  if (!Array.isArray(more)) return;
  for (const piece of more.filter(isRecord)) {
    const known = details.find((detail) => detail['index'] === piece['index'] && detail['type'] === piece['type']);
    if (known === undefined || piece['index'] === undefined) {
      details.push({ ...piece });
      continue;
    }
    for (const [key, value] of Object.entries(piece)) {
      const before = known[key];
      const grows = (key === 'text' || key === 'summary' || key === 'data') && typeof value === 'string';
      if (grows && typeof before === 'string') known[key] = before + value;
      else if (value !== null) known[key] = value;
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
