import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On PostgreSQL, with the sandbox of this system and without one.
for (const [at, ground] of (await groundsOn('postgres')).entries()) tryOrders(ground, at + 1);
