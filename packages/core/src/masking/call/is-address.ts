import { isLikelySecret } from '../../ports/is-likely-secret.js';

interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Whether the text may be a path, host, file or option. */
export function isAddress(secret: string): boolean {
  // Also matches option values that refer to a file, program or variable: `@x`, `file:x`, `!x`, `%X%`.
  if (/^[~.@!%-]|[\\]|^[a-z]{2,10}:/.test(secret)) return true;
  if (secret.includes('/')) {
    const words = secret.split('/').some((part) => part === '' || /^[a-z]{2,}$/.test(part) || part.includes('.'));
    return words || !/^[A-Za-z0-9+/]{38,}={0,2}$/.test(secret) || !isLikelySecret(secret);
  }
  return /\.[A-Za-z]\w{0,4}(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}|^(?:[\w-]+\.)+[A-Za-z]{2,24}(?::\d+)?$|:\d{1,5}$/.test(
    secret,
  );
}

/** `./sk-…`, `sk-….sh`: the apparent secret is part of a longer name. */
export function continuesAsAddress({ text, start, end }: Stretch, isInUrl: boolean): boolean {
  if (isInUrl) return /^[/\\]/.test(text.charAt(end));
  return /[/\\.~]/.test(text.charAt(start - 1)) || /^(?:[/\\~]|\.\w)/.test(text.slice(end, end + 2));
}

/** Whether the rest of this URL is a webhook key. */
export function isWebhook({ text, start }: Stretch): boolean {
  return /(?:^|[\s"'])https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/$/.test(
    text.slice(Math.max(0, start - 80), start),
  );
}
