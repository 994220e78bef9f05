import {
  freeName,
  type NewProvider,
  type ProviderChange,
  type ProviderKind,
  providerKindFacts,
  type ProviderStatus,
} from '@countersign/protocol';

/** What a person has entered in the provider form. */
export interface ProviderDraft {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What happens to the saved key. */
export type KeyPlan = 'keep' | 'replace' | 'remove';

/** A draft with the default name and URL for its kind. `taken`: names of other providers. */
export function startDraft(kind: ProviderKind, taken: readonly string[]): ProviderDraft {
  const { label, baseUrl = '' } = providerKindFacts(kind);
  return { kind, name: freeName(label, taken), baseUrl, apiKey: '' };
}

export function draftOf({ kind = 'openai-compatible', name, baseUrl = '' }: ProviderStatus): ProviderDraft {
  return { kind, name, baseUrl, apiKey: '' };
}

/** Changes the kind. Name and URL change with it, unless the person has edited them. */
export function switchKind(draft: ProviderDraft, kind: ProviderKind, taken: readonly string[]): ProviderDraft {
  const before = startDraft(draft.kind, taken);
  const after = startDraft(kind, taken);
  return {
    ...draft,
    kind,
    name: draft.name === before.name ? after.name : draft.name,
    baseUrl: draft.baseUrl === before.baseUrl ? after.baseUrl : draft.baseUrl,
  };
}

export function toNewProvider({ kind, name, baseUrl, apiKey }: ProviderDraft): NewProvider {
  const url = ownUrl(kind, baseUrl);
  return {
    kind,
    name: name.trim(),
    ...(url === null ? {} : { baseUrl: url }),
    ...(apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() }),
  };
}

/** Undefined if nothing changed. A new key is sent with its kind and URL, so that the server doesn't have to trust the saved ones (MODEL8.6). */
export function toChange(
  saved: ProviderStatus,
  { kind, name, baseUrl, apiKey }: ProviderDraft,
  key: KeyPlan,
): ProviderChange | undefined {
  const url = ownUrl(kind, baseUrl);
  const isMoved = kind !== saved.kind || (url ?? providerKindFacts(kind).baseUrl) !== saved.baseUrl;
  const change: ProviderChange = {
    ...(name.trim() === saved.name ? {} : { name: name.trim() }),
    ...(isMoved || key === 'replace' ? { kind, baseUrl: url } : {}),
    ...(key === 'replace' ? { apiKey: apiKey.trim() } : {}),
    ...(key === 'remove' ? { apiKey: null } : {}),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** Null means the kind's default URL. */
function ownUrl(kind: ProviderKind, baseUrl: string): string | null {
  const given = baseUrl.trim();
  return given === '' || given === providerKindFacts(kind).baseUrl ? null : given;
}

/** Whether the saved key would be sent to another server, so that the person has to enter it again (MODEL8.3). */
function needsKeyAgain(saved: ProviderStatus, { kind, baseUrl }: ProviderDraft): boolean {
  if (!saved.hasKey) return false;
  if (kind !== saved.kind || saved.baseUrl === undefined) return true;
  const given = originOf(baseUrl.trim() === '' ? (providerKindFacts(kind).baseUrl ?? '') : baseUrl.trim());
  // An invalid URL has its own error.
  return given !== undefined && given !== originOf(saved.baseUrl);
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}

/** What the form shows about the key, and what saving does with it. */
export function keyStep(
  saved: ProviderStatus | undefined,
  draft: ProviderDraft,
  chosen: KeyPlan,
): { shows: 'field' | 'saved' | 'removal'; sends: KeyPlan; again?: 'moved' | 'unusable' } {
  const entered = draft.apiKey.trim() === '' ? 'keep' : 'replace';
  if (saved?.hasKey !== true) return { shows: 'field', sends: entered };
  if (chosen === 'remove' && providerKindFacts(draft.kind).key === 'optional')
    return { shows: 'removal', sends: 'remove' };
  if (saved.problem !== undefined) return { shows: 'field', sends: entered, again: 'unusable' };
  if (needsKeyAgain(saved, draft)) return { shows: 'field', sends: entered, again: 'moved' };
  return chosen === 'replace' ? { shows: 'field', sends: entered } : { shows: 'saved', sends: 'keep' };
}
