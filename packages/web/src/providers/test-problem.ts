import type { ProviderAnswer, ProviderTest } from '@countersign/protocol';

/** A failed test, and the field where it is explained. */
export interface TestProblem {
  readonly field: 'apiKey' | 'baseUrl' | 'model' | undefined;
  readonly words: string;
  /** The most similar model, if the tested one is unknown. */
  readonly closest: string | undefined;
  /** Whether it makes sense to continue: the provider may work later, or with other requests. */
  readonly mayPass: boolean;
}

export function problemOf({ ok, code, detail, closest }: ProviderTest): TestProblem | undefined {
  return ok ? undefined : { ...placeOf(code), words: detail, closest };
}

function placeOf(code: ProviderAnswer): Pick<TestProblem, 'field' | 'mayPass'> {
  switch (code) {
    case 'no-key':
    case 'wrong-key':
      return { field: 'apiKey', mayPass: false };
    case 'wrong-address':
      return { field: 'baseUrl', mayPass: false };
    case 'no-network':
      return { field: 'baseUrl', mayPass: true };
    case 'model-needed':
      return { field: 'model', mayPass: false };
    case 'unknown-model':
      return { field: 'model', mayPass: true };
    case 'ok':
    case 'no-credit':
    case 'rate-limited':
    case 'overloaded':
    case 'timeout':
    case 'failed':
      return { field: undefined, mayPass: true };
  }
}
