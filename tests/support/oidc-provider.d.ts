/** The parts of `oidc-provider` that tests use. */
declare module 'oidc-provider' {
  interface Token {
    destroy(): Promise<void>;
    readonly aud?: unknown;
  }
  interface Context {
    path: string;
    body: unknown;
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly AccessToken: { find(value: string): Promise<Token | undefined> };
    callback(): (request: unknown, response: unknown) => void;
    on(event: string, listener: (token: Token) => void): this;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  }
}
