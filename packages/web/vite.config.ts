import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const FONTS = {
  Inter: import.meta.resolve('@fontsource-variable/inter/LICENSE'),
  'JetBrains Mono': import.meta.resolve('@fontsource-variable/jetbrains-mono/LICENSE'),
};

/** Ships the fonts together with their licence, and preloads the two that every page needs. */
function fonts(): Plugin {
  return {
    name: 'fonts',
    apply: 'build',
    generateBundle() {
      const texts = Object.entries(FONTS).map(
        ([name, address]) => `${name}\n\n${readFileSync(fileURLToPath(address), 'utf8')}`,
      );
      this.emitFile({ type: 'asset', fileName: 'font-licences.txt', source: texts.join('\n\n') });
    },
    transformIndexHtml: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /-latin-wght-normal-[^/]*\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head',
        })),
  };
}

/** Writes `name.br` and `name.gz` next to each text file, which the server sends unchanged. */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!/\.(?:js|css|html|txt)$/.test(name)) continue;
        const body = readFileSync(join(dir, name));
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(body));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(body, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), fonts(), precompressed()],
  // Use the sources of the other packages, not a build that may be stale.
  resolve: { conditions: ['@countersign/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // A font or image inlined in the style sheet would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of bundled libraries require their text to be distributed with the code.
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:7777', changeOrigin: true } } },
});
