import { decisionStory, type Decision } from '@countersign/client';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** Names and reasons in it are others' words: no longer than a line or two. */
const LONGEST = 160;

/** How a question ended that somebody else answered, on one line. */
export function describeDecision(decision: Decision, now = Date.now()): string {
  return cutTo(plainLine(decisionStory(decision, now)), LONGEST);
}
