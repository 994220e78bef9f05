/** So many names one program may look up; no real one comes near it. */
const MOST_NAMES = 50_000;

/** Addresses inside a sandbox's own network that stand for hosts outside. */
export interface NameTable {
  /** Undefined: there are too many already. */
  addressOf(name: string): string | undefined;
  nameAt(address: string): string | undefined;
}

/** All of 127/8 leads to the sandbox itself, so that what connects to one of these comes to us, and the address tells for whom. */
export function createNameTable(): NameTable {
  const addresses = new Map<string, string>();
  const names = new Map<string, string>();
  return {
    addressOf(name) {
      const known = addresses.get(name);
      if (known !== undefined || addresses.size >= MOST_NAMES) return known;
      const number = addresses.size + 1;
      const address = `127.64.${number >> 8}.${number & 255}`;
      addresses.set(name, address);
      names.set(address, name);
      return address;
    },
    nameAt: (address) => names.get(address),
  };
}
