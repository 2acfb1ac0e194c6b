import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readPolicy, readRemovalPlan, readStatus } from '#/tools/managers/apt-output.ts'
import { bottleTag } from '#/tools/managers/bottle.ts'
import { caskState } from '#/tools/managers/cask-policy.ts'
import {
  readComposerVersion,
  readDependents,
  readInstalled,
  readOffered,
} from '#/tools/managers/composer-output.ts'
import { formulaState } from '#/tools/managers/formula-output.ts'
import { judge, semverOf } from '#/tools/managers/version.ts'
import { readGlobal, readLatest, readVpVersion } from '#/tools/managers/vp-output.ts'

const golden = (name: string): string => readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')

test('apt: candidate, state and plan are read from what the real one printed [TLX-021]', () => {
  assert.equal(readPolicy(golden('apt-policy.txt')), '1.6-2.1+deb12u3')
  assert.equal(readPolicy('sl:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n'), undefined)
  assert.equal(readPolicy(''), undefined)
  const installed = { installed: '1.6-2.1+deb12u1', isPresent: true, isPinned: false }
  assert.deepEqual(readStatus('installed 1.6-2.1+deb12u1 install\n'), installed)
  assert.deepEqual(readStatus('installed 1.6-2.1+deb12u1 hold\n'), { ...installed, isPinned: true })
  const gone = { installed: undefined, isPresent: false, isPinned: false }
  assert.deepEqual(readStatus('config-files 1.6-2.1 deinstall\n'), gone)
  assert.deepEqual(readStatus('half-installed 1.6-2.1 install\n'), { ...gone, isPresent: true })
  assert.deepEqual(readStatus(''), gone)
  assert.throws(() => readStatus('installed not/a/version\n'))
  assert.deepEqual(
    readRemovalPlan(
      'NOTE: This is only a simulation!\nRemv jq [1.6-2.1]\nRemv libjq1:i386 [1.6-2.1]\nInst gojq (0.12 Debian:12 [amd64])\n',
      'jq',
    ),
    { removed: ['libjq1:i386'], installed: ['gojq'] },
  )
})

test('Composer: only what was asked for itself is a package, and a candidate is what it would install', () => {
  const printed = golden('composer-installed.json')
  assert.deepEqual(readInstalled(printed, 'acme/hello'), { installed: '1.3.0', isPresent: true })
  assert.deepEqual(readInstalled(printed, 'acme/base'), {
    installed: undefined,
    isPresent: false,
    block: 'dependency',
  })
  assert.deepEqual(readInstalled('[]', 'acme/hello'), { installed: undefined, isPresent: false })
  const offered = golden('composer-offered.txt')
  assert.equal(readOffered(offered, 'acme/hello', undefined), '11.5.0')
  assert.equal(readOffered(offered, 'acme/base', '1.0.0'), '1.1.0')
  // What is not among the changes stays, and what is not there either is offered by nobody.
  assert.equal(readOffered(offered, 'acme/other', '2.0.0'), '2.0.0')
  assert.equal(readOffered(offered, 'acme/hell', undefined), undefined)
  assert.equal(readOffered('', 'acme/hello', '1.0.0'), undefined)
  assert.equal(readComposerVersion('Composer version 2.5.5 2023-03-21 11:50:05'), '2.5.5')
  assert.throws(() => readInstalled('{"installed": [{}]}', 'a/b'))
})

test('Composer: what requires a package keeps it, unless it goes with the package', () => {
  const dependents = [
    '__root__  -     requires acme/hello (11.4.0) ',
    'acme/user 1.0.0 requires acme/hello (^11)    ',
    'acme/user 1.0.0 requires acme/hello (>=1)    ',
    'acme/last 2.0.0 requires acme/hello (^11)    ',
  ].join('\n')
  const keeps = 'Running composer update acme/hello\n  - Upgrading acme/hello (11.4.0 => 11.5.0)\n'
  assert.deepEqual(readDependents(keeps, dependents, 'acme/hello'), ['acme/user', 'acme/last'])
  const removes = 'Running composer update acme/hello\n  - Removing acme/hello (11.4.0)\n'
  assert.deepEqual(readDependents(removes, dependents, 'acme/hello'), [])
  assert.deepEqual(readDependents(removes, dependents, 'acme/hell'), ['acme/user', 'acme/last'])
})

test('Vite+: root packages, the newest version and its own are read from what the real one printed [TOOL-044]', () => {
  const printed = golden('vp-list.json')
  assert.deepEqual(readGlobal(printed, '@antfu/ni', false), { installed: '30.6.0', isPresent: true })
  assert.deepEqual(readGlobal(printed, 'kleur', true), {
    installed: undefined,
    isPresent: false,
    block: 'dependency',
  })
  assert.equal(readLatest('"1.6.0"'), '1.6.0')
  assert.equal(readLatest(''), undefined)
  assert.equal(readVpVersion('vp v0.3.0\n\nLocal vite-plus:\n  vite-plus  v0.3.0\n'), '0.3.0')
})

