import { decisionStory, type Decision } from '@countersign/client';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** Decisions are truncated, because names and reasons are untrusted text. */
const LONGEST = 160;

/** Describes on one line how an approval was decided. `me`: the reader's id. */
export function describeDecision(decision: Decision, now = Date.now(), me?: string): string {
  return cutTo(plainLine(decisionStory(decision, now, me)), LONGEST);
}
