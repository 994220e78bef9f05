import type { Span } from './spans.js';

export interface UrlCredentials {
  secrets: Span[];
  /** The `user:password@host:port` parts. A colon in them doesn't separate a name from a value. */
  authorities: Span[];
}

const port = /^\d{1,5}$/;

/**
 * Finds credentials in a word's URLs. `asUnknown`: the word ends before the URL (at an operator or the hold limit), so `//name:text` without an `@` is
 * treated as the start of a password.
 */
export function findUrlCredentials(word: string, asUnknown: boolean): UrlCredentials {
  const secrets: Span[] = [];
  const authorities: Span[] = [];
  const lastAt = word.lastIndexOf('@');
  for (let mark = word.indexOf('://'); mark !== -1; mark = word.indexOf('://', mark + 3)) {
    const start = mark + 3;
    const length = word.slice(start).search(/[/?#]/);
    const end = length === -1 ? word.length : start + length;
    const authority = word.slice(start, end);
    const colon = authority.indexOf(':');
    const at = authority.lastIndexOf('@');
    authorities.push([start, end]);
    if (at !== -1) {
      const named = colon !== -1 && colon < at;
      if (named) secrets.push([start + colon + 1, start + at]);
      // In other schemes (ssh, postgres), a name alone before the `@` is just a user.
      else if (
        /(?:https?|wss?|ftps?)$/i.test(word.slice(Math.max(0, mark - 5), mark)) &&
        authority.slice(0, at) !== 'git'
      ) {
        secrets.push([start, start + at]);
      }
    } else if (colon !== -1 && !authority.startsWith('[') && !port.test(authority.slice(colon + 1))) {
      // A raw slash in a password ends the authority too early. No host has a port like that.
      if (lastAt >= end) secrets.push([start + colon + 1, lastAt]);
      else if (asUnknown && end === word.length) secrets.push([start + colon + 1, end]);
    } else if (asUnknown && end === word.length && authority.length > 1024) secrets.push([start, end]);
  }
  return { secrets, authorities };
}
