import { EXTERNAL_PROVIDER, newCallContextSchema } from '@countersign/protocol';
import { z } from 'zod';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { CallRecord, MessageRecord, ToolPlace } from '../ports/index.js';
import type { CallPlace, Runtime } from './runtime.js';

/** What is stored with a call that an external program runs (EXT1), in the provider state of its message. */
const externalCallSchema = z.object({
  /** The working folder of the program. */
  cwd: z.string().optional(),
  /** The real path of that folder when the call was proposed, if the program named it by a link. */
  realCwd: z.string().exactOptional(),
  /** Whether the program reports how the call ended. */
  reports: z.boolean(),
  /** `days`: the program ends, and is resumed after the decision. */
  waits: z.literal('days').exactOptional(),
  /** What the program says about the session of the call. */
  context: newCallContextSchema.exactOptional(),
  /** The hash of the only caller that may claim it and report its result. */
  caller: z.string().default(''),
});
export type StoredExternalCall = z.infer<typeof externalCallSchema>;

/** Undefined for any other message, and for a call that an external program proposed and this server runs. */
export function readExternalCall({
  providerState,
}: Pick<MessageRecord, 'providerState'>): StoredExternalCall | undefined {
  if (providerState?.provider !== EXTERNAL_PROVIDER || providerState.state === undefined) return undefined;
  return externalCallSchema.parse(providerState.state);
}

/** The place where the calls of a message run: the world's folder, or that of the external program that runs them. */
export function placeOfMessage(place: CallPlace, message: Pick<MessageRecord, 'providerState'>): CallPlace {
  const stored = readExternalCall(message);
  return stored === undefined ? place : placeOutside(place, stored);
}

/** Nothing that the world opens to its sandbox applies outside of it. */
export function placeOutside(
  { workingDirectory, home }: CallPlace,
  { cwd, realCwd, context }: Pick<StoredExternalCall, 'cwd' | 'realCwd' | 'context'>,
): CallPlace {
  const said = context === undefined ? {} : { context };
  if (cwd === undefined) return { workingDirectory, home, isFolderUnknown: true, ...said };
  const real = realCwd === undefined ? {} : { realDirectory: realCwd };
  const world = cwd === workingDirectory ? {} : { worldDirectory: workingDirectory };
  return { workingDirectory: cwd, home, ...real, ...world, ...said };
}

/** The part of a place that a tool needs to say what a call touches. */
export function toToolPlace(place: CallPlace): ToolPlace {
  const { workingDirectory, isFolderUnknown, worldDirectory, realDirectory } = place;
  return {
    workingDirectory,
    ...(isFolderUnknown === true ? { isFolderUnknown } : {}),
    ...(worldDirectory === undefined ? {} : { worldDirectory }),
    ...(realDirectory === undefined ? {} : { realDirectory }),
  };
}

/** Throws if the folder isn't usable. */
export async function placeOfCall(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  { runBy, messageId }: Pick<CallRecord, 'runBy' | 'messageId'>,
): Promise<CallPlace> {
  const place = runtime.findPlace(snapshot);
  if (runBy !== 'program') return place;
  const message = await runtime.store.read((reader) => reader.message(messageId));
  if (message === undefined) throw new Error('the message of this call is missing');
  return placeOfMessage(place, message);
}
