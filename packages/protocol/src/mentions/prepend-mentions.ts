import type { Addressable } from './addressable.js';
import { indexNames, type Target } from './index-names.js';
import { readLines } from './read-lines.js';
import { readMentions } from './read-mentions.js';

/**
 * Prepends mentions to a text that has none, so that it addresses exactly these targets. Skips a target that can't be mentioned
 * unambiguously, such as one of two agents with the same name, because the message must not reach someone else.
 */
export function prependMentions(targets: readonly Target[], content: string, agents: readonly Addressable[]): string {
  const written = targets.flatMap((target) => writeMention(target, agents) ?? []);
  if (written.length === 0) return content;
  const mentions = written.join(', ');
  const { lines } = readLines(content, indexNames(agents));
  const first = lines.find((line) => line.kind !== 'blank');
  if (first === undefined) return mentions;
  const apart = `${mentions}\n\n${content.slice(first.kind === 'code' ? first.start : first.body)}`;
  // Code on the same line as a mention would not be rendered as code.
  if (first.kind !== 'text') return apart;
  const together = `${mentions} ${content.slice(first.body)}`;
  // `@bob ` before `smith says` would address Bob Smith.
  return addressesTheSame(together, mentions, agents) ? together : apart;
}

/** `@name`, or `@id` if the name refers to another agent. */
function writeMention(target: Target, agents: readonly Addressable[]): string | undefined {
  if (target.kind === 'human') return '@human';
  const agent = agents.find(({ id }) => id === target.agentId);
  if (agent === undefined) return undefined;
  return [agent.name, agent.id]
    .map((name) => `@${name.trim()}`)
    .find((mention) => {
      const read = readMentions(mention, agents);
      return read.agentIds.length === 1 && read.agentIds[0] === agent.id && !read.human && read.unknown.length === 0;
    });
}

function addressesTheSame(left: string, right: string, agents: readonly Addressable[]): boolean {
  const [one, other] = [readMentions(left, agents), readMentions(right, agents)];
  return one.human === other.human && one.agentIds.join('\n') === other.agentIds.join('\n');
}
