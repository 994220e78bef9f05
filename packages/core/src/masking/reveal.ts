import { blankNamed } from './display-form.js';
import { mapJson } from './map-json.js';

export type Revealed = { ok: true; value: unknown } | { ok: false; unknown: string };

/** Longer than any argument. Without a limit, `‹999999999 spaces›` would exhaust memory. */
const expansionLimit = 64 * 1024 * 1024;

/**
 * Reverses `maskValue` or `maskText` after a person may have edited the output. Fails and names any unknown or malformed placeholder: guessing
 * would run something that nobody approved.
 */
export function reveal(value: unknown, secrets: readonly string[]): Revealed {
  let unknown: string | undefined;
  let left = expansionLimit;

  function revealPlaceholder(placeholder: string): string {
    const text = standsFor(placeholder, secrets);
    if (text === undefined || text.length * text.times > left) {
      unknown ??= placeholder;
      return '';
    }
    left -= text.length * text.times;
    return text.of.repeat(text.times);
  }

  function revealText(text: string): string {
    return text.includes('‹')
      ? text.replaceAll(/‹[^‹›]{0,60}›?/g, (placeholder) => revealPlaceholder(placeholder))
      : text;
  }

  const revealed = mapJson(value, {
    enter: () => false,
    key: revealText,
    leaf(leaf) {
      if (typeof leaf !== 'string') return { value: leaf };
      const [, number, length] = /^‹masked number ([1-9]\d{0,8}): ([1-9]\d{0,8}) characters?›$/.exec(leaf) ?? [];
      if (number === undefined) return { value: revealText(leaf) };
      const secret = secrets[Number(number) - 1];
      if (secret?.length !== Number(length) || !/^-?\d/.test(secret) || !Number.isFinite(Number(secret))) {
        unknown ??= leaf;
        return { value: null };
      }
      return { value: Number(secret) };
    },
  });
  return unknown === undefined ? { ok: true, value: revealed } : { ok: false, unknown };
}

interface Meaning {
  of: string;
  length: number;
  times: number;
}

function standsFor(placeholder: string, secrets: readonly string[]): Meaning | undefined {
  const [, masked, length, code, times, blankName] =
    /^‹(?:masked ([1-9]\d{0,8}): ([1-9]\d{0,8}) characters?|U\+([0-9A-F]{4,6})|([1-9]\d{0,8}) (spaces|newlines|tabs|U\+[0-9A-F]{4}))›$/.exec(
      placeholder,
    ) ?? [];
  if (masked !== undefined) {
    // The length must match too: in another version, a mask with this number could represent another secret.
    const secret = secrets[Number(masked) - 1];
    return secret?.length === Number(length) ? once(secret) : undefined;
  }
  if (code !== undefined) {
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? undefined : once(String.fromCodePoint(point));
  }
  const blank = blankNamed(blankName ?? '');
  return blank === undefined ? undefined : { of: blank, length: 1, times: Number(times) };
}

function once(of: string | undefined): Meaning | undefined {
  return of === undefined ? undefined : { of, length: of.length, times: 1 };
}
