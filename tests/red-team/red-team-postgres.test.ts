import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On PostgreSQL: with the sandbox that findSandbox finds, and without. Every order comes through one channel.
for (const ground of await groundsOn('postgres')) tryOrders(ground, 15);
