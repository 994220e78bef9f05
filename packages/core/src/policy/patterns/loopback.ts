/** Common spellings of loopback, so that globs such as `127.*` match. */
const SPELLINGS = ['localhost', '127.0.0.1', '::1', '[::1]', '0.0.0.0', '[::]', 'ip6-localhost'];
const NAMES = /^(?:.+\.)?localhost$|^localhost\.localdomain$|^ip6-(?:localhost|loopback)$/;

/** The port after a host, with its colon. `::1` has no port. */
const PORT = /(?<=^[^:]*|\]):\d+$/;

/** All spellings of loopback with the port of `host`, or only `host` if it is not loopback. Expects lowercase. */
export function loopbackSpellings(host: string): readonly string[] {
  const port = PORT.exec(host)?.[0] ?? '';
  return isLoopback(withoutPort(host, port)) ? [host, ...SPELLINGS.map((name) => name + port)] : [host];
}

/** Normalizes every spelling of loopback to `localhost`, and keeps the port. Other hosts are unchanged. */
export function foldLoopback(host: string): string {
  const port = PORT.exec(host)?.[0] ?? '';
  return isLoopback(withoutPort(host, port)) ? `localhost${port}` : host;
}

function withoutPort(host: string, port: string): string {
  const name = host.slice(0, host.length - port.length);
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Also true for `127.1`, `0x7f000001` and `::ffff:127.0.0.1`: the URL parser interprets addresses as programs do. */
function isLoopback(name: string): boolean {
  if (NAMES.test(name)) return true;
  if (!/^[[\]0-9a-fx.:]+$/.test(name) || !/[.:\]]|^\d{8,}$|^0x/.test(name)) return false;
  const url = `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}/`;
  if (!URL.canParse(url)) return false;
  const address = new URL(url).hostname;
  return /^127\.|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]+|0:0)\]$/.test(address);
}
