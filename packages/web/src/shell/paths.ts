/** URLs of all pages. Ids are external input, so they are always encoded. */
const part = encodeURIComponent;

export const paths = {
  world: (world: string) => `/w/${part(world)}`,
  chat: (world: string, chat: string) => `/w/${part(world)}/c/${part(chat)}`,
  /** What the calls of a chat changed. */
  changes: (world: string, chat: string) => `/w/${part(world)}/c/${part(chat)}/changes`,
  message: (world: string, chat: string, message: string) =>
    `/w/${part(world)}/c/${part(chat)}?message=${part(message)}`,
  /** The message with this call. */
  call: (world: string, chat: string, call: string) => `/w/${part(world)}/c/${part(chat)}?call=${part(call)}`,
  approval: (world: string, chat: string, approval: string) =>
    `/w/${part(world)}/c/${part(chat)}?approval=${part(approval)}`,
  /** The files of a call that waits or was decided. */
  review: (world: string, approval: string) => `/w/${part(world)}/review/${part(approval)}`,
  page: (world: string, page: WorldPage) => `/w/${part(world)}/${page}`,
  agent: (world: string, agent: string) => `/w/${part(world)}/agents?agent=${part(agent)}`,
  inbox: '/inbox',
  providers: '/providers',
  computer: '/computer',
  account: '/account',
  people: '/people',
  serverAudit: '/audit',
} as const;

/** Behind *World settings*. */
export const SETTINGS_PAGES = ['policy', 'grants', 'agents', 'servers', 'audit', 'stats', 'settings'] as const;

export type WorldPage =
  | 'policy'
  | 'grants'
  | 'agents'
  | 'servers'
  | 'schedules'
  | 'audit'
  | 'stats'
  | 'settings'
  | 'search'
  | 'start';

const WORLD = 'countersign.world';

/** Remembers the last open world, for pages without a world. */
export function rememberWorld(world: string): void {
  try {
    localStorage.setItem(WORLD, world);
  } catch {
    // Without storage, the first world is shown.
  }
}

function rememberedWorld(): string | undefined {
  try {
    return localStorage.getItem(WORLD) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `/w/harbour/c/x` → `harbour` */
function worldOf(path: string): string | undefined {
  const found = /^\/w\/([^/]+)/.exec(path)?.[1];
  return found === undefined ? undefined : decoded(found);
}

/** The world of this page; on a page without one, the last open world or the first. */
export function worldToShow(path: string, worlds: readonly { readonly id: string }[]): string | undefined {
  const remembered = rememberedWorld();
  return worldOf(path) ?? worlds.find(({ id }) => id === remembered)?.id ?? worlds[0]?.id;
}

/** Whether the page shows messages. */
export function isChat(path: string): boolean {
  return /^\/w\/[^/]+\/c\//.test(path);
}

/** Whether the page shows the files of a change, in the full width of the window. */
export function isReview(path: string): boolean {
  return /^\/w\/[^/]+\/review\//.test(path);
}

/** Undefined for an invalid escape sequence. */
export function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
