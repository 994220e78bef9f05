import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  callSandboxSchema,
  inProcess,
  previewSchema,
  type CallSandbox,
  type Effect,
  type Preview,
  type Subject,
  type ToolDefinition,
} from '@countersign/protocol';
import { maskLongText } from '../masking/index.js';
import { readSubjects, canonicalJson } from '../policy/index.js';
import type { RehearsalRecord, RegisteredTool, ToolPlace } from '../ports/index.js';
import { withinTime } from '../ports/until-aborted.js';
import { textOf } from '../ports/error-message.js';
import { capText } from '../results/index.js';
import type { Place, Runtime } from '../step/runtime.js';
import { toToolPlace } from '../step/place.js';
import type { ParsedCall } from '../call/parse.js';
import { showEffect } from './show-effect.js';
import { createMemo } from '../masking/create-memo.js';

/** Subjects for a tool that failed to report any. */
const UNKNOWN_SUBJECTS: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];

const digests = new WeakMap<RegisteredTool, string>();

/** A call with its hash and the details shown next to it. */
export interface SignedCall {
  callHash: string;
  workingDirectory: string;
  sandbox: CallSandbox;
  /** A fingerprint of the target when the call was signed. */
  fingerprint: string | undefined;
  /** What the call would change, masked, if its tool provides a preview. */
  preview: Preview | null;
  /** The rehearsal that the hash covers, or the effect that the tool knows without one. */
  rehearsal: RehearsalRecord | null;
  /** The subjects that the tool found at the target. */
  seen: readonly Subject[];
}

/** An unresponsive disk or tool must not block a turn forever. */
const INSPECTION_LIMIT_MS = 30_000;

interface Inspection {
  fingerprint: string | undefined;
  preview: unknown;
  seen: readonly Subject[] | undefined;
}
const NOT_INSPECTED: Inspection = { fingerprint: undefined, preview: undefined, seen: undefined };

/** Undefined if the tool doesn't inspect its target. */
function inspectWith(tool: RegisteredTool, value: unknown, place: ToolPlace): (() => Promise<Inspection>) | undefined {
  if (tool.fingerprint === undefined && tool.preview === undefined && tool.inspect === undefined) return undefined;
  return async () => ({
    fingerprint: await tool.fingerprint?.(value, place),
    preview: await tool.preview?.(value, place),
    seen: await tool.inspect?.(value, place),
  });
}

/** The context in which a call is signed. */
interface Signing {
  agentId: string;
  chatId: string;
  place: Place;
}

/** Signs a call in its current state (A7). Rejects if something that the signature covers can't be read. */
export async function signCall(runtime: Runtime, call: ParsedCall, about: Signing): Promise<SignedCall> {
  const { tool, arguments: args } = call;
  const place = toToolPlace(about.place);
  const inspect = tool !== undefined && args.ok ? inspectWith(tool, args.value, place) : undefined;
  const inspection =
    inspect === undefined ? NOT_INSPECTED : await withinTime(runtime.clock, INSPECTION_LIMIT_MS, inspect);
  return await toSigned(runtime, call, about, inspection);
}

async function toSigned(
  runtime: Runtime,
  call: ParsedCall,
  about: Signing,
  inspection: Inspection,
): Promise<SignedCall> {
  const { tool } = call;
  const { workingDirectory } = about.place;
  const { fingerprint, preview, seen } = inspection;
  const sandbox = sandboxOf(tool, about.place, call.arguments.ok ? call.arguments.value : undefined);
  return {
    callHash: hashOf(runtime, call, about, { sandbox, fingerprint }),
    workingDirectory,
    sandbox,
    fingerprint,
    preview: preview === undefined ? null : await showPreview(preview),
    rehearsal: knownEffect(runtime, preview),
    seen: seen === undefined ? [] : (readSubjects(seen) ?? UNKNOWN_SUBJECTS),
  };
}

/** The effect of a call whose tool knows it without a rehearsal (A52.9). The tool's own fingerprint stays what is signed. */
function knownEffect(runtime: Runtime, preview: unknown): RehearsalRecord | null {
  if (typeof preview !== 'object' || preview === null || !('effect' in preview)) return null;
  return { effect: showEffect(preview.effect, runtime.ownSecrets()) };
}

/** Whether the call ran in a draft, so that a yes applies that draft. */
export function isRehearsed(
  rehearsal: RehearsalRecord | null | undefined,
): rehearsal is Extract<RehearsalRecord, { effect: Effect }> {
  return rehearsal?.ms !== undefined && 'effect' in rehearsal;
}

/** The signature of a rehearsed call: the hash of its effect takes the place of the tool's fingerprint (A52). */
export function coverEffect(
  runtime: Runtime,
  call: ParsedCall,
  about: Signing,
  signed: SignedCall,
  rehearsal: RehearsalRecord | null,
): SignedCall {
  if (rehearsal === null || !('effect' in rehearsal)) return { ...signed, rehearsal };
  if (!isRehearsed(rehearsal)) return signed;
  const { sandbox } = signed;
  const fingerprint = rehearsal.effect.effectHash;
  return { ...signed, callHash: hashOf(runtime, call, about, { sandbox, fingerprint }), fingerprint, rehearsal };
}

