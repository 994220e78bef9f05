import type { Assertion, NewPasskey, PasskeyOptions, PasskeySignIn } from '@countersign/protocol';
import type * as Library from '@simplewebauthn/browser';
import { PasskeyFailure, problemOf } from './passkey-failure.js';

/** Lets the person sign with a passkey. Rejects only with a `PasskeyFailure`. */
export async function signWithPasskey(optionsJSON: PasskeySignIn): Promise<Assertion> {
  const { id, response } = await run(async ({ startAuthentication }) => await startAuthentication({ optionsJSON }));
  const { clientDataJSON, authenticatorData, signature } = response;
  return { credentialId: id, clientData: clientDataJSON, authenticatorData, signature };
}

/** Lets the person create a passkey. Rejects only with a `PasskeyFailure`. */
export async function createPasskey(optionsJSON: PasskeyOptions): Promise<NewPasskey> {
  const { id, response } = await run(async ({ startRegistration }) => await startRegistration({ optionsJSON }));
  return { credentialId: id, clientData: response.clientDataJSON, attestation: response.attestationObject };
}

/** The code is loaded when someone uses a passkey. */
async function run<T>(work: (library: typeof Library) => Promise<T>): Promise<T> {
  if (globalThis.PublicKeyCredential === undefined) throw new PasskeyFailure('unsupported');
  try {
    return await work(await import('@simplewebauthn/browser'));
  } catch (error) {
    throw new PasskeyFailure(problemOf(error), error);
  }
}
