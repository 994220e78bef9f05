import { type PemBodyMode, type ScanStep, type WordToken, pemBody, plainMode, secret, shown } from './scan-mode.js';

type ScanPlain = (word: WordToken) => ScanStep;

/** Scans a word of `-----BEGIN RSA PRIVATE KEY-----` after the first one. */
export function scanPemHead(privateKey: boolean, word: WordToken, scanPlain: ScanPlain): ScanStep {
  const { text } = word;
  if (/^[A-Z0-9]{1,20}$/.test(text)) {
    return { pieces: [shown(text)], mode: { kind: 'pem-head', privateKey: privateKey || text === 'PRIVATE' } };
  }
  const head = /^(?:KEY|BLOCK)-----/.exec(text)?.[0];
  if (!privateKey || head === undefined) return scanPlain(word);
  const rest = text.slice(head.length);
  if (rest === '') return { pieces: [shown(head)], mode: pemBody };
  const next = scanPemBody(pemBody, { ...word, text: rest, complete: true }, scanPlain);
  return { pieces: [shown(head), ...next.pieces], mode: next.mode };
}

/** Scans a word between the BEGIN and END lines of a private key. */
export function scanPemBody(mode: PemBodyMode, word: WordToken, scanPlain: ScanPlain): ScanStep {
  const { text } = word;
  if (mode.header || /^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):$/.test(text)) {
    const step = scanPlain(word);
    return step.mode.kind === 'plain' ? { ...step, mode: { ...pemBody, header: true } } : step;
  }
  const base64 = /^[A-Za-z0-9+/=]*/.exec(text)?.[0] ?? '';
  const rest = text.slice(base64.length);
  // A short word after a space is not a line of a key. Masking it would hide an argument.
  if (base64 !== '' && mode.afterBlank && base64.length < 16) return scanPlain(word);
  if (rest.startsWith('-----END')) {
    return { pieces: base64 === '' ? [shown(rest)] : [secret(base64), shown(rest)], mode: plainMode };
  }
  // Anything else is not part of the key, and may introduce another secret.
  if (rest !== '' || scanPlain(word).mode.kind !== 'plain') return scanPlain(word);
  return { pieces: [secret(text)], mode: { ...pemBody, lastLength: text.length } };
}
