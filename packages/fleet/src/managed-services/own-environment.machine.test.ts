import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ENVIRONMENT_FILES } from '@fleet/testing'
import { withOwnEnvironment } from '#/managed-services/own-environment.ts'

/** What a command gets besides `OWN=1`, in the order of names. */
function environmentOf(text: string | undefined, kept: readonly string[] = []): Record<string, string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleet-environment-'))
  const file = join(folder.path, '.env')
  if (text !== undefined) writeFileSync(file, text)
  const [program = '', ...words] = withOwnEnvironment(file, kept, ['/usr/bin/env', '-0'])
  const said = execFileSync(program, words, { env: { OWN: '1' }, encoding: 'utf8', timeout: 10_000 })
  const entries = said.split('\0').filter((entry) => entry !== '' && entry !== 'OWN=1')
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}

for (const { text, variables } of ENVIRONMENT_FILES)
  test(`a command gets ${JSON.stringify(variables)} from ${JSON.stringify(text)}`, () => {
    assert.deepEqual(environmentOf(text), variables)
  })

test('a file that is not there sets nothing, and what is kept no file sets', () => {
  assert.deepEqual(environmentOf(undefined), {})
  assert.deepEqual(environmentOf('DB_HOST=a\nDB_PASSWORD=b\nOTHER=c\n', ['DB_HOST', 'DB_PASSWORD']), {
    OTHER: 'c',
  })
})

test('words of the command reach it as they are, also where the file names its program path', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleet-environment-'))
  const file = join(folder.path, '.env')
  writeFileSync(file, 'PATH=/nowhere\n')
  const words = ['/usr/bin/printf', '%s|', '--', 'a b', '$HOME', '', '-e']
  const [program = '', ...rest] = withOwnEnvironment(file, [], words)
  assert.equal(execFileSync(program, rest, { encoding: 'utf8' }), '--|a b|$HOME||-e|')
})

test('a program that is not there ends as a shell says it, with its name', () => {
  const [program = '', ...words] = withOwnEnvironment('/nowhere/.env', [], ['/nowhere/worker'])
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [127, '/nowhere/worker: No such file or directory\n'])
})
