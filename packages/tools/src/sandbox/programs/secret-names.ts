/** Folders in a home folder that contain keys, tokens or settings with secrets, but no programs. */
export const SECRET_FOLDERS: ReadonlySet<string> = new Set(
  `.ssh .aws .azure .gnupg .kube .docker .password-store .mozilla .thunderbird .gcloud .oci .terraform.d .vault .secrets .keychain
   .putty .pki .m2 .gradle`.split(/\s+/),
);

/**
 * Files and folders next to programs that probably contain a key or token. Not `*.pem`: programs need their
 * certificates.
 */
const SECRET_ENTRY =
  /^(?:[._]?(?:npmrc|netrc|pypirc|yarnrc(?:\.yml)?|git-credentials|htpasswd|pgpass)|\.env(?:\..*)?|credentials?(?:[.-].*)?|auth\.json|hosts\.yml|id_[a-z0-9]+|(?:secrets?|tokens?|passwords?)|(?:.*[._-])?(?:secrets?|tokens?|passwords?)\.(?:txt|json|ya?ml|toml|ini|env)|.*\.(?:key|kdbx|p12|pfx|keystore|jks))$/i;

export function isSecretFolder(name: string): boolean {
  return SECRET_FOLDERS.has(name.toLowerCase());
}

export function isSecretEntry(name: string): boolean {
  return isSecretFolder(name) || SECRET_ENTRY.test(name);
}
