import type { Key, KeyName } from './key.js';

interface KeyReader {
  /** Returns the keys in this chunk of input. */
  push(chunk: string): Key[];
  /** True while an escape character may still be the start of a sequence. */
  readonly isHolding: () => boolean;
  /** Called if nothing followed. */
  flush(): Key[];
}

const ESC = '\u001B';
const PASTE = `${ESC}[200~`;
const PASTED = `${ESC}[201~`;
/** Limits memory if a paste never ends. */
const LONGEST_PASTE = 200_000;

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  OP: 'f1',
  '[11~': 'f1',
  '[[A': 'f1',
  '[1~': 'home',
  '[7~': 'home',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[Z': 'backtab',
  '\r': 'newline',
};

/** Parses raw terminal input. Unknown sequences are ignored. */
export function createKeyReader(): KeyReader {
  let pending = '';
  let pasted: string | undefined;

  function push(chunk: string): Key[] {
    const keys: Key[] = [];
    let rest = pending + chunk;
    pending = '';
    while (rest !== '') {
      if (pasted !== undefined) {
        const end = rest.indexOf(PASTED);
        // The end mark may be split across reads.
        const upTo = end < 0 ? Math.max(0, rest.length - PASTED.length + 1) : end;
        pasted = (pasted + rest.slice(0, upTo)).slice(0, LONGEST_PASTE);
        if (end < 0) {
          pending = rest.slice(upTo);
          return keys;
        }
        keys.push({ kind: 'paste', text: pasted.replaceAll(/\r\n?/g, '\n') });
        pasted = undefined;
        rest = rest.slice(end + PASTED.length);
        continue;
      }
      const escape = rest.indexOf(ESC);
      if (escape !== 0) {
        const run = escape < 0 ? rest : rest.slice(0, escape);
        keys.push(...readRun(run));
        rest = rest.slice(run.length);
        continue;
      }
      if (rest.startsWith(PASTE)) {
        pasted = '';
        rest = rest.slice(PASTE.length);
        continue;
      }
      const sequence = sequenceAt(rest);
      if (sequence === undefined) {
        pending = rest;
        return keys;
      }
      const name = SEQUENCES[sequence.slice(1)];
      if (name !== undefined) keys.push({ kind: 'name', name });
      else if (sequence === ESC) keys.push({ kind: 'name', name: 'escape' });
      rest = rest.slice(sequence.length);
    }
    return keys;
  }

  return {
    push,
    isHolding: () => pending !== '' && pasted === undefined,
    flush() {
      if (pasted !== undefined || pending === '') return [];
      const held = pending;
      pending = '';
      return held.startsWith(ESC) ? [{ kind: 'name', name: 'escape' }] : [];
    },
  };
}

/** The leading escape sequence. Undefined if it is incomplete. */
function sequenceAt(text: string): string | undefined {
  if (text === ESC || /^\u001B\[[0-?]*[ -/]*$/.test(text) || text === `${ESC}O` || text === `${ESC}[[`)
    return undefined;
  const known = /^\u001B(?:\[\[[A-E]|\[[0-?]*[ -/]*[@-~]|O[@-~]|[^\u001B[O])/u.exec(text)?.[0];
  return known ?? ESC;
}

/** Parses characters without an escape. */
function readRun(run: string): Key[] {
  const characters = Array.from(run);
  const first = characters[0] ?? '';
  // A repeated character is treated as that key being held down.
  if (characters.every((character) => character === first)) return characters.flatMap(readCharacter);
  // Ctrl-C must always work.
  if (run.includes('\u0003')) return [{ kind: 'ctrl', letter: 'c' }];
  return [{ kind: 'burst', text: run }];
}

function readCharacter(character: string): Key[] {
  switch (character) {
    case '\r':
      return [{ kind: 'name', name: 'enter' }];
    case '\n':
      return [{ kind: 'name', name: 'newline' }];
    case '\t':
      return [{ kind: 'name', name: 'tab' }];
    case '\u007F':
    case '\b':
      return [{ kind: 'name', name: 'backspace' }];
    default: {
      const code = character.codePointAt(0) ?? 0;
      if (code > 0 && code <= 26) return [{ kind: 'ctrl', letter: String.fromCodePoint(code + 96) }];
      return code < 32 ? [] : [{ kind: 'char', text: character }];
    }
  }
}
