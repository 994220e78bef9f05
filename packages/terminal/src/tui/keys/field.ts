import { clusters } from '../../text/spans.js';
import type { Key } from './key.js';

/** An editable text. The cursor is before the character at its index. */
export interface Field {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_FIELD: Field = { text: '', cursor: 0 };

export function fieldOf(text: string): Field {
  return { text, cursor: text.length };
}

/** Applies a key to a field. Undefined if the key has no effect. */
export function edit(field: Field, key: Key): Field | undefined {
  const { text, cursor } = field;
  switch (key.kind) {
    case 'char':
      return insert(field, key.text);
    case 'burst':
    case 'paste':
      return insert(field, key.text.replaceAll(/\r\n?/g, '\n').replaceAll(/[\0-\x08\x0B-\x1F\x7F]/g, ''));
    case 'ctrl':
      return editByControl(field, key.letter);
    case 'name':
      switch (key.name) {
        case 'newline':
          return insert(field, '\n');
        case 'left':
          return { text, cursor: before(text, cursor) };
        case 'right':
          return { text, cursor: after(text, cursor) };
        case 'home':
          return { text, cursor: text.lastIndexOf('\n', cursor - 1) + 1 };
        case 'end':
          return { text, cursor: lineEnd(text, cursor) };
        case 'backspace':
          return without(field, before(text, cursor), cursor);
        case 'delete':
          return without(field, cursor, after(text, cursor));
        case 'up':
        case 'down':
          return byLine(field, key.name);
        case 'enter':
        case 'escape':
        case 'tab':
        case 'backtab':
        case 'pageup':
        case 'pagedown':
        case 'f1':
          return undefined;
      }
  }
}

function insert({ text, cursor }: Field, added: string): Field {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

function editByControl(field: Field, letter: string): Field | undefined {
  const { text, cursor } = field;
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  switch (letter) {
    case 'a':
      return { text, cursor: start };
    case 'e':
      return { text, cursor: lineEnd(text, cursor) };
    case 'u':
      return without(field, start, cursor);
    case 'k':
      return without(field, cursor, lineEnd(text, cursor));
    case 'w': {
      const kept = text.slice(0, cursor).replace(/\S*\s*$/, '');
      return without(field, kept.length, cursor);
    }
    default:
      return undefined;
  }
}

function without({ text }: Field, from: number, to: number): Field {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** Undefined if there is no such line. */
function byLine({ text, cursor }: Field, way: 'up' | 'down'): Field | undefined {
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  const column = cursor - start;
  if (way === 'up') {
    if (start === 0) return undefined;
    const above = text.lastIndexOf('\n', start - 2) + 1;
    return { text, cursor: Math.min(above + column, start - 1) };
  }
  const end = lineEnd(text, cursor);
  if (end === text.length) return undefined;
  return { text, cursor: Math.min(end + 1 + column, lineEnd(text, end + 1)) };
}

const segmenter = new Intl.Segmenter();

function before(text: string, cursor: number): number {
  if (cursor === 0) return 0;
  const part = text.slice(Math.max(0, cursor - 64), cursor);
  const last = [...segmenter.segment(part)].at(-1)?.segment ?? '';
  return cursor - last.length;
}

function after(text: string, cursor: number): number {
  const next = clusters(text.slice(cursor, cursor + 64).replaceAll('\n', ' '))[0]?.text.length ?? 0;
  return Math.min(text.length, cursor + next);
}
