import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On SQLite, with the sandbox of this system (where a small run tries every order) and without one.
for (const [at, ground] of (await groundsOn('sqlite')).entries()) tryOrders(ground, at === 0 ? undefined : 0);
