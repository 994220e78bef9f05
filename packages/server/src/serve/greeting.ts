import type { Sandbox } from '@countersign/tools';
import type { Token } from '../home/keep-token.js';
import { noSandboxText } from '../home/checks/no-sandbox-text.js';

export interface Greeted {
  url: string;
  /** The start link. */
  start: string;
  token: Token;
  sandbox: Sandbox;
  /** If false, standard output is often a log that others can read. */
  isTerminal: boolean;
}

/** The text that `countersign serve` prints once it is listening. */
export function greeting({ url, start, token, sandbox, isTerminal }: Greeted): string[] {
  return [
    `Countersign is listening on ${url}`,
    `Open ${start}`,
    '  (works once, for one minute)',
    `Token for programs: ${whereIs(token, isTerminal)}`,
    ...(sandbox.kind === 'none'
      ? [`No sandbox: ${noSandboxText(sandbox.reason)} Run countersign doctor for advice.`]
      : []),
  ];
}

function whereIs({ value, source }: Token, isTerminal: boolean): string {
  switch (source.kind) {
    case 'environment':
      return 'the one in COUNTERSIGN_TOKEN';
    case 'file':
      return `in ${source.path}`;
    case 'memory':
      return isTerminal ? value : 'set COUNTERSIGN_TOKEN, or start with --json to print one';
  }
}
