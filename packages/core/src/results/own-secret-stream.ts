/** Masks our own credentials in streamed text, however it is split into chunks. Holds back the start of a possible credential. */
export function createOwnSecretStream(ownSecrets: readonly string[]): {
  push(chunk: string): string;
  end(): string;
} {
  // Longest first: otherwise, if one starts with another, the rest of the longer one would remain.
  const secrets = ownSecrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  let held = '';
  return {
    push(chunk) {
      const text = secrets.reduce((masked, secret) => masked.replaceAll(secret, () => '‹masked›'), held + chunk);
      const kept = Math.max(0, ...secrets.map((secret) => startAtEnd(text, secret)));
      held = text.slice(text.length - kept);
      return text.slice(0, text.length - kept);
    },
    end: () => held,
  };
}

/** The length of the suffix of `text` that is a prefix of the secret. */
function startAtEnd(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}
