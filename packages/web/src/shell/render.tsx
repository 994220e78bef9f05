import { createRoot } from 'react-dom/client';
import { OAuthCallback, takeOAuthAnswer } from '../session/oauth-callback.js';
import { App } from './app.js';

export function render(root: HTMLElement): void {
  const answer = takeOAuthAnswer();
  createRoot(root).render(answer === undefined ? <App /> : <OAuthCallback answer={answer} />);
}
