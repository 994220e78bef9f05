import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On SQLite: with the sandbox that findSandbox finds, where every order comes through two channels, and without.
for (const ground of await groundsOn('sqlite')) tryOrders(ground, ground.sandbox.kind === 'none' ? 15 : 7);
