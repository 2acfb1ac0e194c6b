import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readScript } from './flushes.ts'

const read = (...lines: readonly string[]) => readScript({ path: 'a.sh', text: lines.join('\n') })

test('a change of a name is flushed in its list of commands or in one of the next three', () => {
  assert.deepEqual(read('mv -fT -- "$1" "$2" && flush_names "$2"', 'rm -f -- "$1" &&', '  sync "$folder"'), {
    changes: 2,
    problems: [],
  })
  assert.deepEqual(read('rmdir -- "$1"', 'a', 'b', 'flush .').problems, [])
  assert.deepEqual(read('rmdir -- "$1"', 'a', 'b', 'c', 'flush .').problems, [
    'a.sh:1  rmdir "$1" is not flushed',
  ])
})

test('every place of a command counts, also in a substitution, a trap and another program', () => {
  const { changes, problems } = read(
    'problem=$(mv -f -- "$a" ./.env 2>&1) || refuse',
    `trap 'rm -f -- "$log"' EXIT`,
    'find . -exec rm -rf -- {} +',
    'if [ -e "$c" ]; then ln -- "$c" "$d" || { unlink "$e"; refuse failed; }; fi',
    'echo "rm it"',
    '# rm -f -- "$f"',
  )
  assert.deepEqual(
    [changes, problems],
    [
      5,
      [
        'a.sh:1  mv "$a" ./.env is not flushed',
        'a.sh:2  rm "$log" is not flushed',
        'a.sh:3  rm {} is not flushed',
        'a.sh:4  ln "$d" is not flushed',
        'a.sh:4  unlink "$e" is not flushed',
      ],
    ],
  )
})

test('the content of the file alone is not its name', () => {
  assert.deepEqual(read('rm -f -- "$1.new"', 'cat >"$1.new" && flush "$1.new"').problems, [
    'a.sh:1  rm "$1.new" is not flushed',
  ])
})

test('the script excuses a name with its reason, and an excuse that nothing needs is a problem', () => {
  const excuse = '# Unflushed "$a", "$(next "$b")": the next attempt removes them.'
  assert.deepEqual(read(excuse, 'mv -- "$a" "$(next "$b")"').problems, [])
  assert.deepEqual(read(excuse, 'rm -- "$a"').problems, ['a.sh  nothing needs the excuse for "$(next "$b")"'])
  assert.deepEqual(read('# Unflushed "$a":', 'rm -- "$a"').problems, ['a.sh:2  rm "$a" is not flushed'])
})
