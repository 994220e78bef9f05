import type { CommandContext } from '../context.js';

const POLL_MS = 1000;

interface View {
  readonly isAway: () => boolean;
  retryNow(): void;
}

/** Reconnects a view within a second after a server was restarted; the view's own pauses get longer. Returns a function that stops it. */
export function retrySoon(context: Pick<CommandContext, 'isServed'>, view: View): () => void {
  let isBusy = false;

  async function look(): Promise<void> {
    if (await context.isServed()) view.retryNow();
  }

  const timer = setInterval(() => {
    if (!view.isAway() || isBusy) return;
    isBusy = true;
    look()
      // The view shows that the server is unreachable; retry later.
      .catch(() => undefined)
      .finally(() => {
        isBusy = false;
      });
  }, POLL_MS);
  return () => clearInterval(timer);
}
