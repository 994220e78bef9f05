import { createRoot } from 'react-dom/client';
import { OAuthCallback, takeOAuthAnswer } from '../session/oauth-callback.js';
import { keepFocus } from '../ui/keep-focus.js';
import { App } from './app.js';

export function render(root: HTMLElement): void {
  const answer = takeOAuthAnswer();
  keepFocus();
  // Later: the page doesn't need it to be usable.
  void import('../worker/register-worker.js').then(({ registerWorker }) => registerWorker());
  createRoot(root).render(answer === undefined ? <App /> : <OAuthCallback answer={answer} />);
}
