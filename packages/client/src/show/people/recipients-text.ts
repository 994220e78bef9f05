import type { Silence } from '@countersign/protocol';
import type { WhoAnswers } from './who-answers.js';

/** `→ Scout`: who will answer the message. */
export function recipientsText(who: WhoAnswers): string {
  switch (who.kind) {
    case 'agents':
      return `→ ${who.names.join(', ')}`;
    case 'everyone':
      return `→ everyone: ${who.names.join(', ')}`;
    case 'people':
      return '→ people only: no agent will answer';
    case 'nobody':
      return `→ nobody: ${silence(who.why)}`;
  }
}

function silence(why: Silence): string {
  switch (why.kind) {
    case 'no-agents':
      return 'this world has no agents';
    case 'all-inactive':
      return 'all agents are inactive';
    case 'external':
      return `${mention(why.names)} only propose${why.names.length === 1 ? 's' : ''} calls from outside`;
    case 'inactive':
      return `${mention(why.names)} ${why.names.length === 1 ? 'is' : 'are'} inactive`;
    case 'unknown':
      return `no agent is called ${mention(why.names)}`;
    case 'mid-line':
      return `start the line with ${mention(why.names)}`;
  }
}

function mention(names: readonly string[]): string {
  return names.map((name) => `@${name}`).join(', ');
}