test('a version is compared without what its manager added, and never loosely [TOOL-026, TOOL-028]', () => {
  const cases = [
    ['apt', '7.88.1-10+deb12u5', '7.88.1'],
    ['apt', '1.6-2.1+deb12u1', undefined],
    ['apt', '2:9.1.0-1', undefined],
    ['apt', '1.2.3~rc1-1', undefined],
    ['composer', 'v2.0.1', '2.0.1'],
    ['composer', 'dev-main 1234567', undefined],
    ['brew', '1.0.0_2', '1.0.0'],
    ['brew-cask', '4.1.0,3', '4.1.0'],
    ['vp', '1.0.0-rc.0', '1.0.0-rc.0'],
    ['vp', ' 1.0.0', undefined],
  ] as const
  for (const [manager, version, comparable] of cases)
    assert.equal(semverOf(manager, version), comparable, version)
  assert.equal(judge('apt', '7.88.1-10+deb12u5', '^7.88'), 'inside')
  assert.equal(judge('apt', '7.88.1-10+deb12u5', '^8'), 'outside')
  assert.equal(judge('vp', '1.0.0-rc.0', '>=0.1'), 'outside')
})

test('a bottle tag follows system, release and processor [TLX-028, TLX-029]', () => {
  const mac = (release: string, machine = 'arm64') => bottleTag({ system: 'Darwin', machine, release })
  assert.deepEqual(
    ['27.0', '26.1', '15.6.1', '14.0', '13.7', '12.7', '11.7', '10.16', '', '16.0'].map((release) =>
      mac(release),
    ),
    [
      'arm64_golden_gate',
      'arm64_tahoe',
      'arm64_sequoia',
      'arm64_sonoma',
      'arm64_ventura',
      'arm64_monterey',
      'arm64_big_sur',
      undefined,
      undefined,
      undefined,
    ],
  )
  assert.equal(mac('15.0', 'x86_64'), 'sequoia')
  const linux = (machine: string) => bottleTag({ system: 'Linux', machine, release: '' })
  assert.deepEqual(['x86_64', 'aarch64', 'riscv64'].map(linux), ['x86_64_linux', 'arm64_linux', undefined])
})

test('a formula is offered as a bottle alone, and one for all machines only where its own is missing [TOOL-042, TLX-028, TLX-029]', () => {
  const printed = golden('brew-formulae.json')
  const state = (name: string, tag: string | undefined, names = '') =>
    formulaState({ names, printed }, name, tag)
  assert.deepEqual(state('jq', 'x86_64_linux', 'jq'), {
    installed: '1.7.1',
    isPresent: true,
    candidate: '1.8.1',
    refused: undefined,
    block: undefined,
    isPinned: true,
  })
  assert.equal(state('jq', 'arm64_linux').candidate, undefined)
  assert.equal(state('oniguruma', 'arm64_linux').candidate, '6.9.10')
  assert.equal(state('theirs', 'x86_64_linux').candidate, undefined)
  assert.equal(state('source-only', 'x86_64_linux').candidate, undefined)
  assert.equal(state('theirs', 'x86_64_linux', 'theirs').block, 'unsupported_source')
  assert.equal(state('jq', 'x86_64_linux').refused, undefined)
  assert.equal(state('jq', 'arm64_linux').refused, 'bottle_unavailable')
  assert.equal(state('theirs', 'x86_64_linux').refused, 'unsupported_source')
  assert.equal(state('unknown', 'x86_64_linux').refused, undefined)
  const disabled = JSON.stringify({
    formulae: [
      {
        ...JSON.parse(printed).formulae[0],
        name: 'jq',
        full_name: 'jq',
        tap: 'homebrew/core',
        disabled: true,
      },
    ],
  })
  assert.equal(
    formulaState({ names: '', printed: disabled }, 'jq', 'x86_64_linux').refused,
    'unsupported_artifact',
  )
  const broken = printed.replaceAll('1'.repeat(64), 'no digest')
  assert.equal(formulaState({ names: '', printed: broken }, 'jq', 'x86_64_linux').candidate, undefined)
})

const CASK = {
  token: 'font-inter',
  tap: 'homebrew/cask',
  version: '4.1',
  url: 'https://example.com/inter.zip',
  sha256: 'a'.repeat(64),
  disabled: false,
  artifacts: [{ font: ['Inter.ttc'] }, { zap: [{ trash: '~/Library/x' }] }],
}
const PLACES = { home: '/Users/ada', prefix: '/opt/homebrew', tag: 'arm64_sequoia' }
const caskOf = (given: object, versions = 'font-inter 4.1') =>
  caskState({ printed: JSON.stringify({ casks: [{ ...CASK, ...given }] }), versions }, 'font-inter', PLACES)

