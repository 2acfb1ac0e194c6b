import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectProfile, type SourceEvidence } from './profile.ts'

const evidence = (given: Partial<SourceEvidence>): SourceEvidence => ({
  artisan: 'absent',
  console: 'absent',
  composer: 'absent',
  manifest: '',
  ...given,
})
const composer = (manifest: unknown): Partial<SourceEvidence> => ({
  composer: 'file',
  manifest: JSON.stringify(manifest),
})

test('artisan and exactly one declaration is the first framework [PRJ-022]', () => {
  for (const section of ['require', 'require-dev']) {
    const found = detectProfile(
      evidence({ artisan: 'file', ...composer({ [section]: { 'Laravel/Framework': '^12' } }) }),
    )
    assert.deepEqual(found, { profile: { framework: 'laravel', php: true } })
  }
})

test('artisan with no, two or an unreadable declaration is no valid source [PRJ-022, PRJ-026]', () => {
  const name = { 'laravel/framework': '^12' }
  for (const manifest of [
    {},
    { require: name, 'require-dev': name },
    { require: [] },
    { require: { laravel: 1 } },
  ]) {
    const found = detectProfile(evidence({ artisan: 'file', ...composer(manifest) }))
    assert.deepEqual(found, { code: 'app-dev.laravel_source_invalid', file: 'composer.json' })
  }
  for (const given of [{}, { composer: 'file', manifest: '{' }] as const) {
    const found = detectProfile(evidence({ artisan: 'file', ...given }))
    assert.deepEqual(found, { code: 'app-dev.laravel_source_invalid', file: 'composer.json' })
  }
})

test('bin/console and the bundle in require is the second framework [PRJ-023]', () => {
  const bundle = { 'symfony/framework-bundle': '^7' }
  assert.deepEqual(detectProfile(evidence({ console: 'file', ...composer({ require: bundle }) })), {
    profile: { framework: 'symfony', php: true },
  })
  assert.deepEqual(detectProfile(evidence({ console: 'file', ...composer({ 'require-dev': bundle }) })), {
    code: 'app-dev.symfony_source_invalid',
    file: 'composer.json',
  })
})

test('without a marker composer.json alone decides on PHP [PRJ-024]', () => {
  assert.deepEqual(detectProfile(evidence(composer({ require: { 'laravel/framework': '^12' } }))), {
    profile: { framework: null, php: true },
  })
  assert.deepEqual(detectProfile(evidence({})), { profile: { framework: null, php: false } })
})

test('a marker that is no regular file or too large is unsafe [PRJ-026]', () => {
  const cases = [
    [{ artisan: 'other' }, 'artisan'],
    [{ console: 'other' }, 'bin/console'],
    [{ composer: 'large' }, 'composer.json'],
  ] as const
  for (const [given, file] of cases) {
    assert.deepEqual(detectProfile(evidence(given)), { code: 'app-dev.source_metadata_unsafe', file })
  }
})
