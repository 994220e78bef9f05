import type { RuleWarning } from '@countersign/protocol';

/** A warning for the author of a rule, with its line number. */
export function ruleWarningText({
  line,
  rule,
  code,
  verb,
  tool = '',
  closest,
  meant,
  error = '',
}: RuleWarning): string {
  switch (code) {
    case 'unknown-tool': {
      const advice =
        (closest ?? meant) === undefined
          ? 'The rule takes effect once such a tool is added.'
          : `Did you mean "${closest ?? meant}"?`;
      return `Line ${line}: there is currently no tool named "${tool}". ${advice}`;
    }
    case 'star-outside':
      return `Line ${line} allows nothing: ${rule}. ${tool} runs without a sandbox, so a rule allows a command only if it spells it out. Write a rule for each exact command.`;
    case 'opens-network':
      return `Line ${line} opens the sandbox: ${rule}. Commands that use a host it opens can't be rehearsed, so their approvals don't show what they will change.`;
    case 'ended':
      return `Line ${line} has ended and allows nothing: ${rule}. Change its time, or remove it.`;
    case 'star-nothing':
      return `Line ${line}: the * covers nothing in ${rule}. Write a rule for each whole command, as in ${meant}.`;
    case 'unreadable':
      return `Line ${line} can't be read (${error}): ${rule}. ${effectOf(verb, tool)} until you correct or remove it.`;
  }
}

function effectOf(verb: RuleWarning['verb'], tool: string): string {
  switch (verb) {
    case 'deny':
      return `It denies every call to ${tool}`;
    case 'ask':
      return `Every call to ${tool} needs approval`;
    case 'allow':
      return 'It allows nothing';
    case undefined:
      return 'Every call needs approval';
  }
}
