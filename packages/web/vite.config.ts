import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The sources of the other rooms, not a build of them that may be stale.
  resolve: { conditions: ['@countersign/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // A font or picture inside the style sheet would need `data:` in the page's content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:7777', changeOrigin: true } } },
});
