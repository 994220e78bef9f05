import { type Piece, type ScanStep, type ValueMode, type WordToken, secret, shown, valueMode } from './scan-mode.js';

const schemes = /^(?:bearer|basic|token|digest|negotiate|apikey|api-key|key|hmac|ntlm|aws4-hmac-sha256)$/i;
const bearerProse =
  /^(?:tokens?|auth|authentication|authorization|schemes?|headers?|credentials?|string|of|in|is|and|or|for|with|the)[.,:!?]*$/i;
const keyword =
  /^(?:string|number|boolean|bool|int|str|any|unknown|never|object|null|nil|none|undefined|true|false|await|new|typeof|required|optional)[,;?]*$/i;
const codeRoot = /^(?:process|os|env|config|self|this|req|request|ctx|options|opts|settings|args|import)\.[\w.]+,?$/;
// Letters mixed with digits, or twenty letters in a row: no common command has such a name. Also matches `key@host`.
const keyLike =
  /^(?:(?=[^@]{0,60}\d)(?=[^@]{0,60}[A-Za-z])[A-Za-z0-9+=_-][A-Za-z0-9+/=_.~-]{19,}|[A-Za-z0-9]{20,})(?:@|$)/;
const punctuation = /^[!-/:-@[-`{-~]{1,3}$/;

/** Scans a word where a secret is expected. `undefined`: not a secret, so scan it as a plain word. */
export function scanValueWord(mode: ValueMode, word: WordToken): ScanStep | undefined {
  const { text } = word;
  if (roleInValue(mode, text) !== 'value') return undefined;
  // The next string in the list must be quoted; unquoted words are skipped.
  if (mode.closed && mode.listed) return { pieces: [shown(text)], mode: nextListed(mode) };
  if (mode.started) return { pieces: maskLiterals(text, mode), mode: started(mode, text) };
  const bare = mode.quote === '';
  switch (mode.of) {
    case 'assignment':
    case 'scheme':
      break;
    case 'flag':
      if (bare && text === ',') return { pieces: [shown(text)], mode };
      if ((bare || mode.quote === 'whole') && text.startsWith('-')) return undefined;
      break;
    case 'bearer':
      if (bearerProse.test(text)) return undefined;
      break;
    case 'item':
      // A list item with its own fields, whose names show which of them are secrets.
      if (bare && text.endsWith(':')) return undefined;
      if (bare && looksLikeCode(word)) return undefined;
      break;
    case 'field':
      if (bare && looksLikeCode(word)) return undefined;
      if (bare && text === '[' && !mode.cautious) return { pieces: [shown(text)], mode: { ...mode, listed: true } };
      break;
    case 'authorization':
      if (bare && looksLikeCode(word)) return undefined;
      if (schemes.test(text)) return { pieces: [shown(text)], mode: { ...mode, of: 'scheme', closed: false } };
      break;
    case 'cookie':
      return scanCookie(mode, text);
    case 'user':
      return scanUser(mode, text);
  }
  return { pieces: maskLiterals(text, mode), mode: started(mode, text) };
}

/** The role of a word where a secret is expected. `within`: may be a command, but the value may continue after it. */
export function roleInValue(mode: ValueMode, text: string): 'value' | 'within' | 'none' {
  if (text.endsWith('-----BEGIN')) return 'none';
  if (mode.closed && /^[,}\]:]/.test(text) && !(mode.listed && text === ',')) return 'none';
  // `X=''token: rm -rf /` and `eval TOKEN="x rm -rf /"` must show the command that they run.
  const key = mode.of === 'user' ? text.slice(text.indexOf(':') + 1) : text;
  if (!mode.cautious || !mode.spaced || keyLike.test(key)) return 'value';
  if (mode.started) return 'within';
  return mode.of === 'authorization' && schemes.test(text) ? 'value' : 'none';
}

// In `const token = getToken()` or `token: string`, a mask would hide code from the reviewer.
function looksLikeCode({ text, next }: WordToken): boolean {
  // `cat: token: No such file or directory`
  if (text === 'No' && next === ' ') return true;
  return keyword.test(text) || codeRoot.test(text) || (next === '(' && /^[A-Za-z_.]+$/.test(text));
}

function scanCookie(mode: ValueMode, text: string): ScanStep | undefined {
  const equals = text.indexOf('=');
  // After a `;`, only another `name=value` is part of the header.
  if (equals < 1) return mode.separated ? undefined : { pieces: maskLiterals(text, mode), mode: started(mode, text) };
  const value = text.slice(equals + 1);
  return { pieces: [shown(text.slice(0, equals + 1)), ...maskLiterals(value, mode)], mode: started(mode, value) };
}

function scanUser(mode: ValueMode, text: string): ScanStep | undefined {
  const colon = text.indexOf(':');
  const password = text.slice(colon + 1);
  // `docker run -u 0:0` is a user and a group.
  if (colon < 1 || /^\d*$/.test(password)) return undefined;
  const rest: ValueMode = { ...valueMode('assignment', mode.cautious), quote: mode.quote, many: mode.many };
  return { pieces: [shown(text.slice(0, colon + 1)), ...maskLiterals(password, rest)], mode: started(rest, password) };
}

function nextListed(mode: ValueMode): ValueMode {
  return { ...mode, started: false, closed: false, quote: '', many: false, separated: false, spaced: false };
}

function started(mode: ValueMode, text: string): ValueMode {
  const separated = text.endsWith(',');
  return mode.started && mode.separated === separated ? mode : { ...mode, started: true, separated };
}

/** Outside quotes, braces and globs are expansions, which are always shown. */
function maskLiterals(text: string, mode: ValueMode): Piece[] {
  const mask = (part: string): Piece => (punctuation.test(part) ? shown(part) : secret(part));
  if (text === '') return [];
  if (mode.many && mode.quote !== '') return [mask(text)];
  const parts = text.split(/([{}*?[\],]+)/).filter((part) => part !== '');
  return parts.map((part) => (/^[{}*?[\],]/.test(part) ? shown(part) : mask(part)));
}
