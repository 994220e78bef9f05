import { byNumber, HIDDEN } from '@countersign/protocol';
import { holdLimit } from './scan/characters.js';
import type { Piece } from './scan/scan-mode.js';

/**
 * The display form: `sk-p‹masked 1: 24 characters›9f2c` for a secret, `‹U+202E›` for an invisible character, `‹40 spaces›` for a long run of
 * whitespace. A literal `‹` is escaped, so text can't fake a placeholder. Reversible, except `‹90000 characters not shown›` for text past the
 * scan limit.
 */

/** How many whitespace characters of each kind are shown unchanged, and the name used for longer runs. */
const blanks = new Map([
  [' ', { shownUpTo: 8, name: 'spaces' }],
  ['\n', { shownUpTo: 4, name: 'newlines' }],
  ['\t', { shownUpTo: 4, name: 'tabs' }],
  ['\u00A0', { shownUpTo: 8, name: 'U+00A0' }],
  ['\u202F', { shownUpTo: 8, name: 'U+202F' }],
  ['\u3000', { shownUpTo: 8, name: 'U+3000' }],
]);

const special = new RegExp(
  [...[...blanks].map(([character, { shownUpTo }]) => `${character}{${shownUpTo + 1},}`), `[\\u2039${HIDDEN}]`].join(
    '|',
  ),
  'gu',
);

const blankByName = new Map([...blanks].map(([character, { name }]) => [name, character]));

export function blankNamed(name: string): string | undefined {
  return blankByName.get(name);
}

/** The placeholder for a secret or its middle. It includes the length, so that people see how much is hidden. */
export function maskedText(number: number, length: number): string {
  return `‹masked ${number}: ${characters(length)}›`;
}

/** The placeholder for a masked number. It is the whole string, so that `reveal` can turn it back into a number. */
export function maskedNumber(number: number, length: number): string {
  return `‹masked number ${number}: ${characters(length)}›`;
}

export function notShown(length: number): string {
  return `‹${length} characters not shown›`;
}

function characters(length: number): string {
  return length === 1 ? '1 character' : `${length} characters`;
}

/** How many characters to show at each end of a secret, by length. At least half of it, and at least 8 characters, stay masked. */
const ends: readonly (readonly [from: number, shown: number])[] = [
  [24, 4],
  [18, 3],
  [12, 2],
];

/** Splits a secret so that only its middle is masked (SAFE6). Short secrets and non-ASCII ones are masked completely. */
export function splitSecret(secret: string): { head: string; middle: string; tail: string } {
  const shown = /^[!-~\n]*$/.test(secret) ? (ends.find(([from]) => secret.length >= from)?.[1] ?? 0) : 0;
  const end = secret.length - shown;
  return { head: secret.slice(0, shown), middle: secret.slice(shown, end), tail: secret.slice(end) };
}

export interface DisplayWriter {
  write(kind: Piece['kind'], text: string): void;
  /** Returns the text that can be shown now. Holds back a run of whitespace or a secret that may continue. */
  take(): string;
  end(): string;
}

/** `display`: the form above. `chat`: only secrets are replaced, so emoji and other scripts stay unchanged; not reversible. */
export type TextForm = 'display' | 'chat';

export function createDisplayWriter(numberOf: (secret: string) => number, form: TextForm = 'display'): DisplayWriter {
  let done = '';
  let text = '';
  let run = { character: '', count: 0 };
  let secret = '';
  let joint = '';

  function endRun(): void {
    done += writeRun(run.character, run.count);
    run = { character: '', count: 0 };
  }

  /** Renders the text except trailing whitespace, which may continue in the next chunk and is only counted. */
  function renderText(): void {
    const pending = text;
    text = '';
    if (form === 'chat') {
      done += pending;
      return;
    }
    const start = run.count === 0 ? 0 : runLength(pending, run.character, 0, 1);
    run = { ...run, count: run.count + start };
    if (start === pending.length) return;
    endRun();
    const last = pending.charAt(pending.length - 1);
    const count = blanks.has(last) ? runLength(pending, last, pending.length - 1, -1) : 0;
    done += displayText(pending.slice(start, pending.length - count));
    run = { character: count === 0 ? '' : last, count };
  }

  function endSecret(): void {
    if (secret !== '') {
      const { head, middle, tail } = splitSecret(secret);
      done += head + maskedText(numberOf(middle), middle.length) + tail;
    }
    text += joint;
    secret = '';
    joint = '';
  }

  return {
    write(kind, stretch) {
      if (kind === 'joint' && secret !== '') joint += stretch;
      else if (kind === 'secret') {
        if (secret === '') {
          renderText();
          endRun();
        }
        secret += joint + stretch;
        joint = '';
        if (secret.length >= holdLimit) endSecret();
      } else {
        if (secret !== '') endSecret();
        text += stretch;
      }
    },
    take() {
      renderText();
      const taken = done;
      done = '';
      return taken;
    },
    end() {
      endSecret();
      renderText();
      endRun();
      const taken = done;
      done = '';
      return taken;
    },
  };
}

/** The display form of text without secrets. */
export function displayText(text: string): string {
  return text.replaceAll(special, writeSpecial);
}

/** Like `displayText`, for text of any length. Withholds the rest after `most` placeholders, because rendering more would block the process. */
export function createDisplay(most: number): { show: (text: string) => string; isWhole: () => boolean } {
  let left = most;
  return {
    show(text) {
      let shown = '';
      let from = 0;
      for (const { 0: found, index } of text.matchAll(special)) {
        if (left === 0) return shown + text.slice(from, index) + notShown(text.length - index);
        left -= 1;
        shown += text.slice(from, index) + writeSpecial(found);
        from = index + found.length;
      }
      return from === 0 ? text : shown + text.slice(from);
    },
    isWhole: () => left > 0,
  };
}

function writeSpecial(found: string): string {
  return blanks.has(found.charAt(0)) ? writeRun(found.charAt(0), found.length) : byNumber(found);
}

function writeRun(character: string, count: number): string {
  const blank = blanks.get(character);
  return blank !== undefined && count > blank.shownUpTo ? `‹${count} ${blank.name}›` : character.repeat(count);
}

function runLength(text: string, character: string, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < text.length && text.charAt(at) === character) at += step;
  return Math.abs(at - from);
}
