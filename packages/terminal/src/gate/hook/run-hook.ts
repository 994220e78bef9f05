import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CallContext, ExternalCall, NewExternalCall } from '@countersign/protocol';
import { isPlainRemote } from '@countersign/server/channel';
import { gateHook as texts } from '../../words/gate.js';
import type { Places } from '../gated-agents.js';
import type { HookAgent } from '../hook-agents.js';
import { quote } from '../../text/quote.js';
import { execCommand } from '../hook-command.js';
import { isObject } from '../json-text.js';
import { readManaged, SYSTEM } from '../managed/managed-place.js';
import { ownCommand, sourcesOf } from '../sources/agent-sources.js';
import { claudeWords, gapInWords } from '../sources/claude-words.js';
import { gapsIn } from '../sources/source.js';
import { forgetSession, hashOf, leaveNote, loadCrypto, takeNote, takeYes } from './call-notes.js';
import {
  canonical,
  CONFIRMED,
  DEFERRED,
  denialFor,
  inputToRun,
  PASS_ARGUMENT,
  tellingFor,
  yesFor,
} from './hook-answer.js';
import { parseHookInput, type HookInput } from './hook-input.js';
import { placeOf, readPlaces, startFolder, type HookPlaces } from './find-place.js';
import { readContext } from './read-context.js';
import { hookServer, HookServerError, type HookServer } from './hook-server.js';

