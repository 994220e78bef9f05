import { decisionStory, type Decision } from '@countersign/client';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** Truncated, because names and reasons are untrusted text. */
const LONGEST = 160;

/** How someone else decided an approval, on one line. */
export function describeDecision(decision: Decision, now = Date.now()): string {
  return cutTo(plainLine(decisionStory(decision, now)), LONGEST);
}
