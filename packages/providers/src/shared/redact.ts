/** Removes keys from a message: a server may echo the rejected key, and people, logs and the model see messages. */
export function redact(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '[key]').replaceAll(encodeURIComponent(secret), '[key]');
  }
  return safe
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|AIza)[-_]?[\w*.…-]{12,}/g, '[key]')
    .replaceAll(/\bBearer\s+\S+/gi, 'Bearer [key]')
    .replaceAll(/\/\/[^/\s@]+@/g, '//[key]@');
}
