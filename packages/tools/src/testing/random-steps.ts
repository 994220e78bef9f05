import fc from 'fast-check';

/** Creates the files that `randomSteps` work on. */
export const RANDOM_START =
  'mkdir -p a/b c; echo 1 > a/f; echo 2 > a/b/g; echo 3 > c/f; echo 4 > f; ln -s a/f l; chmod 640 f';

const name = fc.constantFrom('a', 'b', 'c', 'a/b', 'a/f', 'a/b/g', 'c/f', 'c/new', 'f', 'l', 'a/l');
const two = fc.tuple(name, name);
const step = fc.oneof(
  name.map((one) => `mkdir -p ${one}`),
  name.map((one) => `rm -rf ${one}`),
  name.map((one) => `rmdir ${one}`),
  name.map((one) => `echo ${one} >> ${one}`),
  two.map(([one, other]) => `mv -T ${one} ${other}`),
  two.map(([one, other]) => `cp ${one} ${other}`),
  two.map(([one, other]) => `cp -a ${one} ${other}`),
  two.map(([one, other]) => `ln ${one} ${other}`),
  two.map(([one, other]) => `ln -sfn ${one} ${other}`),
  fc.tuple(name, fc.nat(20)).map(([one, size]) => `truncate -s ${size} ${one}`),
  fc.tuple(name, fc.constantFrom('700', '755', '711')).map(([one, mode]) => `test -L ${one} || chmod ${mode} ${one}`),
);

/** Commands that create, change, rename, link and remove files, in any order. Most of them fail. */
export const randomSteps: fc.Arbitrary<string> = fc
  .array(step, { minLength: 1, maxLength: 12 })
  .map((steps) => `exec 2> /dev/null; ${steps.join('; ')}; true`);
