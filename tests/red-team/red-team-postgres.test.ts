import { isFullSize } from '../support/scaled.js';
import { groundsOn } from './grounds.js';
import { tryOrders } from './try-orders.js';

// On PostgreSQL with the sandbox of this system; a full run also tries it without one, which a small run does on SQLite.
const grounds = await groundsOn('postgres');
for (const ground of grounds.slice(0, isFullSize ? 2 : 1)) tryOrders(ground, [3]);
