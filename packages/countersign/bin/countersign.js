#!/usr/bin/env node
'use strict';

const words = process.argv.slice(2);
const [group, command, ...rest] = words;
const isHook = group === 'gate' && (command === 'hook' || command === 'exec');
if (isHook && !rest.some((word) => word === '--help' || word === '-h')) runHook();
else void run();

/** Agents start it for each of their calls, so it loads nothing else. */
function runHook() {
  try {
    const bundle = require('../dist/bundle/hook/hook.cjs');
    void (command === 'exec' ? bundle.execMain(rest) : bundle.hookMain(rest));
  } catch (error) {
    // Node would exit with 1, which some agents ignore. 2 means no.
    process.stderr.write(`${String(error)}\n`);
    process.exit(2);
  }
}

async function run() {
  const { keepCompiledCode } = await import('../dist/compile-cache.js');
  // Call this first: only modules loaded afterwards are cached.
  keepCompiledCode(words, process.env);
  const { main } = await import('../dist/bundle/main.js');
  await main();
}
