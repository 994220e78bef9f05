import { createRoot } from 'react-dom/client';
import { App } from './shell/app.js';
import { applyTheme } from './shell/theme.js';
import { loadFonts } from './load-fonts.js';
import './styles.css';

applyTheme();
const root = document.getElementById('root');
if (root !== null) void loadFonts().then(() => createRoot(root).render(<App />));
