import { MODEL_ADDRESS } from '../../sandbox/gateway/listen-scripts.js';
import { PLACEHOLDER } from './vendors.js';

/** Why a request is refused, with the status of the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** A header that could have a credential, also one of another vendor. */
const CREDENTIAL = /auth|token$|secret|cookie|api-?key|credential|password/;
const PLACEHOLDERS = [PLACEHOLDER, `Bearer ${PLACEHOLDER}`];

/** Sent to the vendor; all others are not. They choose no account, no project and no encoding. */
const FORWARDED = [
  /^(accept|user-agent|anthropic-version|anthropic-beta|anthropic-dangerous-direct-browser-access)$/,
  /^(x-app|openai-beta|originator|version|session_id|conversation_id|x-goog-api-client)$/,
  /^x-(stainless|codex|claude)-[a-z-]+$/,
];

/** Node has parsed the head strictly: it accepts no two lengths, and no length next to chunks. Throws a refusal. */
export function checkHead(rawHeaders: readonly string[]): Record<string, string> {
  const forwarded: Record<string, string> = {};
  const seen = new Set<string>();
  let host: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const isForwarded = FORWARDED.some((pattern) => pattern.test(name));
    if (seen.has(name)) throw new Refusal(400, `two headers ${name}`);
    seen.add(name);
    if (name === 'host') host = value;
    if (name === 'upgrade') throw new Refusal(403, 'another protocol (upgrade)');
    if (name === 'expect' && value.toLowerCase() !== '100-continue') throw new Refusal(417, 'an unknown expectation');
    if (name === 'content-encoding' && value !== 'identity') throw new Refusal(415, 'a compressed body');
    if (!isForwarded && CREDENTIAL.test(name) && !PLACEHOLDERS.includes(value))
      throw new Refusal(403, `another credential (${name})`);
    if (isForwarded) forwarded[name] = value;
  }
  if (host !== MODEL_ADDRESS) throw new Refusal(421, 'another host');
  return forwarded;
}
