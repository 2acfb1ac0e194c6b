import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formulaBlock, formulaState, isDependency, readFormulae } from './formula-output.ts'

const TAG = 'x86_64_linux'

/** What Homebrew prints of `jq` at least; members that it leaves out have their defaults. */
const printed = (more: object = {}): string =>
  JSON.stringify({
    formulae: [
      {
        name: 'jq',
        full_name: 'jq',
        tap: 'homebrew/core',
        versions: { stable: '1.7.1' },
        bottle: { stable: { files: { [TAG]: { sha256: 'a'.repeat(64) } } } },
        installed: [{ version: '1.7' }],
        ...more,
      },
    ],
  })

const only = (text: string) => readFormulae(text)[0] ?? assert.fail('there is no formula')

test('a formula of which nothing else is said was asked for, is not pinned and can be installed', () => {
  const found = only(printed())
  assert.equal(isDependency(found), false)
  assert.equal(formulaBlock(found, TAG), undefined)
  assert.deepEqual([found.disabled, found.pinned, found.revision, found.linked_keg], [false, false, 0, null])
  const state = formulaState({ names: 'jq\n', printed: printed() }, 'jq', TAG)
  assert.deepEqual([state.installed, state.isPresent, state.candidate], ['1.7', true, '1.7.1'])
  assert.deepEqual(only(printed({ installed: undefined })).installed, [])
})

test('a formula is a dependency where every keg is one that nobody asked for', () => {
  const kegs = (...installed: readonly object[]) =>
    isDependency(only(printed({ installed: installed.map((keg) => ({ version: '1.7', ...keg })) })))
  assert.equal(kegs({ installed_as_dependency: true }), true)
  assert.equal(kegs({ installed_as_dependency: true, installed_on_request: true }), false)
  assert.equal(kegs({ installed_as_dependency: true }, {}), false)
  assert.equal(kegs(), false)
})
