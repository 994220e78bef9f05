#!/usr/bin/env node
import { keepCompiledCode } from '../dist/compile-cache.js';

// Call this first: only modules loaded afterwards are cached.
const words = process.argv.slice(2);
keepCompiledCode(words, process.env);
const [group, command, ...rest] = words;
if (group === 'gate' && command === 'hook' && !rest.some((word) => word === '--help' || word === '-h')) {
  // Agents start it for each of their calls, so it loads nothing else. Exit code 2 means no, also if it can't be loaded.
  process.exitCode = 2;
  const { hookMain } = await import('../dist/bundle/hook/hook.js');
  await hookMain(rest);
} else {
  const { main } = await import('../dist/bundle/main.js');
  await main();
}
