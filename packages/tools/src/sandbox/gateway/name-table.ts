/** Maximum number of names that one program may look up; real programs need far fewer. */
const MAX_NAMES = 50_000;

/** Addresses in the sandbox's network that represent hosts outside. */
export interface NameTable {
  /** Undefined if there are too many names. */
  addressOf(name: string): string | undefined;
  nameAt(address: string): string | undefined;
}

/** All of 127/8 is the sandbox itself, so connections to these addresses reach us, and the address identifies the host. */
export function createNameTable(): NameTable {
  const addresses = new Map<string, string>();
  const names = new Map<string, string>();
  return {
    addressOf(name) {
      const known = addresses.get(name);
      if (known !== undefined || addresses.size >= MAX_NAMES) return known;
      const number = addresses.size + 1;
      const address = `127.64.${number >> 8}.${number & 255}`;
      addresses.set(name, address);
      names.set(address, name);
      return address;
    },
    nameAt: (address) => names.get(address),
  };
}
