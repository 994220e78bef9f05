// An agent over ACP that does what the last line of its prompt says: a JSON list of steps. It writes what it was told and what it ran to files.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

interface AskedCall extends acp.ToolCallUpdate {
  options?: acp.PermissionOption[];
  /** Whether the agent reports that the call failed. */
  fails?: boolean;
  /** A call to ask for after this one has started and before it ends. */
  inner?: AskedCall;
}

interface Todo {
  say?: string;
  think?: string;
  plan?: acp.PlanEntry[];
  alone?: string;
  mode?: string;
  /** The mode to report as a configuration option. */
  option?: string;
  garbage?: true;
  huge?: true;
  exit?: true;
  hang?: true;
  /** Answers the prompt with an error. */
  error?: true;
  /** Calls to ask for at the same time. */
  ask?: AskedCall[];
}

const OPTIONS: acp.PermissionOption[] = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

const flags = process.argv.slice(2);
const has = (flag: string): boolean => flags.includes(flag);
/** The value of `--name=value`, the other one for `--name`, and undefined without the flag. */
const valueOf = (name: string, otherwise: string): string | undefined =>
  has(name) ? otherwise : flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
const inFolder = (name: string): string => join(process.cwd(), name);
const log = (name: string, text: string): void => appendFileSync(inFolder(name), `${text}\n`);
const cancelled = new Map<string, () => void>();
let sessions = 0;

/** The options of `--options`, and their values. */
const optionValues = new Map((valueOf('--options', 'approvals') ?? '').split(',').map((id) => [id, 'yolo']));
const modeOptions = (): acp.SessionConfigOption[] => [...optionValues].map(([id, value]) => modeOption(value, id));

const modeOption = (currentValue: string, id = 'approvals'): acp.SessionConfigOption => ({
  type: 'select',
  id,
  category: 'mode',
  name: 'Approvals',
  currentValue,
  options: ['yolo', 'ask'].map((value) => ({ value, name: value })),
});

/** Asks for a call. Resolves to a function that runs it, if it was allowed. */
async function ask(
  sessionId: string,
  client: acp.AgentContext,
  { options = OPTIONS, fails = false, inner, ...toolCall }: AskedCall,
): Promise<(() => Promise<void>) | 'no' | 'cancelled'> {
  const { toolCallId } = toolCall;
  const asked: acp.RequestPermissionRequest = { sessionId, toolCall, options };
  const response: acp.RequestPermissionResponse = await client.request(
    acp.methods.client.session.requestPermission,
    asked,
  );
  const { outcome } = response;
  log('answers.log', `${toolCallId} ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`);
  if (outcome.outcome === 'cancelled') return 'cancelled';
  if (outcome.optionId !== 'yes') return 'no';
  return async () => {
    if (inner !== undefined) {
      const update: acp.SessionUpdate = { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' };
      await client.notify(acp.methods.client.session.update, { sessionId, update });
      const run = await ask(sessionId, client, inner);
      if (typeof run === 'function') await run();
    }
    log('ran.log', toolCallId);
    const content: acp.ToolCallContent[] = [
      { type: 'content', content: { type: 'text', text: `result of ${toolCallId}` } },
    ];
    await client.notify(acp.methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'tool_call_update', toolCallId, status: fails ? 'failed' : 'completed', content },
    });
  };
}

async function act(sessionId: string, client: acp.AgentContext, todo: Todo): Promise<acp.StopReason | undefined> {
  const update = (sent: acp.SessionUpdate): Promise<void> =>
    client.notify(acp.methods.client.session.update, { sessionId, update: sent });
  const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
  if (todo.say !== undefined) await update({ sessionUpdate: 'agent_message_chunk', content: text(todo.say) });
  if (todo.think !== undefined) await update({ sessionUpdate: 'agent_thought_chunk', content: text(todo.think) });
  if (todo.plan !== undefined) await update({ sessionUpdate: 'plan', entries: todo.plan });
  if (todo.alone !== undefined) {
    await update({ sessionUpdate: 'tool_call', toolCallId: 'own', title: todo.alone, kind: 'read' });
    await update({ sessionUpdate: 'tool_call_update', toolCallId: 'own', status: 'completed' });
  }
  if (todo.mode !== undefined) await reportMode(sessionId, client, todo.mode);
  if (todo.option !== undefined)
    await update({ sessionUpdate: 'config_option_update', configOptions: [modeOption(todo.option)] });
  if (todo.garbage === true) process.stdout.write('not a message\n');
  if (todo.huge === true) process.stdout.write(`"${'x'.repeat(17 * 1024 * 1024)}"\n`);
  if (todo.exit === true) process.exit(9);
  if (todo.error === true) throw acp.RequestError.internalError();
  if (todo.hang === true && !cancelled.has(sessionId))
    await new Promise<void>((resolve) => cancelled.set(sessionId, resolve));
  if (todo.ask !== undefined) {
    // All decisions first, like an agent that runs parallel calls only after the last one.
    const answers = await Promise.all(todo.ask.map((call) => ask(sessionId, client, call)));
    for (const run of answers) if (typeof run === 'function') await run();
    if (answers.includes('cancelled')) return 'cancelled';
    if (answers.includes('no')) await update({ sessionUpdate: 'agent_message_chunk', content: text('Denied. ') });
  }
  return cancelled.has(sessionId) ? 'cancelled' : undefined;
}

