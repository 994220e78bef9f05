/** Shorter matches are sent immediately: a few characters reveal nothing, and holding them back would delay ordinary output. */
const SHORTEST_HELD = 4;

/** Masks our own credentials in streamed text, however it is split into chunks. Holds back the start of a possible credential. */
export function createOwnSecretStream(ownSecrets: readonly string[]): {
  push(chunk: string): string;
  end(): string;
} {
  // Longest first: otherwise, if one starts with another, the rest of the longer one would remain.
  const secrets = ownSecrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  const mask = (text: string): string =>
    secrets.reduce((masked, secret) => masked.replaceAll(secret, () => '‹masked›'), text);
  /** The end of the text so far that may become a credential, and how many of its characters have been sent. */
  let pending = '';
  let sent = 0;
  return {
    push(chunk) {
      const text = mask(pending + chunk);
      // If the start of the credential has been sent, the rest is masked.
      const from = text.startsWith(pending.slice(0, sent)) ? sent : 0;
      const length = Math.max(0, ...secrets.map((secret) => startAtEnd(text, secret)));
      const start = text.length - length;
      const until = Math.max(from, length < SHORTEST_HELD ? text.length : start);
      pending = text.slice(start);
      sent = until - start;
      return text.slice(from, until);
    },
    end: () => pending.slice(sent),
  };
}

/** How many characters at the end of the text are the start of the secret. */
function startAtEnd(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}
