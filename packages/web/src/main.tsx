import { createRoot } from 'react-dom/client';
import { App } from './shell/app.js';
import { applyTheme } from './shell/theme.js';
import './styles.css';

applyTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
