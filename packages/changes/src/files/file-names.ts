import { Buffer } from 'node:buffer';
import { readdir } from 'node:fs/promises';

/** Matches only lone surrogates, which no valid UTF-8 contains. */
const ESCAPED = /[\uDC80-\uDCFF]/u;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The names in a folder. In a name that isn't UTF-8, each byte above 127 is a lone surrogate, so that no two names are the same text. */
export async function readNames(folder: string): Promise<string[]> {
  return (await readdir(toPath(folder), { encoding: 'buffer' })).map(toName);
}

export function toName(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes
      .toString('latin1')
      .replaceAll(/[\u0080-\u00FF]/g, (character) => String.fromCharCode(0xdc00 + character.charCodeAt(0)));
  }
}

/** A path with names from `readNames`, for functions of `fs`. */
export function toPath(path: string): string | Buffer {
  if (!isEscaped(path)) return path;
  const parts = path
    .split('/')
    .map((name) =>
      isEscaped(name)
        ? Buffer.from(Array.from(name, (character) => character.charCodeAt(0) & 0xff))
        : Buffer.from(name),
    );
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from('/'), part])));
}

/** A path with names from `readNames` as text for people and stores, which can't contain lone surrogates. */
export function showPath(path: string): string {
  return path.replaceAll(new RegExp(ESCAPED, 'gu'), (byte) => `\\x${(byte.charCodeAt(0) & 0xff).toString(16)}`);
}

/** Whether a part of the path isn't UTF-8. */
export function isEscaped(path: string): boolean {
  return ESCAPED.test(path);
}
