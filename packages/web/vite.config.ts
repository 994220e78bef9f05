import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, parseSync, Visitor, type Plugin } from 'vite';

const FONTS = {
  Inter: import.meta.resolve('@fontsource-variable/inter/LICENSE'),
  'JetBrains Mono': import.meta.resolve('@fontsource-variable/jetbrains-mono/LICENSE'),
};

/** Ships the fonts together with their licence. */
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
  };
}

/** Preloads the app's code. The entry imports it dynamically, so that requests can be sent before this code has arrived. */
function preloadedApp(): Plugin {
  return {
    name: 'preloaded-app',
    apply: 'build',
    transformIndexHtml(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const app = chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/shell/render.tsx') === true);
      if (app.length === 0) throw new Error('The code of the app is not in a chunk of its own.');
      // A set also iterates over elements that are added during the loop.
      const files = new Set(app.map(({ fileName }) => fileName));
      for (const file of files)
        for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(imported);
      return [...files]
        .filter((file) => !html.includes(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        }));
    },
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

/** Removes the descriptions of fields, which only the API document shows: 8 kB of the first load, gzipped. */
function withoutDescriptions(): Plugin {
  return {
    name: 'without-descriptions',
    apply: 'build',
    transform: {
      filter: { id: /\/packages\/protocol\/src\// },
      handler(code) {
        const calls: [name: string, start: number, end: number][] = [];
        const { program } = parseSync('protocol.js', code);
        new Visitor({
          // Names of types. Without them, schemas that no page uses are left out too.
          'ExpressionStatement:exit'({ expression, start, end }) {
            if (code.slice(expression.start).startsWith('api.add(') && code[start - 1] === '\n')
              calls.push(['add', start, end]);
          },
          // On exit, the calls inside come first: in order of the places to cut.
          'CallExpression:exit'({ callee, arguments: [first, second], end }) {
            if (callee.type !== 'Identifier' || first === undefined) return;
            if (callee.name === 'text' && second === undefined) calls.push(['text', first.start, end - 1]);
            if (callee.name === 'field' && second !== undefined) calls.push(['field', first.end, end - 1]);
          },
        }).visit(program);
        return calls.reduceRight(cut, code);
      },
    },
  };
}

/** Leaves out how zod describes schemas as JSON: a page only reads values with them. */
function withoutJsonSchemas(): Plugin {
  return {
    name: 'without-json-schemas',
    apply: 'build',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/ },
      handler(code) {
        const declared = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = '']) => name);
        const renamed = [...code.matchAll(/^export \{ \w+ as (\w+) \};/gm)].map(([, name = '']) => name);
        const names = [...declared, ...renamed].map((name) => `missing as ${name}`);
        return `function missing() { throw new Error('JSON schemas were left out') }\nexport { ${names.join(', ')} };\n`;
      },
    },
  };
}

const WORKER = 'sw.js';

/** Builds the service worker at a fixed URL, with the names of the files that the start page loads. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    enforce: 'post',
    buildStart() {
      this.emitFile({ type: 'chunk', id: '/src/worker/service-worker.ts', fileName: WORKER });
    },
    generateBundle(_, bundle) {
      const { [WORKER]: worker, 'index.html': page } = bundle;
      if (worker?.type !== 'chunk' || page?.type !== 'asset') throw new Error('The service worker was not built.');
      if (worker.imports.length > 0) throw new Error('The service worker imports other files.');
      const files = [...new Set(String(page.source).match(/\/assets\/[\w.-]+/g))];
      const version = createHash('sha256').update(worker.code).update(String(page.source)).digest('hex').slice(0, 16);
      worker.code = `const SHELL=${JSON.stringify({ version, files })};\n${worker.code}`;
    },
  };
}

function cut(code: string, [name, start, end]: readonly [string, number, number]): string {
  const left = name === 'add' ? '' : name === 'text' ? "''" : ", ''";
  return `${code.slice(0, start)}${left}${code.slice(end)}`;
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    fonts(),
    preloadedApp(),
    serviceWorker(),
    precompressed(),
    withoutDescriptions(),
    withoutJsonSchemas(),
  ],
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
