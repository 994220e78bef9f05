#!/usr/bin/env node
import { keepCompiledCode } from '../dist/compile-cache.js';

// First: only modules loaded after this call are cached.
keepCompiledCode(process.argv.slice(2), process.env);
const { main } = await import('../dist/bundle/main.js');
await main();
