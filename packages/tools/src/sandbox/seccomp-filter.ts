import { Buffer } from 'node:buffer';

/** The numbers of denied system calls on one architecture. */
interface Calls {
  /** The kernel's constant for the architecture. */
  readonly arch: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly denied: readonly number[];
  /** Calls that set or remove extended attributes. */
  readonly attributes: readonly number[];
}

/**
 * Denied: session keyrings (add_key, request_key, keyctl), which no namespace hides; io_uring, which opens sockets
 * without passing this filter; and calls that only widen the attack surface (bpf, perf_event_open, userfaultfd,
 * kexec_load, kexec_file_load, open_by_handle_at, setns). Extended attributes, which include access control lists, are
 * unsupported: no effect shows them, and they would be applied with the file (CHANGE8.1).
 */
const CALLS: Readonly<Record<string, Calls>> = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    ioctl: 16,
    denied: [248, 249, 250, 425, 426, 427, 321, 298, 323, 246, 320, 304, 308],
    attributes: [188, 189, 190, 197, 198, 199, 463, 466],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    denied: [217, 218, 219, 425, 426, 427, 280, 241, 282, 104, 294, 265, 268],
    attributes: [5, 6, 7, 14, 15, 16, 463, 466],
  },
};

/** Unix, IPv4, IPv6 and netlink. Namespaces don't isolate other families, such as vsock from a virtual machine to its host. */
const FAMILIES = [1, 2, 10, 16];
/** Requests that type into a terminal (TIOCSTI, TIOCLINUX). */
const REQUESTS = [0x5412, 0x541c];

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const ERROR = 0x00050000;
const EPERM = 1;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;
/** Offsets in seccomp_data: call number, architecture, and the low halves of the first two arguments. */
const NUMBER = 0;
const ARCH = 4;
const FIRST = 16;
const SECOND = 24;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A BPF program that denies those calls; undefined for unsupported architectures. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const calls = CALLS[arch];
  if (calls === undefined) return undefined;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCH],
    // Calls for another architecture (32-bit on 64-bit) have other numbers, so all of them are denied.
    [JUMP_IF_EQUAL, 1, 0, calls.arch],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    // x32 call numbers on an x64 kernel.
    [JUMP_IF_AT_LEAST, 0, 1, 0x40000000],
    [RETURN, 0, 0, ERROR | EPERM],
    ...calls.denied.flatMap((number) => ifEqual(number, ERROR | EPERM)),
    ...calls.attributes.flatMap((number) => ifEqual(number, ERROR | EOPNOTSUPP)),
    ...ifCall(calls.ioctl, [
      [LOAD, 0, 0, SECOND],
      ...REQUESTS.flatMap((request) => ifEqual(request, ERROR | EPERM)),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...ifCall(calls.socket, [
      [LOAD, 0, 0, FIRST],
      ...FAMILIES.flatMap((family) => ifEqual(family, ALLOW)),
      [RETURN, 0, 0, ERROR | EAFNOSUPPORT],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

function ifEqual(value: number, answer: number): Instruction[] {
  return [
    [JUMP_IF_EQUAL, 0, 1, value],
    [RETURN, 0, 0, answer],
  ];
}

function ifCall(number: number, then: readonly Instruction[]): Instruction[] {
  return [[JUMP_IF_EQUAL, 0, then.length, number], ...then];
}

function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
