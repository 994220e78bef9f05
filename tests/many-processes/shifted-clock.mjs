import { env } from 'node:process';

// Loaded before a server: its clock is ahead of, or behind, everybody else's by CLOCK_SHIFT_MS.
const shift = Number(env['CLOCK_SHIFT_MS'] ?? 0);

globalThis.Date = new Proxy(Date, {
  construct: (Real, given) => new Real(given.length === 0 ? Real.now() + shift : given[0], ...given.slice(1)),
  get: (Real, name) => (name === 'now' ? () => Real.now() + shift : Reflect.get(Real, name)),
});
