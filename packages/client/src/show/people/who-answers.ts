import {
  EXTERNAL_PROVIDER,
  type Addressable,
  findSilence,
  toAddressable,
  nearest,
  resolveAddressees,
  type Silence,
} from '@countersign/protocol';

/** Who will answer a message, for the line below the message field. */
export type WhoAnswers =
  | { kind: 'agents'; names: readonly string[] }
  | { kind: 'everyone'; names: readonly string[] }
  /** The message addresses only people. */
  | { kind: 'people' }
  /** `fixed` is the message with its mention corrected, if one change is enough. */
  | { kind: 'nobody'; why: Silence; fixed?: string };

type KnownAgent = Addressable & { provider?: string };

function isExternal({ provider }: KnownAgent): boolean {
  return provider === EXTERNAL_PROVIDER;
}

function addressable({ provider = '', ...agent }: KnownAgent): Addressable {
  return toAddressable({ ...agent, provider });
}

/** Applies the same rules as the server (WORLD2–WORLD4), so that a person sees who will answer before they send. */
export function whoAnswers(content: string, all: readonly KnownAgent[], mainAgent: string | undefined): WhoAnswers {
  const agents = all.some(isExternal) ? all.map(addressable) : all;
  const { agentIds, addressed } = resolveAddressees({ content, speaker: { kind: 'human' }, agents, mainAgent });
  if (agentIds.length > 0) {
    const names = agents.filter(({ id }) => agentIds.includes(id)).map(({ name }) => name);
    return { kind: addressed === 'everyone' && names.length > 1 ? 'everyone' : 'agents', names };
  }
  const why = findSilence(content, agents);
  if (why === undefined) return { kind: 'people' };
  const fixed = fix(content, why);
  return fixed === undefined ? { kind: 'nobody', why } : { kind: 'nobody', why, fixed };
}

function fix(content: string, why: Silence): string | undefined {
  switch (why.kind) {
    case 'mid-line': {
      const names = why.names.filter((name) => why.active.includes(name));
      return names.length === 0 ? undefined : `${names.map((name) => `@${name}`).join(', ')} ${content}`;
    }
    case 'unknown': {
      const [typed] = why.names;
      const meant = typed === undefined || why.names.length > 1 ? undefined : nearest(typed, why.active);
      return meant === undefined ? undefined : content.replace(`@${typed}`, () => `@${meant}`);
    }
    case 'no-agents':
    case 'all-inactive':
    case 'inactive':
    case 'external':
      return undefined;
  }
}
