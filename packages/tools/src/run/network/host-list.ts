/** Whether a list of hosts names this one. Names may have a `*` and a port; without one, every port is meant. */
export function matchHosts(patterns: readonly string[]): (host: string, port?: number) => boolean {
  const tests = patterns.map((pattern) => {
    const { name, port } = splitPort(pattern.toLowerCase());
    const expression = new RegExp(`^${name.split('*').map(escape).join('.*')}$`);
    return (host: string, wanted: number | undefined): boolean =>
      expression.test(host) && (port === undefined || wanted === undefined || port === wanted);
  });
  return (host, port) => {
    const plain = plainHost(host);
    return tests.some((test) => test(plain, port));
  };
}

/** A name or address in one form, without brackets. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** The ports that a list of hosts names. */
export function portsIn(patterns: readonly string[]): number[] {
  return patterns.flatMap((pattern) => splitPort(pattern).port ?? []);
}

/** Private addresses and `localhost`, each with a port. */
export function privateHostsIn(patterns: readonly string[]): string[] {
  return patterns.filter((pattern) => /^(localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.test(pattern));
}

function splitPort(pattern: string): { name: string; port?: number } {
  const found = /^(?<name>[^:]+):(?<port>\d{1,5})$/.exec(pattern)?.groups;
  return found === undefined ? { name: pattern } : { name: found['name'] ?? '', port: Number(found['port']) };
}

function escape(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
}
