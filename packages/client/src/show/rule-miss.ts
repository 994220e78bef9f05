import type { RuleMiss } from '@countersign/protocol';

/** Why a rule did not apply to a call, without the rule itself: "path is notes.txt". */
export function ruleMissText({ code, argument = '', value }: RuleMiss): string {
  switch (code) {
    case 'missing':
      return `the call has no argument ${argument}`;
    case 'different':
      return value === undefined ? `${argument} does not match` : `${argument} is ${value === '' ? 'empty' : value}`;
    case 'not-a-number':
      return `${argument} is not a number`;
    case 'unnamed':
      return `the call also has ${argument}. Add it to the rule, or end the rule with ", *"`;
    case 'not-spelt':
      return 'only a rule with the exact arguments, without * or comparisons, can allow this call';
    case 'dynamic':
      return 'no rule can judge this call before it runs';
    case 'star':
      return 'its * covers only operands and options known to be harmless. Add the other words to the rule';
    case 'no-sandbox':
      return 'the command runs without a sandbox, so only a rule for the exact command applies';
    case 'effect-unknown':
      return 'it is about what the call does, and the call was not rehearsed';
    case 'effect':
      return 'it is about other effects than those of this call';
    case 'ended':
      return 'it has ended';
    case 'pattern':
      return 'its pattern does not match';
  }
}
