import { setImmediate } from 'node:timers/promises';
import { addAgent, createRuntime, createWorld, type Engine } from '@countersign/core';
import {
  ProviderError,
  type GenerateRequest,
  type LLMResponse,
  type Provider,
  type Store,
  type StoredEvent,
  type Tool,
} from '@countersign/core/ports';
import { createFakeClock, EMPTY_CHAT, stepOf, type FakeClock } from '@countersign/core/testing';
import type { Approval, ToolDecision, ToolResultOutcome, WorldEvent } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { createLabTools, TRAITS, type Execute } from './lab-tools.js';
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.js';
import { person } from './test-engine.js';

export interface LabSettings {
  maxParallelTools: number;
  maxIterations: number;
  approvalTimeoutMs?: number;
}

/** A model call that waits for the test to finish it. */
export interface PendingModel {
  request: GenerateRequest;
  resolve(response: LLMResponse): void;
  reject(error: Error): void;
}

/** A tool run that actually started, to count duplicates. */
interface Execution {
  invocationId: string;
  tool: string;
  args: { n: number };
  folder: string;
}

export interface RunningTool extends Execution {
  agentId: string;
  chatId: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface SentMessage {
  chatId: string;
  clientMessageId: string;
  /** Undefined if nobody received the confirmation. */
  messageId?: string;
}

interface SentDecision {
  how: string;
  sent: ToolDecision;
  shown: Approval;
  /** Undefined if nobody received the result. */
  outcome?: ToolResultOutcome;
}

/** A world whose model, tools, people, clock and crashes are controlled by a test. */
export interface Lab extends Omit<Bench, 'uses' | 'auditSeq'> {
  readonly bench: Bench;
  readonly chatIds: readonly [string, string];
  /** This lab's first event in the log. */
  readonly firstEventId: number;
  /** The real path of the tools' folder. If it changes, approved calls change. */
  folder: string;
  engine: Engine;
  simulated: SimulatedProcess;
  readonly models: PendingModel[];
  readonly running: RunningTool[];
  readonly executions: Execution[];
  readonly messages: SentMessage[];
  readonly decisions: SentDecision[];
  /** The events that each process published, in order. */
  readonly heard: WorldEvent[][];
  /** The last event id at each crash or clean shutdown. */
  readonly ends: { lastEventId: number; orderly: boolean }[];
  /** Calls whose end was published, to check the model's view against. */
  readonly settledCalls: Set<string>;
  /** Violations found while running; checked at the end. */
  readonly violations: string[];
  /** The kinds of changes so far after which a call needs approval again. */
  readonly changes: Set<'folder' | 'policy' | 'revoke' | 'stop'>;
  /** Crashes the next process too, at this probe. */
  dieAgainAfter: number | undefined;
}

const labs = new Map<string, Lab>();
let chats = 0;

function newChatId(): string {
  chats += 1;
  return `chat_${chats}`;
}

const execute: Execute = (name, args, context) => {
  const lab = labs.get(context.worldId);
  if (lab === undefined) throw new Error('a tool ran in a world that is over');
  const { invocationId, agentId, chatId, signal, workingDirectory: folder } = context;
  const execution: Execution = { invocationId, tool: name, args, folder };
  lab.executions.push(execution);
  const beside = lab.running.filter((other) => other.agentId === agentId && other.chatId === chatId);
  const together = [...beside.map((other) => other.tool), name];
  if (beside.length > 0 && !together.every((tool) => TRAITS[tool]?.readOnly === true)) {
    lab.violations.push(`[TURN9] ran together: ${together.join(', ')}`);
  }
  if (together.length > lab.settings.maxParallelTools) lab.violations.push(`[TURN9] ${together.length} at once`);
  if (name === 'boom') throw new Error('boom');
  return new Promise((resolve, reject) => {
    const entry: RunningTool = { ...execution, agentId, chatId, resolve, reject };
    lab.running.push(entry);
    signal.addEventListener('abort', () => remove(lab.running, entry), { once: true });
  });
};

export const tools: readonly Tool[] = createLabTools(execute);

/** A world that several labs use in sequence, each in its own chats, because creating a world takes longer than most runs. */
export interface Bench {
  readonly ground: Ground;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly settings: LabSettings;
  readonly worldId: string;
  readonly agentIds: readonly [string, string];
  readonly clientId: string;
  readonly tap: string;
  uses: number;
  /** The last audit record from earlier labs. */
  auditSeq: number;
}

/** The environment of a lab. */
export interface Ground {
  open(clock: FakeClock): Promise<Store>;
  close(store: Store): Promise<void>;
  /** Resolves when everything that doesn't need a model, tool, person or clock is done. */
  settle(): Promise<void>;
}

export const sqliteGround: Ground = {
  open: (clock) => openSqlite(':memory:', { clock }),
  close: (store) => store.close(),
  // A step is committed in the next event loop iteration, and one step often leads to another.
  async settle() {
    for (let round = 0; round < 60; round += 1) await setImmediate();
  },
};

export async function openBench(settings: LabSettings, ground = sqliteGround): Promise<Bench> {
  const clock = createFakeClock();
  const store = await ground.open(clock);
  const simulated = createSimulatedProcess(store, clock, () => undefined);
  const lab = { name: 'lab', generate: () => Promise.reject(new Error('nothing runs yet')) };
  const setUp = createRuntime({ ...withoutWork, providers: [lab], store: simulated.store, clock: simulated.clock });
  const { id: worldId } = await createWorld(setUp.runtime, { name: 'lab', streaming: false, ...settings }, person);
  const agent = async (name: string): Promise<string> =>
    (await addAgent(setUp.runtime, worldId, { name, provider: 'lab', model: name, tools: ['*'] }, person)).id;
  const agentIds = [await agent('Ada'), await agent('Ben')] as const;
  const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const client = await setUp.clients.register(worldId, {
    label: 'pad',
    approvals: true,
    tools: [{ name: 'tap', description: 'taps', parameters }],
  });
  simulated.die();
  const tap = client.tools[0] ?? '';
  return { ground, store, clock, settings, worldId, agentIds, clientId: client.clientId, tap, uses: 0, auditSeq: 0 };
}

const withoutWork = {
  providers: [],
  findPlace: () => ({ workingDirectory: '/', home: '/' }),
  onError: () => undefined,
  onListenerFailure: () => undefined,
};

/** A bench is discarded after many uses, so that the log stays short, or when its client has left. */
export async function isWornOut({ uses, store, clientId }: Bench): Promise<boolean> {
  return uses >= 40 || (await store.read((reader) => reader.client(clientId))) === undefined;
}

export async function openLab(bench: Bench): Promise<Lab> {
  const { store, clock, worldId } = bench;
  const before = createSimulatedProcess(store, clock, () => undefined);
  before.die();
  bench.uses += 1;
  const chatIds = [newChatId(), newChatId()] as const;
  await stepOf(store, worldId, { chats: [] }, (tx) => {
    const chat = {
      worldId,
      title: 'lab',
      ...EMPTY_CHAT,
      createdAt: tx.now(),
    } as const;
    // Already titled, because generating a title would add a model call to every run.
    for (const id of chatIds) tx.createChat({ ...chat, id, titled: true });
  });
  const lab: Lab = {
    ...bench,
    bench,
    chatIds,
    firstEventId: 1 + (await store.read((reader) => reader.lastEventId(worldId))),
    engine: createRuntime({ ...withoutWork, store: before.store, clock: before.clock }),
    folder: '/harbour',
    simulated: before,
    models: [],
    running: [],
    executions: [],
    messages: [],
    decisions: [],
    heard: [],
    ends: [],
    settledCalls: new Set(),
    violations: [],
    changes: new Set(),
    dieAgainAfter: undefined,
  };
  labs.set(worldId, lab);
  await begin(lab);
  return lab;
}

/** Restores the policy for the next lab. Grants and unknown outcomes belong to this lab's chats. */
export async function closeLab({ simulated, store, worldId, bench }: Lab): Promise<void> {
  simulated.die();
  labs.delete(worldId);
  const [last] = (await store.read((reader) => reader.audit(worldId, { after: bench.auditSeq, limit: 100_000 }))).slice(
    -1,
  );
  bench.auditSeq = last?.seq ?? bench.auditSeq;
  await store.transact(worldId, (tx) => tx.updateWorld(worldId, { policy: [] }));
}

/** Starts the next process on the same store, repeatedly if it crashes while starting. */
export async function reviveIfDead(lab: Lab): Promise<void> {
  while (lab.simulated.isDead()) {
    await noteEnd(lab, false);
    await begin(lab);
  }
}

/** A clean shutdown: running work is parked, not interrupted. */
export async function restart(lab: Lab): Promise<void> {
  // The process may be killed during the shutdown too.
  await lab.engine.close().catch(() => undefined);
  const orderly = !lab.simulated.isDead();
  lab.simulated.die();
  await noteEnd(lab, orderly);
  await begin(lab);
  await reviveIfDead(lab);
}

async function noteEnd(lab: Lab, orderly: boolean): Promise<void> {
  const events = await lab.store.read((reader) =>
    reader.events(lab.worldId, { after: lab.firstEventId - 1, limit: 100_000 }),
  );
  lab.ends.push({ lastEventId: events.at(-1)?.id ?? 0, orderly });
  for (const event of events) noteSettled(lab, event);
}

function noteSettled(lab: Lab, event: WorldEvent | StoredEvent): void {
  if (event.event !== 'tool') return;
  const { type, invocation_id } = event.data;
  if (type === 'TOOL_DENIED' || type === 'TOOL_EXECUTION_SUCCEEDED' || type === 'TOOL_EXECUTION_FAILED') {
    lab.settledCalls.add(invocation_id);
  }
}

async function begin(lab: Lab): Promise<void> {
  const simulated = createSimulatedProcess(lab.store, lab.clock, () => {
    lab.models.length = 0;
    lab.running.length = 0;
  });
  const complain = (error: unknown, what: string): void => {
    if (!simulated.isDead()) lab.violations.push(`reported: ${what}: ${String(error)}`);
  };
  const engine = createRuntime({
    store: simulated.store,
    clock: simulated.clock,
    probe: simulated.probe,
    providers: [modelOf(lab)],
    tools,
    findPlace: () => ({ workingDirectory: lab.folder, home: '/home' }),
    onError: complain,
    onListenerFailure: (error) => complain(error, 'a listener failed'),
  });
  lab.simulated = simulated;
  lab.engine = engine;
  const heard: WorldEvent[] = [];
  lab.heard.push(heard);
  engine.runtime.bus.subscribe(lab.worldId, (event) => {
    heard.push(event);
    noteSettled(lab, event);
  });
  if (lab.dieAgainAfter !== undefined) simulated.dieAfter(lab.dieAgainAfter);
  lab.dieAgainAfter = undefined;
  await engine.start().catch((error: unknown) => complain(error, 'could not start'));
}

function modelOf(lab: Lab): Provider {
  return {
    name: 'lab',
    generate(request) {
      lab.violations.push(...wrongInView(lab, request));
      if (lab.models.some((other) => whoseTurn(other.request) === whoseTurn(request))) {
        lab.violations.push(`[TURN5] the model was called twice at once for ${whoseTurn(request)}`);
      }
      return new Promise((resolve, reject) => {
        const entry: PendingModel = { request, resolve, reject };
        lab.models.push(entry);
        request.signal.addEventListener('abort', () => remove(lab.models, entry), { once: true });
      });
    },
  };
}

/** Checks that every call in the model's view has settled, with its result after it and in call order (TURN5). */
function wrongInView(lab: Lab, { messages }: GenerateRequest): string[] {
  const wrong: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant' || message.tool_calls === undefined) continue;
    const ids = message.tool_calls.map((call) => call.id);
    const answers = messages.slice(at + 1, at + 1 + ids.length);
    const answered = answers.map((answer) => (answer.role === 'tool' ? answer.tool_call_id : answer.role));
    if (answered.join() !== ids.join()) wrong.push(`[TURN5] calls ${ids.join()} were answered by ${answered.join()}`);
    for (const answer of answers)
      if (answer.content.includes('no result')) wrong.push('[TURN5] a call without a result');
    const open = ids.filter((id) => !lab.settledCalls.has(id));
    if (open.length > 0) wrong.push(`[TURN5] the model was called while ${open.join()} had not settled`);
  }
  return wrong;
}

/** The agent and the chat: at most one turn is open per pair. */
function whoseTurn(request: GenerateRequest): string {
  return `${request.model} in ${chatMark(request)}`;
}

/** Every message in a lab ends with a mark that identifies its chat, because a model isn't told its chat. */
export function chatMark({ messages }: GenerateRequest): string {
  const marks = messages.flatMap((message) => /#chat\d/.exec(message.content)?.[0] ?? []);
  return marks.at(-1) ?? '#chat?';
}

export function finishModel(lab: Lab, model: PendingModel, answer: LLMResponse | ProviderError): void {
  remove(lab.models, model);
  if (answer instanceof ProviderError) model.reject(answer);
  else model.resolve(answer);
}

export function finishTool(lab: Lab, tool: RunningTool, isOk: boolean): void {
  remove(lab.running, tool);
  if (isOk) tool.resolve(`${tool.tool} ${tool.args.n}`);
  else tool.reject(new Error(`${tool.tool} failed`));
}

function remove<T>(list: T[], entry: T): void {
  const at = list.indexOf(entry);
  if (at >= 0) list.splice(at, 1);
}
