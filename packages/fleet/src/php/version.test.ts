import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AvailablePhp, choosePhp, requirementIn } from '#/php/version.ts'

const php = (version: string, release: string): AvailablePhp => ({ version, release })
const AVAILABLE = [php('8.2', '8.2.29'), php('8.10', '8.10.0'), php('8.4', '8.4.11')]
const manifest = (constraint: unknown): string => JSON.stringify({ require: { PHP: constraint } })

test('without composer.json there is no PHP, without a requirement the newest version, otherwise the newest that fits', () => {
  assert.deepEqual(choosePhp(undefined, []), { version: null })
  assert.deepEqual(choosePhp('{}', AVAILABLE), { version: '8.10' })
  assert.deepEqual(choosePhp('not JSON', AVAILABLE), { version: '8.10' })
  assert.deepEqual(choosePhp(manifest('~8.4.0 || ~8.2.0'), AVAILABLE), { version: '8.4' })
  assert.deepEqual(choosePhp(manifest('<=8.4.0'), AVAILABLE), { version: '8.2' })
})

test('a requirement that no version fits, or that is invalid, is refused with what there is; without any PHP the source is to blame [RTX-116]', () => {
  const details = { constraint: '^9.0', available: ['8.10', '8.4', '8.2'] }
  assert.deepEqual(choosePhp(manifest('^9.0'), AVAILABLE), {
    code: 'app-dev.php_version_unsupported',
    details,
  })
  for (const invalid of ['banana', '', 8, ['^8.2'], '^8.2\u0007\u001B[31m'.padEnd(400, 'x')]) {
    const choice = choosePhp(manifest(invalid), AVAILABLE)
    assert.ok('code' in choice)
    assert.equal(choice.code, 'app-dev.php_version_unsupported')
    assert.match(String(choice.details?.['constraint']), /^[\x20-\x7E]{0,100}$/)
  }
  const choice = choosePhp(manifest('^8.2'), [])
  assert.ok('code' in choice)
  assert.equal(choice.code, 'app-dev.php_package_source_unavailable')
})

test('the recorded version stays while the source fits it, whatever is newer; a source that does not is refused [RTX-117]', () => {
  assert.deepEqual(choosePhp(manifest('^8.2'), AVAILABLE, '8.2'), { version: '8.2' })
  const codeOf = (...args: Parameters<typeof choosePhp>): unknown => {
    const choice = choosePhp(...args)
    return 'code' in choice ? choice.code : choice.version
  }
  assert.equal(codeOf(manifest('^8.4'), AVAILABLE, '8.2'), 'app-dev.source_evidence_changed')
  assert.equal(codeOf(undefined, AVAILABLE, '8.2'), 'app-dev.source_evidence_changed')
  assert.equal(codeOf('{}', AVAILABLE, null), 'app-dev.source_evidence_changed')
  assert.equal(
    codeOf(manifest('^8.2'), [php('8.4', '8.4.11')], '8.2'),
    'app-dev.php_package_source_unavailable',
  )
})

test('the requirement is found under any spelling of its name', () => {
  assert.equal(requirementIn('{"require":{"Php":"^8.3"}}'), '^8.3')
  assert.equal(requirementIn('{"REQUIRE":{"php":"^8.3"}}'), undefined)
  assert.equal(requirementIn('{"require":[]}'), undefined)
})
