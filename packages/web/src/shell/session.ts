/** The half of a session that the page keeps (W1). Per tab: a cookie alone, sent by whatever runs on this machine, must not do. */
const KEY = 'countersign.session';
const CHANNEL = 'countersign.session';
/** So long nobody is told that they need a link. */
const PATIENCE_MS = 250;

export function keepSession(session: string): void {
  sessionStorage.setItem(KEY, session);
}

export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
}

/** The ticket of a start URL, taken out of the address at once: it must not stay in the history. */
export function takeTicket(): string | undefined {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return ticket;
}

/**
 * This tab's session, or that of another tab of this very address: a channel reaches no other port. `onLate`: there was none, and a
 * tab that was too busy has answered after all.
 */
export async function findSession(onLate: () => void): Promise<string | undefined> {
  return sessionStorage.getItem(KEY) ?? (await askOtherTabs(onLate));
}

export function answerOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(CHANNEL);
  const tell = channel.postMessage.bind(channel);
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const session = sessionStorage.getItem(KEY);
    if (event.data === 'ask' && session !== null) tell({ session });
  });
}

async function askOtherTabs(onLate: () => void): Promise<string | undefined> {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  const channel = new BroadcastChannel(CHANNEL);
  const tell = channel.postMessage.bind(channel);
  return await new Promise<string | undefined>((resolve) => {
    let isLate = false;
    setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, PATIENCE_MS);
    channel.addEventListener('message', (event: MessageEvent<unknown>) => {
      const { data } = event;
      if (typeof data !== 'object' || data === null || !('session' in data) || typeof data.session !== 'string') return;
      channel.close();
      keepSession(data.session);
      if (isLate) onLate();
      else resolve(data.session);
    });
    tell('ask');
  });
}
