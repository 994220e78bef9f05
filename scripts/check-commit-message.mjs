// Checks a commit message: `area: imperative, what changed` under 72 characters, then a blank line and the reason.
//   git config core.hooksPath scripts/hooks     checks each commit
//   git config commit.template .gitmessage      starts each message from the template
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bannedPhrases } from './check-language.mjs';

const LONGEST = 72;
const SUBJECT = /^[a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)*: [a-z]/;
/** Verbs that only look like a past tense or a gerund. */
const IMPERATIVE = new Set(['bring', 'embed', 'feed', 'need', 'seed', 'shed', 'speed', 'string']);

/**
 * @param {string} message
 * @returns {string[]}
 */
export function commitProblems(message) {
  const lines = message.split('\n').filter((line) => !line.startsWith('#'));
  const [subject = '', second = ''] = lines;
  if (/^(?:Merge|Revert|fixup!|squash!) /.test(subject)) return [];
  const verb = /: ([a-z]+)/.exec(subject)?.[1] ?? '';
  const phrases = bannedPhrases(lines.join('\n')).map(({ phrase }) => phrase);
  return [
    ...(SUBJECT.test(subject) ? [] : ['Start the subject with an area: "core: start a call in one place".']),
    ...(subject.length < LONGEST ? [] : [`Keep the subject under ${LONGEST} characters; it has ${subject.length}.`]),
    ...(subject.endsWith('.') ? ['Don’t end the subject with a period.'] : []),
    ...(/(?:ed|ing)$/.test(verb) && !IMPERATIVE.has(verb) ? [`Use the imperative: not "${verb}".`] : []),
    ...(second === '' ? [] : ['Leave the second line blank.']),
    ...phrases.map((phrase) => `Don’t write "${phrase}" (CONTRIBUTING.md, "Language").`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = commitProblems(readFileSync(process.argv[2] ?? 0, 'utf8'));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
