import { decisionStory, type Decision } from '@countersign/client';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** Decisions are truncated, because names and reasons are untrusted text. */
const LONGEST = 160;

/** Describes on one line how someone else decided an approval. */
export function describeDecision(decision: Decision, now = Date.now()): string {
  return cutTo(plainLine(decisionStory(decision, now)), LONGEST);
}