function hashOf(
  runtime: Runtime,
  call: ParsedCall,
  about: Signing,
  { sandbox, fingerprint }: Pick<SignedCall, 'sandbox' | 'fingerprint'>,
): string {
  const { tool } = call;
  let digest = '';
  if (tool !== undefined) {
    digest = digests.get(tool) ?? toolDigest(tool.definition);
    digests.set(tool, digest);
  }
  return callHash(runtime.store.hashKey, {
    agentId: about.agentId,
    chatId: about.chatId,
    tool: digest,
    toolName: call.toolName,
    argumentsText: call.argumentsText,
    workingDirectory: about.place.workingDirectory,
    sandbox,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
}

/** The complete difference between most files of 20,000 lines. */
const PREVIEW_LIMIT_BYTES = 512 * 1024;

/** Truncates roughly before masking to avoid scanning megabytes, and again afterwards to remove a secret that was cut in half. */
async function showPreview(preview: unknown): Promise<Preview> {
  const parsed = previewSchema.safeParse(preview);
  const all = parsed.success ? parsed.data.text : textOf(preview);
  const roughly = capText(all, 2 * PREVIEW_LIMIT_BYTES);
  let masked = '';
  for (const part of maskLongText(roughly)) {
    if (masked !== '') await setImmediate();
    masked += part;
  }
  const text = capText(masked, PREVIEW_LIMIT_BYTES);
  return { text, truncated: (parsed.success && parsed.data.truncated) || roughly !== all || text !== masked };
}

const NOTHING_OPENED = { folders: [], hosts: [], anyHost: false, privateHosts: [] };

const UNKNOWN_SANDBOX = inProcess('unknown');

/** Reports an unknown sandbox if the tool reports none or throws (A21). */
export function sandboxOf(tool: RegisteredTool | undefined, place: Place, args?: unknown): CallSandbox {
  const fallback = place.sandbox ?? UNKNOWN_SANDBOX;
  if (tool?.sandbox === undefined) return fallback;
  try {
    const sandbox = callSandboxSchema.parse(tool.sandbox(place.grants ?? NOTHING_OPENED, args));
    return place.isFolderUnknown === true ? { ...sandbox, folder: 'unknown' } : sandbox;
  } catch {
    return UNKNOWN_SANDBOX;
  }
}

/** Everything that an approval covers (A7). */
export interface SignedParts {
  readonly agentId: string;
  readonly chatId: string;
  /** The result of `toolDigest`. */
  readonly tool: string;
  readonly toolName: string;
  /** Exactly the text that is stored and run. */
  readonly argumentsText: string;
  /** The real path, with symlinks resolved. */
  readonly workingDirectory: string;
  readonly sandbox: CallSandbox;
  /** For file writes: a fingerprint of the old content. */
  readonly fingerprint?: string;
}

/**
 * HMAC-SHA-256 over the parts as one JSON array, so that no text can move between parts. Keyed, so that an attacker who can write rows
 * or guess arguments can't create or test a hash.
 */
export function callHash(key: Uint8Array, parts: SignedParts): string {
  if (key.length === 0) throw new TypeError('a call hash needs a key');
  const { agentId, chatId, tool, toolName, argumentsText, workingDirectory, sandbox, fingerprint } = parts;
  const text = JSON.stringify([
    'countersign.call.1',
    agentId,
    chatId,
    tool,
    toolName,
    argumentsText,
    workingDirectory,
    sandboxText(sandbox),
    fingerprint ?? null,
  ]);
  return keyedHash(key, text);
}

const sandboxTexts = new WeakMap<CallSandbox, string>();

/** Cached, because most calls in a world share one sandbox. */
function sandboxText(sandbox: CallSandbox): string {
  const known = sandboxTexts.get(sandbox);
  if (known !== undefined) return known;
  const text = canonicalJson(sandbox);
  if (typeof sandbox === 'object') sandboxTexts.set(sandbox, text);
  return text;
}

/**
 * The hash that an approved call is stored with: it also covers the rules that said who must sign. If these change before the call starts, the
 * approval no longer applies (A48).
 */
export function approvedHash(key: Uint8Array, callHash: string, rules: readonly { readonly rule: string }[]): string {
  if (rules.length === 0) return callHash;
  return keyedHash(
    key,
    JSON.stringify(['countersign.signed.1', callHash, ...rules.map(({ rule }) => rule).toSorted()]),
  );
}

/** A hash of the whole definition, so that an approval for the old tool doesn't run the new one. */
export function toolDigest(definition: ToolDefinition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** Cache size, in characters. */
const MAX_REMEMBERED = 1024 * 1024;
const hashers = new WeakMap<Uint8Array, (text: string) => string>();

/**
 * HMAC-SHA-256 of a text, in hex. Importing a raw key takes Node 24 seven times as long as the hash, so keys are cached. A call is signed when it
 * is shown, approved and started, so the latest hashes are cached too.
 */
export function keyedHash(key: Uint8Array, text: string): string {
  let hash = hashers.get(key);
  if (hash === undefined) {
    const imported = createSecretKey(key);
    hash = createMemo(MAX_REMEMBERED, (text) => createHmac('sha256', imported).update(text).digest('hex'));
    hashers.set(key, hash);
  }
  return hash(text);
}
