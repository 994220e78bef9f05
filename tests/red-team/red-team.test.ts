import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On SQLite, with the sandbox of this system and without one. A small run tries half of the orders once, here or on PostgreSQL.
for (const [at, ground] of (await groundsOn('sqlite')).entries()) tryOrders(ground, at === 0 ? [0] : [4]);
