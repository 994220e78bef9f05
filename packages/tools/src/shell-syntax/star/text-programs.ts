import { isHarmlessAwk, isHarmlessFormat, isHarmlessSed } from './harmless-programs.js';
import type { StarTable } from './star-table.js';

/** For programs that only print or compare their words. */
const printsWords: StarTable = { word: () => true };
const HELP = '--help --version';

const ls: StarTable = {
  files: 0,
  options: `-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 -I= -T= -w=
    --all --almost-all --author --escape --block-size= --ignore-backups --color[=] --directory --classify[=] --file-type --format=
    --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line --hide=
    --hyperlink[=] --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --quote-name --quoting-style=
    --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero ${HELP}`,
};
const grep: StarTable = {
  files: 1,
  options: `-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -R -s -T -U -v -w -x -y -z -Z -# -A= -B= -C= -d= -D= -e= -m=
    --after-context= --basic-regexp --before-context= --binary-files= --byte-offset --color[=] --colour[=] --context= --count
    --dereference-recursive --devices= --directories= --exclude= --exclude-dir= --extended-regexp --files-with-matches
    --files-without-match --fixed-strings --ignore-case --include= --initial-tab --invert-match --label= --line-buffered --line-number
    --line-regexp --max-count= --no-filename --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp
    --quiet --recursive --regexp= --silent --text --with-filename --word-regexp ${HELP}`,
};
const checksum: StarTable = {
  files: 0,
  options: `-b -c -t -w -z --binary --check --tag --text --zero --quiet --status --strict --warn ${HELP}`,
};
const awk: StarTable = {
  options: '-F= -v=',
  values: { '-v': (value) => /^[A-Za-z_]\w*=/.test(value) },
  program: { isHarmless: isHarmlessAwk, givenBy: [] },
};
const sed: StarTable = {
  files: 1,
  options: `-n -r -E -s -u -z -e= !-i[=] --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix
    --sandbox --expression= !--in-place[=] ${HELP}`,
  values: { '-e': isHarmlessSed, '--expression': isHarmlessSed },
  program: { isHarmless: isHarmlessSed, givenBy: ['-e', '--expression'] },
};