async function reportMode(sessionId: string, client: acp.AgentContext, currentModeId: string): Promise<void> {
  const update = { sessionUpdate: 'current_mode_update' as const, currentModeId };
  await client.notify(acp.methods.client.session.update, { sessionId, update });
}

function serve(): void {
  acp
    .agent({ name: 'fixture' })
    .onRequest(acp.methods.agent.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentCapabilities: { loadSession: has('--load') },
    }))
    .onRequest(acp.methods.agent.session.new, async ({ params: { _meta: meta }, client }) => {
      log('opened.log', JSON.stringify({ meta, flags }));
      if (has('--sign-in')) throw acp.RequestError.authRequired();
      sessions += 1;
      const sessionId = `session-${process.pid}-${sessions}`;
      writeFileSync(inFolder(`${sessionId}.json`), '{}');
      const reported = valueOf('--reports', 'auto');
      if (reported !== undefined) await reportMode(sessionId, client, reported);
      if (valueOf('--options', '') !== undefined) return { sessionId, configOptions: modeOptions() };
      const currentModeId = valueOf('--modes', 'auto');
      if (currentModeId === undefined) return { sessionId };
      const availableModes = ['auto', 'default'].map((id) => ({ id, name: id }));
      return { sessionId, modes: { currentModeId, availableModes } };
    })
    .onRequest(acp.methods.agent.session.setMode, async ({ params: { sessionId, modeId }, client }) => {
      log('modes.log', modeId);
      if (has('--stubborn')) await reportMode(sessionId, client, 'auto');
      return {};
    })
    .onRequest(acp.methods.agent.session.setConfigOption, ({ params: { configId, value } }) => {
      log('modes.log', `${configId}=${String(value)}`);
      if (!has('--stubborn')) optionValues.set(configId, String(value));
      return { configOptions: modeOptions() };
    })
    .onRequest(acp.methods.agent.session.load, async ({ params: { sessionId, _meta: meta }, client }) => {
      log('opened.log', JSON.stringify({ meta, flags }));
      if (!existsSync(inFolder(`${sessionId}.json`))) throw acp.RequestError.invalidParams();
      const content = { type: 'text' as const, text: 'an old answer' };
      const update = { sessionUpdate: 'agent_message_chunk' as const, content };
      await client.notify(acp.methods.client.session.update, { sessionId, update });
      log('loaded.log', sessionId);
      return {};
    })
    .onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
      cancelled.delete(sessionId);
      const words = prompt.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      log('prompts.log', JSON.stringify({ sessionId, words, env: Object.keys(process.env).toSorted() }));
      const last = words.trim().split('\n').at(-1) ?? '';
      const todo = last.startsWith('[{') ? (JSON.parse(last) as Todo[]) : [{ say: `You said: ${last}` }];
      for (const each of todo) {
        const stopReason = await act(sessionId, client, each);
        if (stopReason !== undefined) return { stopReason };
      }
      return { stopReason: 'end_turn' };
    })
    .onNotification(acp.methods.agent.session.cancel, ({ params: { sessionId } }) => {
      log('cancelled.log', sessionId);
      cancelled.get(sessionId)?.();
      cancelled.set(sessionId, () => undefined);
    })
    .connect(
      acp.ndJsonStream(Writable.toWeb(process.stdout) as WritableStream<Uint8Array>, Readable.toWeb(process.stdin)),
    );
}

if (has('--exit')) {
  process.stderr.write('no licence found\n');
  process.exit(3);
}
if (has('--garbage')) process.stdout.write('Welcome to the agent!\n{"jsonrpc":\n[1,2]\n"text"\n');
if (has('--mute')) process.stdin.resume();
else serve();
