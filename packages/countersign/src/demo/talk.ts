import type { Interface } from 'node:readline/promises';
import type { Approval, ToolEvent } from '@countersign/protocol';
import type { Decision, OpenedChat, OpenedWorld } from '../world.js';
import { behindBar, plainText } from './plain-text.js';

/** Lines in, lines out: a terminal, a pipe or a test. */
export interface Lines {
  /**
   * Undefined when there is nothing more to read. `from now on` leaves out what a person typed before the question was there: a key
   * pressed twice would sign a card nobody has seen.
   */
  ask(prompt: string, counts?: 'from now on'): Promise<string | undefined>;
  say: (line: string) => void;
  /** Calls back when the person interrupts, until the returned function is called. */
  onInterrupt(act: () => void): () => void;
}

/** `person`: somebody types while we print. A script's lines are all there from the start. */
export function linesOf(readline: Interface, print: (text: string) => void, { person }: { person: boolean }): Lines {
  const write = (text: string): void => print(plainText(text));
  const waiting: ((line: string | undefined) => void)[] = [];
  const read: string[] = [];
  let ended = false;
  readline.on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) read.push(line);
    else next(line);
  });
  readline.on('close', () => {
    ended = true;
    for (const next of waiting.splice(0)) next(undefined);
  });
  return {
    ask(prompt, counts) {
      write(prompt);
      if (person && counts === 'from now on') read.length = 0;
      const line = read.shift();
      if (line !== undefined || ended) return Promise.resolve(line);
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    say: (line) => write(`${line}\n`),
    onInterrupt(act) {
      readline.on('SIGINT', act);
      return () => readline.off('SIGINT', act);
    },
  };
}

/** Says what happens in a world as it happens. The returned function ends it. */
export async function showEvents(world: OpenedWorld, say: (line: string) => void): Promise<() => void> {
  const names = new Map((await world.agents()).map(({ id, name }) => [id, name]));
  const ends = [
    world.on('message', ({ role, sender, content }) => {
      if (role === 'tool' || role === 'user' || content === '') return;
      const [first = '', ...rest] = content.split(/\r?\n/);
      say([`\n${names.get(sender) ?? sender}  ${first}`, ...rest.map(behindBar)].join('\n'));
    }),
    world.on('tool', (event) => {
      const line = describe(event);
      if (line !== undefined) say(line);
    }),
    world.on('tool-output', ({ content }) => {
      if (content.trim() !== '') say(behindBar(content.replace(/^\n+/, '')));
    }),
    world.on('system', ({ type, message }) => {
      if (type === 'notice') say(`· ${message}`);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function describe(event: ToolEvent): string | undefined {
  const name = `${event.agent_name} · ${event.tool_name}`;
  switch (event.type) {
    case 'TOOL_APPROVAL_REQUESTED':
      return `  ⏳ ${name}  waiting for you`;
    case 'TOOL_APPROVED':
      return `  ✍ ${name}  signed`;
    case 'TOOL_DENIED':
      return `  ✗ ${name}  denied: ${event.reason}`;
    case 'TOOL_EXECUTION_STARTED':
      return `  … ${name}  running`;
    case 'TOOL_EXECUTION_SUCCEEDED':
      return `  ✓ ${name}  done`;
    case 'TOOL_EXECUTION_FAILED':
      return `  ✗ ${name}  failed: ${event.error}`;
  }
}

/** Works until the chat has nothing more to do, asking the person for every signature. False: the input ended before that. */
export async function settleWith(lines: Lines, world: OpenedWorld, chat: OpenedChat): Promise<boolean> {
  const free = lines.onInterrupt(() => {
    void chat.stop();
  });
  try {
    while ((await chat.settled()) === 'waiting') {
      const pending = await world.approvals({ status: 'pending', chatId: chat.id });
      const approval = pending[0];
      if (approval === undefined) continue;
      lines.say(card(approval, pending.length));
      const decision = await askDecision(lines, approval);
      if (decision === undefined) return false;
      const outcome = await world.decide(approval, decision);
      if (outcome.kind === 'refused') lines.say(`· ${outcome.detail}`);
    }
    return true;
  } finally {
    free();
  }
}

function card(approval: Approval, waiting: number): string {
  const lines = [
    '',
    `${approval.agentName} wants to use ${approval.toolName}${waiting > 1 ? `   1 of ${waiting}` : ''}`,
    ...shown(approval).map(behindBar),
    `  in ${approval.workingDirectory} · ${approval.sandbox === 'none' ? 'not sandboxed' : approval.sandbox}`,
    `  Why you are asked: ${approval.why}`,
  ];
  return lines.join('\n');
}

/** The diff where there is one, else the arguments, all of them. */
function shown(approval: Approval): string[] {
  if (approval.preview !== undefined) return [approval.preview];
  const { arguments: args } = approval;
  if (typeof args !== 'object' || args === null) return [String(args)];
  return Object.entries(args).map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
}

/** Nothing but a clear answer decides: an empty or unknown one is asked again (A17). Undefined: the input ended. */
async function askDecision(lines: Lines, approval: Approval): Promise<Decision | undefined> {
  const choices = [
    'd: deny',
    ...(approval.options.includes('approve_once') ? ['o: approve once'] : []),
    ...(approval.options.includes('approve_session') ? ['c: approve for this chat'] : []),
    ...(approval.options.includes('approve_always') ? [`a: always (${approval.proposedRule ?? ''})`] : []),
  ];
  for (;;) {
    const line = await lines.ask(`  ${choices.join('   ')}\n  > `, 'from now on');
    if (line === undefined) return undefined;
    const decision = readDecision(line.trim().toLowerCase());
    if (decision !== undefined) return decision;
    lines.say('  Please answer with one of the letters. Nothing runs until you do.');
  }
}

function readDecision(answer: string): Decision | undefined {
  switch (answer) {
    case 'd':
      return { decision: 'deny', reason: 'not this one' };
    case 'o':
      return { decision: 'approve', scope: 'once' };
    case 'c':
      return { decision: 'approve', scope: 'session' };
    case 'a':
      return { decision: 'approve', scope: 'always' };
    default:
      return undefined;
  }
}
