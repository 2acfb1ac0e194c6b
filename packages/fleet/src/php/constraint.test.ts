import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { InvalidConstraint, satisfies } from '#/php/constraint.ts'

const RELEASES = ['7.4.33', '8.1.0', '8.2.36', '8.3.6', '8.4.11', '8.5.0']

/** What `composer/semver` 3.3 answers for each requirement and release. */
const ROWS = readFileSync(new URL('golden/constraints.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'))

const answerTo = (constraint: string): string => {
  try {
    return RELEASES.map((release) => (satisfies(release, constraint) ? 'yes' : 'no')).join(' ')
  } catch (error) {
    if (error instanceof InvalidConstraint) return 'invalid'
    throw error
  }
}

test('a requirement of composer.json accepts the releases that Composer itself accepts', () => {
  assert.ok(ROWS.length > 60)
  for (const [constraint = '', expected] of ROWS) {
    const text: unknown = JSON.parse(constraint)
    assert.equal(answerTo(String(text)), expected, constraint)
  }
})
