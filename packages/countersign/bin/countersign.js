#!/usr/bin/env node
import { keepCompiledCode } from '../dist/compile-cache.js';

// Before the rest is loaded: only what comes later is kept.
keepCompiledCode(process.argv.slice(2), process.env);
const { main } = await import('../dist/bundle/main.js');
await main();