/** What the hook prints and how it exits. Exit code 2 always has text for standard error: for Codex, silence is a failure of the hook. */
export interface HookExit {
  readonly code: 0 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

interface HookConfig extends HookPlaces {
  readonly url: string;
  readonly token: string;
  readonly pass: string;
}

/** How long the hook tries to reach a server for the first time. It may be restarting. */
const FIRST_TRY_MS = 10_000;
/** The same for a server that answered before. The agent's own timeout may end it earlier. */
const RECONNECT_MS = 10 * 60_000;
const PAUSE_MS = 500;
const WAIT_S = 50;
/** Of a request that the server accepted and didn't answer. */
const MORE_TRIES = 10;
const HERE: Places = { env: process.env, userHome: homedir() };

interface HookOptions {
  readonly world?: string | undefined;
  readonly defers?: boolean;
  readonly firstTryMs?: number;
  /** What can be done as soon as the first request has been sent, because it would delay it. */
  readonly whileWaiting?: () => void;
  readonly places?: Places;
  /** The administrator's hook. It needs the user's configuration as well: whose world it is, and the token. */
  readonly isManaged?: boolean;
}

/** Never rejects, and never answers yes unless the server said that this very call has started. */
export async function runHook(
  agent: HookAgent,
  home: string,
  text: string,
  options: HookOptions = {},
): Promise<HookExit> {
  const { world, defers = false, firstTryMs = FIRST_TRY_MS, whileWaiting = () => undefined, places = HERE } = options;
  let kind: HookInput['kind'] = 'propose';
  try {
    const input = parseHookInput(agent, text);
    ({ kind } = input);
    const stored = readHookConfig(home, agent);
    const folder = startFolder(agent, input.cwd, places);
    const place = world === undefined ? placeOf(stored, folder) : { world, agent: stored.agent };
    if (place === undefined) {
      const reason = texts.unknownFolder(folder ?? '');
      return input.kind === 'propose' || input.kind === 'confirm' ? deny(agent, input.event, reason) : SILENT;
    }
    const config = { ...stored, ...place };
    let isFirst = true;
    const server = hookServer(config, () => {
      if (!isFirst) return;
      isFirst = false;
      loadCrypto();
      whileWaiting();
    });
    switch (input.kind) {
      case 'propose': {
        const gate = gateOf(agent, home, { config, ...options });
        refuseOthers(agent, input.cwd, gate);
        return await propose(
          { agent, home, config, server, defers: defers && agent === 'claude', firstTryMs, gate },
          input,
        );
      }
      case 'confirm':
        return await confirmCall({ agent, home, config, server }, input);
      case 'report':
        return await report({ agent, home, config, server }, input);
      case 'step':
        return { code: 0, stdout: await reportStep(agent, server, input), stderr: '' };
      case 'end':
        // In this order: until the server has ended its calls, a resumed session must not get a second yes.
        await server.endSession(input.session);
        forgetSession(home, input.session);
        return { code: 0, stdout: '', stderr: '' };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The call has run. An error would only confuse the model, and the call ends as "result not reported".
    if (kind === 'report' || kind === 'step' || kind === 'end')
      return { code: 0, stdout: '', stderr: texts.notReported(reason) };
    // With exit code 2 alone, Claude Code asks a person at its terminal, or the program that started it.
    const denial = kind === 'confirm' ? denialFor(agent, 'PermissionRequest', texts.failed(reason)) : undefined;
    return { ...no(texts.failed(reason)), stdout: denial ?? '' };
  }
}

interface Hook {
  readonly agent: HookAgent;
  readonly home: string;
  readonly config: HookConfig;
  readonly server: HookServer;
}

/** Nothing to say about what has happened already. */
const SILENT: HookExit = { code: 0, stdout: '', stderr: '' };
const no = (reason: string): HookExit => ({ code: 2, stdout: '', stderr: reason });

/** The call was decided, and must not run. */
function deny(agent: HookAgent, event: string, given: string | undefined): HookExit {
  const reason = given === undefined || given.trim() === '' ? texts.denied : given;
  const denial = denialFor(agent, event, reason);
  return denial === undefined ? no(reason) : { code: 0, stdout: denial, stderr: '' };
}

/** Claude Code ignores `defer` in a session with a person, and would then ask in its own terminal. */
export function isDeferring(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['COUNTERSIGN_DEFER'] === '1' && env['CLAUDE_CODE_ENTRYPOINT'] !== 'cli';
}

/** The user's gate, or the administrator's. */
interface InstalledGate {
  readonly places: Places;
  readonly command: string | undefined;
  readonly pass: string;
  readonly exec: string;
}

function gateOf(
  agent: HookAgent,
  home: string,
  { config, places = HERE, isManaged }: HookOptions & { config: HookConfig },
): InstalledGate {
  if (agent === 'codex' || isManaged !== true)
    return {
      places,
      command: agent === 'codex' ? undefined : ownCommand(home, agent),
      pass: config.pass,
      exec: execCommand(home),
    };
  const system = places.system ?? SYSTEM;
  const record = readManaged(agent, system);
  if (record === undefined) throw new Error(texts.notManaged(agent));
  return { ...record, places: { ...places, system } };
}

/** Whatever could let calls through or change them, if this hook failed or after it, must not be there at all (GATE1.5). */
function refuseOthers(agent: HookAgent, cwd: string | undefined, { places, command }: InstalledGate): void {
  if (agent === 'codex') return;
  const words = agent === 'claude' ? claudeWords(places.env) : [];
  const problem = agent === 'claude' ? gapInWords(words, places.env) : undefined;
  if (problem !== undefined) throw new Error(problem);
  // Claude Code runs only the administrator's hooks then, and sets no variables of a project (GATE8.4).
  if (agent === 'claude' && places.system !== undefined) return;
  const folders = new Set([places.env['CLAUDE_PROJECT_DIR'], places.env['GEMINI_PROJECT_DIR'], cwd]);
  for (const folder of folders) {
    const [gap] = folder === undefined ? [] : gapsIn(sourcesOf(agent, { places, folder, command, words }));
    if (gap !== undefined) throw new Error(gap);
  }
}

async function propose(
  {
    agent,
    home,
    config,
    server,
    defers,
    firstTryMs,
    gate: { places, pass, exec },
  }: Hook & {
    defers: boolean;
    firstTryMs: number;
    gate: InstalledGate;
  },
  input: Extract<HookInput, { kind: 'propose' }>,
): Promise<HookExit> {
  if (PASS_ARGUMENT in input.input) return no(texts.reservedArgument(PASS_ARGUMENT));
  const context = readContext(agent, input.hints, places);
  const call: NewExternalCall = {
    agent: config.agent,
    session: input.session,
    key: input.key ?? loadCrypto().randomUUID(),
    program: agent,
    tool: input.tool,
    arguments: input.input,
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...(context === undefined ? {} : { context }),
    reports: true,
    ...(defers ? { waits: 'days' } : {}),
  };
  const decided = await untilDecided(server, call, { defers, firstTryMs });
  if (decided.state === 'pending') return { code: 0, stdout: DEFERRED, stderr: '' };
  if (decided.state !== 'allowed' || decided.arguments === undefined) return deny(agent, input.event, decided.reason);
  const run = inputToRun(agent, decided.arguments, {
    pass,
    exec: `${exec} ${quote(decided.id)}`,
  });
  if (input.key !== undefined) takeYes(home, input.session, input.key);
  leaveNote(home, input.session, { id: decided.id, key: call.key, tool: input.tool, input: hashOf(run) });
  // The agent must run what was approved, also if it differs from what it sent for another reason than an edit.
  const edited = decided.edited === true || canonical(decided.arguments) !== canonical(input.input);
  return { code: 0, stdout: yesFor(agent, input.event, { input: run, tool: input.tool, edited }), stderr: '' };
}

/** Waits for a person, unless the call is deferred. A server that is being restarted is asked again. */
async function untilDecided(
  server: HookServer,
  call: NewExternalCall,
  { defers, firstTryMs }: { defers: boolean; firstTryMs: number },
): Promise<ExternalCall> {
  let known: ExternalCall | undefined;
  let wasReached = false;
  let lastAnswer = Date.now();
  for (;;) {
    try {
      // Sending the same call with the same key again has no effect.
      known = known === undefined ? await server.propose(call) : await server.wait(known.id, WAIT_S);
      if (known.state !== 'pending' || defers) return known;
      wasReached = true;
      lastAnswer = Date.now();
    } catch (error) {
      wasReached ||= wasDropped(error);
      const isRestart = error instanceof HookServerError && (error.status === 0 || error.status >= 500);
      const limit = wasReached ? RECONNECT_MS : firstTryMs;
      if (!isRestart || Date.now() - lastAnswer >= limit) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** The server accepted the connection and then died, so it may have stored the call. */
function wasDropped(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDropped = 'code' in error && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(error.code));
  return isDropped || wasDropped(error.cause);
}

/** Confirms only a call that PreToolUse just got a yes for, and that the server still says has started with these arguments. */
async function confirmCall(
  { agent, home, server }: Hook,
  { session, event, tool, input }: Extract<HookInput, { kind: 'confirm' }>,
): Promise<HookExit> {
  const note = takeNote(home, session, { stage: 'confirmed', tool, input: hashOf(input) });
  if (note === undefined) return deny(agent, event, texts.notApproved);
  const { state, arguments: approved } = await server.wait(note.id, 0);
  if (state !== 'allowed' || canonical(approved) !== canonical(input)) return deny(agent, event, texts.notApproved);
  return { code: 0, stdout: CONFIRMED, stderr: '' };
}

async function report(
  { agent, home, server }: Hook,
  { session, event, tool, input, key, result, isSubagent }: Extract<HookInput, { kind: 'report' }>,
): Promise<HookExit> {
  const sought = { stage: 'reported' as const, tool, input: hashOf(input), ...(key === undefined ? {} : { key }) };
  const note = takeNote(home, session, sought);
  const [reported, told] = await Promise.allSettled([
    note === undefined ? undefined : server.report(note.id, result),
    // A sentence is for the agent that people see, not for one that it has started.
    isSubagent ? '' : reportStep(agent, server, { session, event, context: {} }),
  ]);
  // A sentence that was taken is printed whatever happened to the report: nobody gets it a second time.
  const stdout = told.status === 'fulfilled' ? told.value : '';
  return { code: 0, stdout, stderr: reported.status === 'fulfilled' ? '' : texts.notReported(String(reported.reason)) };
}

/** Reports a step, and returns what a person told the agent as its answer to this event; empty if nobody did (GATE1.14). */
async function reportStep(
  agent: HookAgent,
  server: HookServer,
  { session, event, context }: Pick<HookInput, 'session' | 'event'> & { context: CallContext },
): Promise<string> {
  const said = Object.keys(context).length === 0 ? {} : { context };
  // A sub-agent isn't the one that people see.
  if (context.subagent !== undefined) {
    await server.reportSession(session, said);
    return '';
  }
  const delivery = loadCrypto().randomUUID();
  for (let left = MORE_TRIES; ; left -= 1) {
    try {
      const sentence = await server.reportSession(session, { delivery, ...said });
      return sentence === undefined ? '' : tellingFor(agent, event, texts.told(sentence));
    } catch (error) {
      // The server may have stored that this delivery has it.
      if (left === 0 || !wasDropped(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

export function readHookConfig(home: string, agent: HookAgent): HookConfig {
  const value: unknown = JSON.parse(readConfigFile(home, agent));
  const field = (name: string): string => {
    const found = isObject(value) ? value[name] : undefined;
    if (typeof found !== 'string') throw new Error(texts.badConfig(agent));
    return found;
  };
  const [url, token, pass] = ['url', 'token', 'pass'].map(field) as [string, string, string];
  const mayBePlain = isObject(value) && value['allowHttp'] === true;
  if (!mayBePlain && isPlainRemote(new URL(url))) throw new Error(texts.plainHttp(url));
  try {
    return { url, token, pass, ...readPlaces(value) };
  } catch (error) {
    throw new Error(texts.badConfig(agent), { cause: error });
  }
}

function readConfigFile(home: string, agent: HookAgent): string {
  try {
    return readFileSync(join(home, 'gate', `${agent}.json`), 'utf8');
  } catch (error) {
    throw new Error(texts.notInstalled(agent), { cause: error });
  }
}
