import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  unresolvedPart,
  needsDomain,
  resolvePlaceholders,
  unknownPlaceholder,
} from '#/environment/format/index.ts'

test('the two placeholders are replaced wherever they stand [ENV-040, ENV-041]', () => {
  const values = { domain: 'shop.test', environment: 'development' }
  assert.equal(
    resolvePlaceholders('https://{{instance.domain}}/{{instance.environment}}?d={{instance.domain}}', values),
    'https://shop.test/development?d=shop.test',
  )
  assert.equal(
    resolvePlaceholders('{{instance.domain}}', { environment: 'production' }),
    '{{instance.domain}}',
  )
  assert.deepEqual(['a {{instance.domain}}', '{{instance.environment}}'].map(needsDomain), [true, false])
})

test('any other placeholder is reported by its name and anything else between braces is kept back [ENV-005, ENV-075]', () => {
  assert.equal(unknownPlaceholder('a {{instance.domain}} b {{instance.name}}'), '{{instance.name}}')
  assert.equal(unknownPlaceholder('{{ instance.domain }}'), '{{ instance.domain }}')
  assert.equal(unknownPlaceholder('{{s3cret value!}}'), '{{…}}')
  assert.equal(unknownPlaceholder('{"a":{"b":1}} {{'), undefined)
})

test('half a placeholder is left over when the value is written [ENV-042]', () => {
  assert.deepEqual(['a {{ b', 'a }} b', '{{x}}', 'plain { }'].map(unresolvedPart), [
    '{{',
    '}}',
    '{{x}}',
    undefined,
  ])
})

test('many opening braces are searched in linear time', { timeout: 20_000 }, () => {
  assert.equal(unresolvedPart('{{'.repeat(500_000)), '{{')
})
