import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, isErrorCode, toolManagers } from '@fleet/contract'
import { isPackageName, isSupported } from './catalogue.ts'

test('apt and Composer are for Linux, Homebrew and Vite+ for both platforms, casks for macOS alone [TOOL-013]', () => {
  const on = (platform: 'linux' | 'macos') => toolManagers.filter((name) => isSupported(name, platform))
  assert.deepEqual(on('linux'), ['apt', 'composer', 'vp', 'brew'])
  assert.deepEqual(on('macos'), ['vp', 'brew', 'brew-cask'])
})

test('a formula has a lowercase name of the core, which may end in plus signs [TOOL-054]', () => {
  for (const name of ['jq', 'gtk+', 'libsigc++', 'openssl@3', 'python@3.13', 'x86_64-elf-gcc'])
    assert.ok(isPackageName('brew', name), name)
  for (const name of ['Foo', 'jQ', 'tap/foo', 'homebrew/core/jq', '+gtk', 'gtk+x', '-jq', '', 'jq '])
    assert.ok(!isPackageName('brew', name), name)
})

test('the gateway has no code for what a client refuses itself [TLX-048]', () => {
  for (const code of ['tool.node_id_invalid', 'tool.manager_required'])
    assert.equal(isErrorCode(code), false, code)
})

test('of a manager there is a list alone: no operation removes one [TLX-018]', () => {
  const named = catalogue.map(({ name }) => name).filter((name) => name.includes('manager'))
  assert.deepEqual(named, ['tool:manager:list'])
})
