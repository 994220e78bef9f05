import type { Decision } from '@countersign/client';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** How a question ended that somebody else answered: "Approved once by … in web, 3 s ago". */
export function describeDecision({ outcome, scope, by, client, at }: Decision, now = Date.now()): string {
  const scopes = { once: ' once', session: ' for this chat', always: ' always' };
  const words = {
    approved: `Approved${scopes[scope]}`,
    denied: 'Denied',
    expired: 'Expired, nothing ran',
    superseded: 'Asked anew, since what would run has changed',
    answered: 'Answered',
  }[outcome];
  const who = by === '' || by === 'system' ? '' : ` by ${cutTo(plainLine(by), 30)}`;
  const where = client === undefined ? '' : ` in ${cutTo(plainLine(client), 30)}`;
  const ago = Math.round((now - Date.parse(at)) / 1000);
  return `${words}${who}${where}${Number.isFinite(ago) && ago >= 1 ? `, ${ago} s ago` : ''}`;
}
