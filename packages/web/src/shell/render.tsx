import { createRoot } from 'react-dom/client';
import { App } from './app.js';

export function render(root: HTMLElement): void {
  createRoot(root).render(<App />);
}