/** Programs that read text or describe files, and write only to stdout. */
export const TEXT_PROGRAMS: Readonly<Record<string, StarTable>> = {
  ls,
  dir: ls,
  vdir: ls,
  grep,
  egrep: grep,
  fgrep: grep,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  'original-awk': awk,
  cat: {
    files: 0,
    options: `-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
      --show-nonprinting ${HELP}`,
  },
  tac: { files: 0, options: `-b -r -s= --before --regex --separator= ${HELP}` },
  head: {
    files: 0,
    options: `-# -q -v -z -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated ${HELP}`,
  },
  tail: {
    files: 0,
    options: `-# -q -v -z -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated ${HELP}`,
  },
  wc: { files: 0, options: `-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= ${HELP}` },
  nl: {
    files: 0,
    options: `-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width= --number-separator= ${HELP}`,
  },
  sort: {
    files: 0,
    options: `-b -c -C -d -f -g -h -i -m -M -n -r -R -s -u -V -z -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort=
      --version-sort --check[=] --debug --key= --merge --stable --field-separator= --unique --zero-terminated --parallel=
      --buffer-size= ${HELP}`,
  },
  // A second operand is an output file.
  uniq: {
    options: `-c -d -D -i -u -z -f= -s= -w= --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case
      --skip-chars= --unique --zero-terminated --check-chars= ${HELP}`,
    most: 1,
  },
  cut: {
    files: 0,
    options: `-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited
      --output-delimiter= --zero-terminated ${HELP}`,
  },
  tr: { options: `-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1 ${HELP}` },
  paste: { files: 0, options: `-d= -s -z --delimiters= --serial --zero-terminated ${HELP}` },
  join: {
    options: `-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header ${HELP}`,
  },
  comm: {
    files: 0,
    options: `-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated ${HELP}`,
  },
  cmp: {
    files: 0,
    options: `-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent ${HELP}`,
  },
  // `-l` and `--paginate` run another program.
  diff: {
    files: 0,
    options: `-a -b -B -c -d -E -i -N -p -q -r -s -t -T -u -w -y -Z -U= -C= -W= -I= -x= -F= --normal --brief --report-identical-files
      --context[=] --unified[=] --side-by-side --width= --left-column --suppress-common-lines --show-c-function
      --show-function-line= --label= --expand-tabs --initial-tab --recursive --no-dereference --new-file --exclude=
      --ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change
      --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --color[=] ${HELP}`,
  },
  diff3: {},
  fold: { files: 0, options: `-b -s -w= --bytes --spaces --width= ${HELP}` },
  fmt: { options: `-c -s -t -u -w= -g= -p= --width= --split-only --uniform-spacing ${HELP}` },
  expand: { options: `-i -t= --initial --tabs= ${HELP}` },
  unexpand: { options: `-a -t= --all --first-only --tabs= ${HELP}` },
  rev: {},
  column: { options: `-t -s= -o= -c= -n= -x -L --table --separator= --output-separator= --output-width= ${HELP}` },
  od: {
    files: 0,
    options: `-A= -j= -N= -t= -v -w[=] -a -b -c -d -f -i -l -o -s -x --address-radix= --skip-bytes= --read-bytes= --format= ${HELP}`,
  },
  hexdump: { files: 0, options: '-b -c -C -d -o -x -v -n= -s= -e=' },
  // A second operand is an output file.
  xxd: { style: 'words', options: '-b -e -i -p -r -u -c= -g= -l= -s=', most: 1 },
  strings: { files: 0, options: `-a -f -n= -o -t= -e= --all --print-file-name --bytes= --radix= --encoding= ${HELP}` },
  base64: { options: `-d -i -w= --decode --ignore-garbage --wrap= ${HELP}` },
  md5sum: checksum,
  sha1sum: checksum,
  sha224sum: checksum,
  sha256sum: checksum,
  sha384sum: checksum,
  sha512sum: checksum,
  b2sum: checksum,
  cksum: { options: `-a= --algorithm= --check --tag --untagged ${HELP}` },
  jq: {
    files: 1,
    options: `-r -j -a -s -n -c -C -M -S -e -R --raw-output --join-output --ascii-output --slurp --null-input --compact-output
      --color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --stream --help --version`,
  },
  less: { options: '-F -X -R -S -N -i', operand: (word) => !word.startsWith('+') },
  more: { operand: (word) => !word.startsWith('+') },
  file: {
    files: 0,
    options: `-b -i -h -L -k -p -r -s -0 --brief --mime --mime-type --mime-encoding --no-dereference --dereference ${HELP}`,
  },
  stat: { files: 0, options: `-c= -f -L -t --format= --printf= --file-system --dereference --terse ${HELP}` },
  du: {
    files: 0,
    options: `-0 -a -b -B= -c -d= -D -h -H -k -l -L -m -P -s -S -t= -x --all --apparent-size --block-size= --bytes --total
      --max-depth= --human-readable --inodes --summarize --separate-dirs --exclude= --one-file-system --time[=] --si ${HELP}`,
  },
  df: {
    options: `-a -B= -h -H -i -k -l -P -t= -T -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output[=]
      --portability --total --type= --print-type --exclude-type= ${HELP}`,
  },
  readlink: {
    files: 0,
    options: `-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline ${HELP}`,
  },
  realpath: {
    files: 0,
    options: `-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= ${HELP}`,
  },
  basename: { options: `-a -s= -z --multiple --suffix= --zero ${HELP}` },
  dirname: { options: `-z --zero ${HELP}` },
  tree: {
    files: 0,
    options: `-a -d -f -L= -P= -I= -C -n -s -h -D -F -i -p -u -g -r -t -l -x --dirsfirst --gitignore --noreport --charset=`,
  },
  rg: {
    files: 1,
    options: `-a -b -c -F -g= -h -H -i -I -l -L -n -N -o -p -P -q -s -S -t= -T= -u -U -v -V -w -x -0 -. -A= -B= -C= -e= -m= -d= -j= -r=
      --after-context= --before-context= --context= --color= --column --count --count-matches --files --files-with-matches
      --files-without-match --fixed-strings --glob= --heading --no-heading --hidden --ignore-case --invert-match --json
      --line-number --no-line-number --max-count= --max-depth= --multiline --no-ignore --only-matching --quiet --regexp=
      --smart-case --sort= --stats --text --trim --type= --type-not= --type-list --vimgrep --word-regexp ${HELP}`,
  },
  fd: {
    options: `-H -I -L -a -p -0 -s -i -g -F -1 -q -u -e= -t= -d= -E= --hidden --no-ignore --follow --absolute-path --full-path --print0
      --case-sensitive --ignore-case --glob --fixed-strings --extension= --type= --max-depth= --min-depth= --exclude= --color= ${HELP}`,
  },
  find: {
    style: 'words',
    options: `-H -L -P -a -and -o -or -not -amin= -anewer= -atime= -cmin= -cnewer= -ctime= -daystart -depth -empty -executable -false
      -follow -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= -links= -lname= -ls -maxdepth= -mindepth= -mmin=
      -mount -mtime= -name= -newer= -nogroup -nouser -path= -perm= -print -print0 -printf= -prune -quit -readable -regex=
      -regextype= -samefile= -size= -true -type= -uid= -user= -wholename= -writable -xdev -xtype= !-delete`,
  },
  seq: { options: `-f= -s= -w -# --format= --separator= --equal-width` },
  printf: { program: { isHarmless: isHarmlessFormat, givenBy: [] } },
  date: {
    options: `-u -R -I[=] -d= -r= --utc --universal --iso-8601[=] --rfc-3339= --rfc-email --date= --reference= ${HELP}`,
    operand: (word) => word.startsWith('+'),
  },
  echo: printsWords,
  expr: printsWords,
  // With these two options, an index in the variable's name is run as code.
  test: { word: (word) => word !== '-v' && word !== '-R' },
  '[': { word: (word) => word !== '-v' && word !== '-R' },
  pwd: { options: '-L -P' },
  which: { options: '-a' },
  type: { options: '-a -f -p -P -t' },
  whoami: { options: HELP },
  id: { options: `-a -g -G -n -r -u -z ${HELP}` },
  groups: {},
  uname: { options: `-a -s -n -r -v -m -p -i -o ${HELP}` },
  hostname: { options: '-f -s -i -I -d', most: 0 },
  uptime: { options: `-p -s ${HELP}` },
  nproc: { options: '--all' },
  free: { options: '-b -k -m -g -h -t -w' },
  ps: {
    options: `-A -a -d -e -f -F -H -j -l -L -M -N -T -V -w -y -x -u= -U= -p= -o= -C= -g= -G= -t= --sort= --forest --no-headers`,
  },
  lscpu: {},
  cal: { options: '-1 -3 -y -m -j' },
  sleep: {},
  cd: { most: 1 },
  jobs: { options: '-l -n -p -r -s' },
  iconv: { options: `-c -l -s -f= -t= --list --silent --from-code= --to-code= ${HELP}` },
  true: printsWords,
  false: printsWords,
  ':': printsWords,
};
