/** Numbers secrets by first occurrence. The same secret always gets the same number. */
export interface SecretRegistry {
  numberOf(secret: string): number;
  secrets(): string[];
}

export function createSecretRegistry(alreadyKnown: readonly string[] = []): SecretRegistry {
  const secrets = [...alreadyKnown];
  const numbers = new Map<string, number>();
  secrets.forEach((secret, index) => {
    if (!numbers.has(secret)) numbers.set(secret, index + 1);
  });
  return {
    numberOf(secret) {
      const found = numbers.get(secret);
      if (found !== undefined) return found;
      secrets.push(secret);
      numbers.set(secret, secrets.length);
      return secrets.length;
    },
    secrets: () => [...secrets],
  };
}

/** For streams, which can run for hours. After `remembered` secrets, a repeated secret gets a new number. */
export function createForgetfulRegistry(remembered = 1000): Pick<SecretRegistry, 'numberOf'> {
  const numbers = new Map<string, number>();
  let last = 0;
  return {
    numberOf(secret) {
      const found = numbers.get(secret);
      if (found !== undefined) return found;
      last += 1;
      if (numbers.size < remembered) numbers.set(secret, last);
      return last;
    },
  };
}
