import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { run } from './command.ts'
import { quoteWord } from './quote.ts'

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/busybox'].filter(existsSync)
const shellWords = (shell: string): string[] => (shell.endsWith('busybox') ? ['sh', '-c'] : ['-c'])

/** What a shell makes of the words: each as the program receives it. */
const received = (shell: string, words: readonly string[]): string[] => {
  const line = run('printf', String.raw`%s\0`, '-', ...words).line
  // bash takes a socket on standard input for a remote shell, and reads the startup files of whoever runs this.
  const { stdout, status, stderr } = spawnSync(shell, [...shellWords(shell), line], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  assert.equal(status, 0, stderr.toString())
  return stdout.toString().split('\0').slice(1, -1)
}

const HARD = `'"\\\`$!#&;|<>(){}[]*?~=-+.,:/%@ \t\n\r\u007fäß€😀AZaz09`
const word = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...Array.from(HARD)) }),
  fc.constantFrom(
    '',
    '-',
    '--',
    '-n',
    '--option=value',
    'NAME=value',
    '~',
    '*',
    '$HOME',
    '!!',
    "'",
    '\n',
    'a\n',
    '%s',
    '\\',
  ),
)
const words = fc.array(
  word.map((text) => text.replaceAll('\0', '')),
  { maxLength: 12 },
)

for (const shell of shells) {
  test(`any words reach a program unchanged through ${shell}`, () => {
    fc.assert(
      fc.property(words, (list) => assert.deepEqual(received(shell, list), list)),
      { numRuns: 150 },
    )
  })
}

test('only words that need it are quoted', () => {
  const given = ['abc', '--mode=0600', 'user@host:/path,x%y+z', 'A=b', '', ' ', "it's", 'ä', 'a\n', '~', '*']
  assert.deepEqual(given.map(quoteWord), [
    'abc',
    '--mode=0600',
    'user@host:/path,x%y+z',
    "'A=b'",
    "''",
    "' '",
    String.raw`'it'\''s'`,
    "'ä'",
    "'a\n'",
    "'~'",
    "'*'",
  ])
})

test('what no argument can hold is refused', () => {
  assert.throws(() => quoteWord('a\0b'), /NUL/)
  assert.throws(() => quoteWord('a\ud800'), /well-formed/)
})
