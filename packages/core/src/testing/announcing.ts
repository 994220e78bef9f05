/** Ways to announce a secret other than by a name before it, for tests that put texts together at random. A new way belongs here too. */
export const announcing: readonly string[] = [
  ...['<password>', '</password>', '<token>x', '%22', '%3D', '%20', '%2522', '+', '\\\\\\"', '- ', 'passwords:\n'],
  ...['["a", ', '"b"', 'mysql -p', 'sshpass -p ', 'setx API_KEY ', 'git config --x a.token ', 'ALTER USER '],
  ...['PASSWORD ', 'machine login password '],
];
