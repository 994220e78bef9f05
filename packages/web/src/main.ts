import { sendEarly } from './session/early.js';
import { isChat } from './shell/paths.js';
import { applyTheme } from './shell/theme.js';
import { loadFonts } from './load-fonts.js';
import './styles.css';

/** If loading the code took longer than this, the page is rendered with system fonts: waiting for ours would take just as long again. */
const SLOW_MS = 600;

// This file is small and runs while the rest of the code is loading (vite.config.ts preloads it).
applyTheme();
sendEarly();
void start();

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) return;
  const asked = performance.now();
  if (isChat(location.pathname)) import('./chat/chat-page.js').catch(() => undefined);
  const { render } = await import('./shell/render.js');
  if (performance.now() - asked < SLOW_MS) await loadFonts();
  render(root);
}