test('a cask is judged in one order: artifacts, administrator, checksum, version [TOOL-043, TOOL-056, TOOL-057, TOOL-058, TLX-030, TLX-031]', () => {
  const cases = [
    [{}, undefined],
    [{ disabled: true }, 'unsupported_artifact'],
    [{ artifacts: [{ preflight: null }] }, 'unsupported_artifact'],
    [{ artifacts: [{ postflight: null }] }, 'unsupported_artifact'],
    [{ artifacts: [{ stage_only: [true] }] }, 'unsupported_artifact'],
    [{ artifacts: [{ installer: [{ script: 'x' }] }] }, 'unsupported_artifact'],
    [{ artifacts: [{ uninstall: [{ script: 'x' }] }] }, 'unsupported_artifact'],
    [{ artifacts: [{ app: ['A.app'] }, { preflight: null }] }, 'unsupported_artifact'],
    [{ artifacts: [{ app: ['A.app'] }] }, 'authorization_required'],
    [{ artifacts: [{ suite: ['A'] }] }, 'authorization_required'],
    [{ artifacts: [{ pkg: ['A.pkg'] }] }, 'authorization_required'],
    [{ artifacts: [{ app: ['A.app'], target: '~/Applications/A.app' }] }, undefined],
    [{ artifacts: [{ app: ['A.app'], target: '/Users/bob/A.app' }] }, 'authorization_required'],
    [{ artifacts: [{ font: ['a'], target: '~/../bob/a' }] }, 'authorization_required'],
    [{ artifacts: [{ uninstall: [{ pkgutil: 'x' }] }] }, 'authorization_required'],
    [{ artifacts: [{ uninstall: [{ kext: 'x' }] }] }, 'authorization_required'],
    [{ artifacts: [{ uninstall: [{ launchctl: 'x' }] }] }, 'authorization_required'],
    [{ artifacts: [{ uninstall: [{ delete: '/Library/x' }] }] }, 'authorization_required'],
    [{ artifacts: [{ uninstall: [{ quit: 'x' }] }] }, undefined],
    [{ artifacts: [{ font: ['a'] }], sha256: 'no_check' }, 'unsupported_source'],
    [{ sha256: 'A'.repeat(64) }, 'unsupported_source'],
    [{ url: 'http://example.com/inter.zip' }, 'unsupported_source'],
    [{ tap: 'acme/tap' }, 'unsupported_source'],
    [{ sha256: 'no_check', artifacts: [{ app: ['A.app'] }] }, 'authorization_required'],
    [{ version: 'latest' }, 'version_unreadable'],
    [{ sha256: 'no_check', variations: { arm64_sequoia: { sha256: 'b'.repeat(64) } } }, undefined],
    [{ variations: { arm64_sequoia: { sha256: 'no_check' } } }, 'unsupported_source'],
    [{ variations: { sequoia: { sha256: 'no_check' } } }, undefined],
  ] as const
  for (const [given, block] of cases) {
    const state = caskOf(given)
    assert.equal(state.block, block, JSON.stringify(given))
    assert.equal(state.candidate, block === undefined ? '4.1' : undefined, JSON.stringify(given))
    // Also where it is not installed.
    const absent = caskOf(given, '')
    assert.deepEqual([absent.block, absent.refused], [undefined, block], JSON.stringify(given))
  }
})

test('a cask has a target for each artifact, and the home and prefix in it are names of Homebrew [TOOL-057, TLX-031, TLX-032]', () => {
  const printed = golden('brew-casks.json')
  const state = (token: string) => {
    const { block, candidate, isSafeToRemove } = caskState({ printed, versions: `${token} 1` }, token, PLACES)
    return [block, candidate, isSafeToRemove]
  }
  assert.deepEqual(state('font-fira-code'), [undefined, '6.2', true])
  assert.deepEqual(state('a-binary'), [undefined, '1.0.0', true])
  assert.deepEqual(state('an-app'), ['authorization_required', undefined, false])
  const foreign = ['/$HOME/../bob/a', '$HOMEBREW_PREFIX/../a', '/$HOMEBREW_PREFIX/a', '$HOMES/a', '/$HOME']
  for (const target of foreign)
    assert.equal(caskOf({ artifacts: [{ font: ['a'], target }] }).block, 'authorization_required', target)
})

test('a removal of a cask minds its artifacts, not its source [TLX-032]', () => {
  const safe = [{ disabled: true }, { sha256: 'no_check' }, { version: 'latest' }, { url: null }]
  for (const given of safe) assert.equal(caskOf(given).isSafeToRemove, true, JSON.stringify(given))
  for (const kind of ['pkg', 'preflight'])
    assert.equal(caskOf({ artifacts: [{ [kind]: ['x'] }] }).isSafeToRemove, false)
  assert.deepEqual(caskState({ printed: '', versions: 'font-inter 4.0 4.1\n' }, 'font-inter', PLACES), {
    installed: '4.1',
    isPresent: true,
    candidate: undefined,
    block: 'unsupported_source',
    isSafeToRemove: true,
  })
})
