#!/usr/bin/env node
import { keepCompiledCode } from '../dist/compile-cache.js';

// Call this first: only modules loaded afterwards are cached.
keepCompiledCode(process.argv.slice(2), process.env);
const { main } = await import('../dist/bundle/main.js');
await main();
