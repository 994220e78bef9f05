import {
  callSandboxSchema,
  inProcess,
  previewSchema,
  type CallSandbox,
  type Preview,
  type Subject,
} from '@countersign/protocol';
import { callHash, toolDigest } from '../approval/index.js';
import { maskCallText } from '../masking/index.js';
import { readSubjects } from '../policy/index.js';
import type { Tool, ToolPlace } from '../ports/index.js';
import { withinTime } from '../ports/until-aborted.js';
import { textOf } from '../ports/words-of.js';
import { capText } from '../results/index.js';
import type { Place, Runtime } from '../step/runtime.js';
import type { ReadCall } from './read-call.js';

/** Stands for text of a tool that can't be shown. */
const UNTOLD: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];

const digests = new WeakMap<Tool, string>();

/** A call with its signature, and what a person is shown beside it. */
export interface SignedCall {
  callHash: string;
  workingDirectory: string;
  sandbox: CallSandbox;
  /** What its tool found there when it was signed. */
  fingerprint: string | undefined;
  /** What it would change, masked, if its tool can tell. */
  preview: Preview | null;
  /** What the tool found where the call would act. */
  seen: readonly Subject[];
}

/** A disk that does not answer, or a tool that never tells, must not block a turn forever. */
const LOOK_LIMIT_MS = 30_000;

interface Looked {
  fingerprint: string | undefined;
  preview: unknown;
  seen: readonly Subject[] | undefined;
}
const nothingSeen: Looked = { fingerprint: undefined, preview: undefined, seen: undefined };

/** Undefined for a tool that does not look. */
function lookWith(tool: Tool, value: unknown, place: ToolPlace): (() => Promise<Looked>) | undefined {
  if (tool.fingerprint === undefined && tool.preview === undefined && tool.look === undefined) return undefined;
  return async () => ({
    fingerprint: await tool.fingerprint?.(value, place),
    preview: await tool.preview?.(value, place),
    seen: await tool.look?.(value, place),
  });
}

/** For whom and where a call is signed. */
interface Signing {
  agentId: string;
  chatId: string;
  place: Place;
}

/** The signature of exactly this call, here and now (A7). Rejects when what it depends on can't be read. */
export async function signCall(runtime: Runtime, call: ReadCall, about: Signing): Promise<SignedCall> {
  const { tool, arguments: args } = call;
  const { workingDirectory } = about.place;
  const looking = tool !== undefined && args.ok ? lookWith(tool, args.value, { workingDirectory }) : undefined;
  const looked = looking === undefined ? nothingSeen : await withinTime(runtime.clock, LOOK_LIMIT_MS, looking);
  return sealed(runtime, call, about, looked);
}

function sealed(runtime: Runtime, call: ReadCall, about: Signing, looked: Looked): SignedCall {
  const { tool } = call;
  const { workingDirectory } = about.place;
  const { fingerprint, preview, seen } = looked;
  const sandbox = sandboxOf(tool, about.place);
  let digest = '';
  if (tool !== undefined) {
    digest = digests.get(tool) ?? toolDigest(tool.definition);
    digests.set(tool, digest);
  }
  const hash = callHash(runtime.store.hashKey, {
    agentId: about.agentId,
    chatId: about.chatId,
    tool: digest,
    toolName: call.toolName,
    argumentsText: call.argumentsText,
    workingDirectory,
    sandbox,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  return {
    callHash: hash,
    workingDirectory,
    sandbox,
    fingerprint,
    preview: preview === undefined ? null : showPreview(preview),
    seen: seen === undefined ? [] : (readSubjects(seen) ?? UNTOLD),
  };
}

/** A diff longer than this nobody reads on a card. */
const PREVIEW_LIMIT_BYTES = 64 * 1024;

/** Cut roughly first, or a preview of megabytes would be searched for secrets to its end; what a rough cut may halve, the second takes out. */
function showPreview(preview: unknown): Preview {
  const told = previewSchema.safeParse(preview);
  const all = told.success ? told.data.text : textOf(preview);
  const roughly = capText(all, 4 * PREVIEW_LIMIT_BYTES);
  const masked = maskCallText(roughly);
  const text = capText(masked, PREVIEW_LIMIT_BYTES);
  return { text, truncated: (told.success && told.data.truncated) || roughly !== all || text !== masked };
}

const NOTHING_OPENED = { folders: [], hosts: [], anyHost: false, privateHosts: [] };

const UNKNOWN_SANDBOX = inProcess('unknown');

/** What a tool does not tell, or fails to tell, is not claimed (A21). */
export function sandboxOf(tool: Tool | undefined, place: Place): CallSandbox {
  const fallback = place.sandbox ?? UNKNOWN_SANDBOX;
  if (tool?.sandbox === undefined) return fallback;
  try {
    return callSandboxSchema.parse(tool.sandbox(place.grants ?? NOTHING_OPENED));
  } catch {
    return UNKNOWN_SANDBOX;
  }
}
